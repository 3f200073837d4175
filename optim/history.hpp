// What a training did, epoch by epoch.
#pragma once
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace axisgrad {

struct EpochRow {
  int epoch = 0;    // from 1
  double loss = 0;  // mean over the samples, each at the weights in force when it was trained on
  std::optional<double> validation_loss{};
  std::vector<double> metrics{}, validation_metrics{};  // in the order of History::metrics
  double learning_rate = 0;                             // of the last step
  double seconds = 0;
};

struct History {
  std::vector<std::string> metrics;  // names
  std::vector<EpochRow> epochs;      // those completed
  std::vector<std::string> notes;    // what looks like a mistake, in a sentence each
  int best_epoch = 0;                // with early stopping; 0: none
  bool stopped_early = false, interrupted = false;

  /// One line per epoch under a line of names, separated by commas, full precision; a field is
  /// empty where there was no validation. Error when the file cannot be written.
  void write_csv(const std::string& path) const;
};

/// A table for people.
std::ostream& operator<<(std::ostream& out, const History& history);

}  // namespace axisgrad
