// A table of several variables over time, read from a file of people's own.
#pragma once
#include <optional>

#include <axisgrad/nn/data/table.hpp>

#include "settings.hpp"
#include "timeline.hpp"

namespace forecast {

/// How the table of a run was written, as far as a later table may leave it open.
struct TableForm {
  std::string numbers;  // 1.234,5; nothing: no number had a sign
  std::string
      date_order;  // dmy, mdy or ymd; nothing: the dates told it themselves, or there are none
};

struct Series {
  std::string path;
  Names names;
  axisgrad::Tensor<double> values;  // (rows, variables)
  std::optional<Timeline> dates{};  // none: rows are numbered
  Names notes{};                    // what the reader should know about the table
  Names date_columns{};             // of the table, whose cells make the dates
  TableForm form{};

  [[nodiscard]] Size rows() const { return values.shape()[0]; }
  /// "1 hour"; without dates "1 row".
  [[nodiscard]] std::string step_text() const { return dates ? dates->step_text() : "1 row"; }
};

/// Reads a table, by its name .npy or .npz, else a CSV file with the columns, dates and policy for
/// missing cells of the settings; the rest is told from its first lines, but where `known` says how
/// the table of a run was written. Errors name file, line and column; one of them is that the table
/// is evidently written in another way than the known one.
[[nodiscard]] Series read_series(const std::string& path, const Settings& settings,
                                 const TableForm* known = nullptr);

[[nodiscard]] Series read_csv_file(const std::string& path, const Settings& settings,
                                   const TableForm* known);
/// The same from .npy (rows, variables), variables named 0, 1, ...; or .npz, each array of rank 1 a
/// variable, each of rank 2 several. NaN is a missing cell.
[[nodiscard]] Series read_arrays(const std::string& path, const Settings& settings);
[[nodiscard]] axisgrad::Missing missing_policy(const Settings& settings);

/// The columns to forecast, as numbers of columns. Error listing the columns for an unknown one.
[[nodiscard]] std::vector<Size> target_columns(const Settings& settings, const Names& names);

}  // namespace forecast
