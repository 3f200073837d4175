// From prepared data to a trained model in a run folder.
#pragma once
#include "run.hpp"

namespace forecast {

struct TrainingOptions {
  bool resume = false;  // go on from the folder's checkpoint
  bool silent = false;  // no progress
};

/// Trains the model of the settings, or solves it, and writes everything but metrics.json; the
/// weights are those of the best epoch. False when it was interrupted: then the checkpoint of the
/// last epoch that ended is what remains, and --resume gives the same bits as one training would.
[[nodiscard]] bool train_model(Forecaster& model, const Prepared& data, const Settings& settings,
                               const Folder& folder, const TrainingOptions& options = {});

/// A line of history.csv.
struct EpochLine {
  int epoch;
  double loss, validation_loss, learning_rate, seconds;
};
[[nodiscard]] std::vector<EpochLine> read_history(const Folder& folder);

}  // namespace forecast
