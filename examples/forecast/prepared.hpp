// From a table to what a model is trained and judged on. Nothing of later rows reaches earlier
// parts: the split is in the order of time, the scaler is fitted on training rows, and the rows to
// predict of one part are in no other.
#pragma once
#include <axisgrad/nn/data/scaler.hpp>
#include <axisgrad/nn/data/windows.hpp>

#include "series.hpp"

namespace forecast {

struct Prepared {
  Series series;
  std::vector<Size> targets;
  axisgrad::RowSplit rows;
  axisgrad::StandardScaler scaler;  // of all variables
  axisgrad::Windows<float> train, validation, test;
  Size season;

  /// Standard deviation of each target in training rows: the unit of the standardised errors.
  [[nodiscard]] std::vector<double> deviations() const;
  [[nodiscard]] std::string target_name(std::size_t k) const;
};

/// Error with the numbers when a part has too few rows for one window.
[[nodiscard]] Prepared prepare(Series series, const Settings& settings);

}  // namespace forecast
