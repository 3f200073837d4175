#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "commands.hpp"
#include "comparison.hpp"
#include "files.hpp"
#include "training.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

struct Run {
  Settings settings;
  Folder folder;
};

bool begun(const Run& run) { return std::filesystem::exists(run.folder / "config.json"); }

// Every training to be done, in the order of --models. Error for anything that one of them would
// refuse: nobody is to learn of it when the others have trained for an hour.
std::vector<Run> planned_runs(const CompareCommand& command, const Prepared& data) {
  std::vector<Run> runs;
  Names seen = baselines;  // they have their lines already, and need no seed
  for (const std::string& name : command.models) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    for (int k = 0; k < command.seeds; ++k) {
      Run run{command.settings, {}};
      run.settings.model = name, run.settings.seed += static_cast<std::uint64_t>(k);
      run.folder = command.out / fmt::format("{}-{}", name, run.settings.seed);
      (void)Forecaster(name, context_of(data, run.settings));
      if (begun(run)) require_same(run.settings, data, run.folder);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

// None when it was interrupted. What an earlier comparison has done stays done.
std::optional<Metrics> result_of(const Run& run, const Prepared& data) {
  make_folder(run.folder);
  Forecaster model(run.settings.model, context_of(data, run.settings));
  if (!train_model(model, data, run.settings, run.folder, {.resume = begun(run)})) return {};
  return measure(model, data);
}

// The time that is left, from what the runs so far took.
class Clock {
 public:
  [[nodiscard]] std::string left(std::size_t done, std::size_t all) const {
    if (done == 0) return "";
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    const double seconds =
        taken.count() / static_cast<double>(done) * static_cast<double>(all - done);
    return seconds < 90 ? fmt::format(", about {:.0f} s to go", seconds)
                        : fmt::format(", about {:.0f} min to go", seconds / 60);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

ComparisonLine& line_of(Comparison& comparison, const std::string& model) {
  for (ComparisonLine& line : comparison.lines)
    if (line.model == model) return line;
  return comparison.lines.emplace_back(ComparisonLine{model, {}});
}

}  // namespace

int compare(const CompareCommand& command) {
  const Settings& settings = command.settings;
  check(settings);
  if (command.models.empty())
    ag::fail("forecast", "which models? give --models a,b,c, or \"models\" in a --config");
  if (command.seeds < 1) ag::fail("forecast", "--seeds must be at least 1, got ", command.seeds);
  for (const std::string& name : command.models) (void)find_model(name);
  if (settings.data.empty()) ag::fail("forecast", "which table? give a file, or a --config");
  use_threads(settings);
  const Prepared data = prepare(read_series(settings.data, settings), settings);
  const std::vector<Run> runs = planned_runs(command, data);
  print_data(data);
  make_folder(command.out);

  const auto rules = measure_baselines(data, settings);
  Comparison comparison{{}, {}, command.seeds, runs.size()};
  for (const auto& [name, metrics] : rules) comparison.lines.push_back({name, {metrics}});
  const Clock clock;
  for (const Run& run : runs) {
    const Settings& s = run.settings;
    const std::size_t done = runs.size() - comparison.left;
    fmt::print("\n{} of {}: {}, seed {}{}\n", done + 1, runs.size(), s.model, s.seed,
               clock.left(done, runs.size()));
    std::fflush(stdout);
    try {
      const std::optional<Metrics> metrics = result_of(run, data);
      if (!metrics) break;
      write_metrics(run.folder, {*metrics, rules});
      line_of(comparison, s.model).runs.push_back(*metrics);
    } catch (const std::exception& error) {
      fmt::print("failed: {}\n", error.what());
      comparison.failed.push_back({s.model, s.seed, error.what()});
    }
    --comparison.left;
    write_comparison(command.out, comparison, settings, data);
  }
  if (runs.empty()) write_comparison(command.out, comparison, settings, data);
  print_comparison(comparison);
  if (comparison.left > 0) {
    fmt::print("The same command goes on where this one stopped.\n");
    return 130;
  }
  return comparison.failed.empty() ? 0 : 1;
}

}  // namespace forecast
