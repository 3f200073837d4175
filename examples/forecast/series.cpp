#include "series.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace forecast {
namespace {

namespace ag = axisgrad;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

ag::Missing policy(const std::string& name) {
  if (name == "ffill") return ag::Missing::forward_fill;
  if (name == "interpolate-past") return ag::Missing::interpolate_past;
  return name == "drop" ? ag::Missing::drop : ag::Missing::error;
}

// What most likely is no measurement: one value for all rows, or a clock.
void note_odd_columns(Series& series) {
  const Size width = series.values.shape()[1];
  const double* v = series.values.data();
  for (Size c = 0; c < width; ++c) {
    const std::string name = "column '" + series.names[static_cast<std::size_t>(c)] + "' ";
    const auto at = [&](Size r) { return v[r * width + c]; };
    Size even = 2;  // rows with the step of the first two
    while (even < series.rows() && at(even) - at(even - 1) == at(1) - at(0)) ++even;
    if (series.rows() < 3 || even < series.rows()) continue;
    if (at(1) == at(0))
      series.notes.push_back(name + "is constant: it tells nothing, and counts as 0 when scaled");
    else
      series.notes.push_back(name +
                             "rises by the same step in every row: if it is a clock, give "
                             "it as --date-column, or leave it out by --columns");
  }
}

// Of the columns that hold dates the one that is asked for, or the first.
std::string date_column(ag::CsvOptions& options, const Settings& settings) {
  const std::string& wanted = settings.date_column;
  if (!wanted.empty() && !has(options.text, wanted)) options.text.push_back(wanted);
  return wanted.empty() && !options.text.empty() ? options.text[0] : wanted;
}

Series read_csv_series(const std::string& path, const Settings& settings) {
  ag::CsvOptions options = ag::detect_csv_file(path);
  const std::string dates = date_column(options, settings);
  options.missing = policy(settings.missing);
  options.columns = settings.columns;
  ag::Table table = ag::read_csv(path, options);
  Series series{path, {}, {}};
  if (!dates.empty()) {
    series.dates = read_timeline(table.text(dates), dates);
    series.notes = series.dates->notes;
  }
  if (!settings.columns.empty()) table = table.select(settings.columns);
  if (table.names.empty()) ag::fail("forecast", "'", path, "' has no column of numbers");
  series.names = std::move(table.names);
  series.values = std::move(table.values);
  return series;
}

}  // namespace

Series read_series(const std::string& path, const Settings& settings) {
  if (!std::filesystem::exists(path)) ag::fail("forecast", "there is no file '", path, "'");
  Series series = path.ends_with(".npy") || path.ends_with(".npz")
                      ? read_arrays(path, settings)
                      : read_csv_series(path, settings);
  note_odd_columns(series);
  return series;
}

std::vector<Size> target_columns(const Settings& settings, const Names& names) {
  std::vector<Size> targets;
  if (settings.target == Names{"all"}) {
    targets.resize(names.size());
    std::iota(targets.begin(), targets.end(), Size{0});
    return targets;
  }
  ag::Table table;
  table.names = names;
  return table.indices(settings.target);
}

}  // namespace forecast
