// A table of several variables over time, read from a file of people's own.
#pragma once
#include <optional>

#include <axisgrad/nn/data/table.hpp>

#include "settings.hpp"
#include "timeline.hpp"

namespace forecast {

struct Series {
  std::string path;
  Names names;
  axisgrad::Tensor<double> values;  // (rows, variables)
  std::optional<Timeline> dates{};  // none: rows are numbered
  Names notes{};                    // what the reader should know about the table

  [[nodiscard]] Size rows() const { return values.shape()[0]; }
  /// "1 hour"; without dates "1 row".
  [[nodiscard]] std::string step_text() const { return dates ? dates->step_text() : "1 row"; }
};

/// Reads a table, by its name .npy or .npz, else a CSV file with the columns, dates and policy for
/// missing cells of the settings; its separator and decimal sign are told from its first lines.
/// Errors name file, line and column.
[[nodiscard]] Series read_series(const std::string& path, const Settings& settings);

/// The same from .npy (rows, variables), variables named 0, 1, ...; or .npz, each array of rank 1 a
/// variable, each of rank 2 several.
[[nodiscard]] Series read_arrays(const std::string& path, const Settings& settings);

/// The columns to forecast, as numbers of columns. Error listing the columns for an unknown one.
[[nodiscard]] std::vector<Size> target_columns(const Settings& settings, const Names& names);

}  // namespace forecast
