// What a comparison has come to: a line for each model, in one table.
#pragma once
#include "run.hpp"

namespace forecast {

struct ComparisonLine {
  std::string model;
  std::vector<Metrics> runs;  // one for each seed
};

/// A training that gave no result, and why.
struct FailedRun {
  std::string model;
  std::uint64_t seed;
  std::string reason;
};

struct Comparison {
  std::vector<ComparisonLine> lines;  // baselines first
  std::vector<FailedRun> failed;
  int seeds = 1;         // of each model
  std::size_t left = 0;  // runs that have not been tried
};

/// Which models are no better than the best baseline, by the mean over the seeds; what failed; what
/// is left to do.
[[nodiscard]] std::vector<std::string> sentences(const Comparison& comparison);

/// comparison.csv and report.html.
void write_comparison(const Folder& folder, const Comparison& comparison, const Settings& settings,
                      const Prepared& data);
void print_comparison(const Comparison& comparison);

}  // namespace forecast
