#include "series.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "files.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The column named by --date-column, or the first whose first cell is a date and no number.
std::string date_column(const ag::CsvLayout& layout, const Settings& settings) {
  if (!settings.date_column.empty()) return settings.date_column;
  for (std::size_t c = 0; c < std::min(layout.names.size(), layout.first_row.size()); ++c) {
    const std::string& cell = layout.first_row[c];
    const bool number = cell.find_first_not_of("+-.,0123456789eE") == cell.npos &&
                        std::count(cell.begin(), cell.end(), '.') < 2 &&
                        cell.find('-', 1) == cell.npos;
    if (!number && is_date(cell) && !has(settings.columns, layout.names[c])) return layout.names[c];
  }
  return "";
}

ag::Missing policy(const std::string& name) {
  if (name == "ffill") return ag::Missing::forward_fill;
  if (name == "interpolate-past") return ag::Missing::interpolate_past;
  return name == "drop" ? ag::Missing::drop : ag::Missing::error;
}

void note_constant_columns(Series& series) {
  const Size width = series.values.shape()[1];
  const double* v = series.values.data();
  for (Size c = 0; c < width; ++c) {
    Size r = 1;
    while (r < series.rows() && v[r * width + c] == v[c]) ++r;
    if (r == series.rows())
      series.notes.push_back("column '" + series.names[static_cast<std::size_t>(c)] +
                             "' is constant: it tells nothing, and counts as 0 when scaled");
  }
}

Series read_csv_series(const std::string& path, const Settings& settings) {
  const std::string text = read_file(path);
  const std::string source = "'" + path + "'";
  const ag::CsvLayout layout = ag::detect_csv(text, source);
  Series series{path, {}, {}, date_column(layout, settings)};
  for (const std::string& name : settings.columns)
    if (!has(layout.names, name))
      ag::fail("forecast", source, " has no column '", name, "' for --columns");
  if (!series.date_column.empty() && !has(layout.names, series.date_column))
    ag::fail("forecast", source, " has no column '", series.date_column, "' for --date-column");
  ag::CsvOptions options{.separator = layout.separator,
                         .decimal_comma = layout.decimal_comma,
                         .missing = policy(settings.missing)};
  if (!series.date_column.empty()) options.text = {series.date_column};
  for (const std::string& name : layout.names)
    if (!settings.columns.empty() && !has(settings.columns, name) && name != series.date_column)
      options.skip.push_back(name);
  ag::Table table = ag::parse_csv(text, options, source);
  if (table.names.empty()) ag::fail("forecast", source, " has no column of numbers");
  if (!series.date_column.empty()) {
    series.dates = read_dates(table.texts[0], series.date_column);
    series.notes = series.dates->notes;
  }
  if (!settings.columns.empty()) table = table.select(settings.columns);
  series.names = std::move(table.names);
  series.values = std::move(table.values);
  return series;
}

}  // namespace

Series read_series(const std::string& path, const Settings& settings) {
  Series series = read_csv_series(path, settings);
  note_constant_columns(series);
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
