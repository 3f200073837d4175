// The run folder: everything that a trained model needs to be judged and used again.
//   config.json             all settings, and "series": what the table was
//   weights.safetensors     of the best epoch
//   scaler.safetensors      mean and deviation of each variable in training rows
//   history.csv             epoch by epoch
//   metrics.json            of the model and the baselines
//   checkpoint.safetensors  where --resume goes on
#pragma once
#include <filesystem>
#include <map>

#include "prepared.hpp"
#include "scores.hpp"

namespace forecast {

using Folder = std::filesystem::path;

/// What the folder remembers of the table: enough to use the model without it.
struct SeriesInfo {
  Names names, date_columns;
  std::string step;
  std::vector<Size> targets;
  Size rows = 0, season = 1;
  TableForm form{};
  std::vector<double> least{}, largest{};  // of each variable in training rows
};

struct Metrics {
  Score validation, test;
};
/// By model; those of the baselines and of the model trained.
struct RunMetrics {
  Metrics model;
  std::vector<std::pair<std::string, Metrics>> baselines;

  /// Names of the baselines whose mean squared error on the test windows is not above the model's.
  [[nodiscard]] Names not_beaten(const std::string& model_name) const;
};

void write_config(const Folder& folder, const Settings& settings, const Prepared& data);
/// The settings and "series" of config.json. Error when the folder holds no run.
struct RunConfig {
  Settings settings;
  SeriesInfo series;
};
[[nodiscard]] RunConfig read_config(const Folder& folder);

void write_scaler(const Folder& folder, axisgrad::StandardScaler scaler);
[[nodiscard]] axisgrad::StandardScaler read_scaler(const Folder& folder, Size variables);

void write_metrics(const Folder& folder, const RunMetrics& metrics);
[[nodiscard]] RunMetrics read_metrics(const Folder& folder);

/// A trained model from its folder. Error when the weights do not fit.
[[nodiscard]] Forecaster read_model(const Folder& folder, const RunConfig& config);

/// Error when the table's scaler or columns differ from the folder's: then it is not the table that
/// the run was trained on.
void require_table(const Folder& folder, const RunConfig& config, const Prepared& data);
/// The table of a run, prepared as in training. Error as above.
[[nodiscard]] Prepared read_data(const Folder& folder, const RunConfig& config);

[[nodiscard]] Metrics measure(const Forecaster& model, const Prepared& data);
/// repeat, seasonal and linear on the same windows.
[[nodiscard]] std::vector<std::pair<std::string, Metrics>> measure_baselines(
    const Prepared& data, const Settings& settings);
[[nodiscard]] inline ModelContext context_of(const Prepared& data, const Settings& settings) {
  return {static_cast<Size>(data.series.names.size()), data.targets, data.season, settings};
}
/// The table that train, evaluate and compare print.
void print_metrics(const std::string& model, const RunMetrics& metrics);

}  // namespace forecast
