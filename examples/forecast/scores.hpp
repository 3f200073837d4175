// How far forecasts are from the truth, in both units.
#pragma once
#include <axisgrad/nn/data/windows.hpp>

#include "forecaster.hpp"

namespace forecast {

struct Errors {
  double mse = 0, mae = 0;
  [[nodiscard]] double rmse() const;
};
/// Means over all windows, steps and targets: in units of the targets' deviation in training rows,
/// and in their own.
struct Score {
  Errors standardised, original;
};
/// {"standardised": {"mse", "mae", "rmse"}, "original": {...}}; what is no finite number is "NaN",
/// "Infinity" or "-Infinity".
[[nodiscard]] Json to_json(const Score& score);
[[nodiscard]] Score score_from_json(const Json& object);

/// Of each target, over every window. `deviations`: of each target.
[[nodiscard]] std::vector<Score> scores_by_target(const Forecaster& model,
                                                  const axisgrad::Windows<float>& windows,
                                                  const std::vector<double>& deviations);
/// Their mean: each target has as many elements.
[[nodiscard]] Score score(const Forecaster& model, const axisgrad::Windows<float>& windows,
                          const std::vector<double>& deviations);

}  // namespace forecast
