#include "series.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace forecast {
namespace {

namespace ag = axisgrad;

// One column of the table.
struct Column {
  const double* values;
  Size rows, step;
  double operator()(Size row) const { return values[row * step]; }
};

bool rises_evenly(const Column& x) {
  Size even = 2;  // rows with the step of the first two
  while (even < x.rows && x(even) - x(even - 1) == x(1) - x(0)) ++even;
  return x.rows >= 3 && even >= x.rows;
}

// The two smallest and the two largest values of a column that differ.
struct Extremes {
  static constexpr double inf = std::numeric_limits<double>::infinity();
  double least = inf, second_least = inf, second_largest = -inf, largest = -inf;

  void add(double v) {
    if (v < least)
      second_least = least, least = v;
    else if (v > least && v < second_least)
      second_least = v;
    if (v > largest)
      second_largest = largest, largest = v;
    else if (v < largest && v > second_largest)
      second_largest = v;
  }
  // A number that most likely says that there is none: -999 among values from 0 to 40. It is whole,
  // and farther from all others than they are from each other.
  std::optional<double> apart() const {
    const auto far = [](double value, double nearest, double farthest) {
      return std::abs(value) >= 99 && value == std::floor(value) &&
             std::abs(value - nearest) > 2 * std::abs(farthest - nearest);
    };
    if (second_least < largest && far(least, second_least, largest)) return least;
    if (second_largest > least && far(largest, second_largest, least)) return largest;
    return {};
  }
};

// Row by row, since that is how a table lies in memory.
std::vector<Extremes> extremes(const ag::Tensor<double>& values) {
  const Size width = values.shape()[1];
  std::vector<Extremes> all(static_cast<std::size_t>(width));
  const double* v = values.data();
  for (Size r = 0; r < values.shape()[0]; ++r)
    for (Extremes& e : all) e.add(*v++);
  return all;
}

std::optional<double> word_for_none(const Column& x, const Extremes& e) {
  const auto value = e.apart();
  Size count = 0;
  for (Size r = 0; value && r < x.rows; ++r) count += x(r) == *value;
  return count > 1 ? value : std::nullopt;
}

// What most likely is no measurement: one value for all rows, a clock, or a number for none.
void note_odd_columns(Series& series) {
  const Size width = series.values.shape()[1];
  const std::vector<Extremes> ends = extremes(series.values);
  for (Size c = 0; c < width; ++c) {
    const std::string name = "column '" + series.names[static_cast<std::size_t>(c)] + "' ";
    const Column x{series.values.data() + c, series.rows(), width};
    if (rises_evenly(x) && x(1) == x(0))
      series.notes.push_back(name + "is constant: it tells nothing, and counts as 0 when scaled");
    else if (rises_evenly(x))
      series.notes.push_back(name +
                             "rises by the same step in every row: if it is a clock, give "
                             "it as --date-column, or leave it out by --columns");
    else if (const auto none = word_for_none(x, ends[static_cast<std::size_t>(c)]))
      series.notes.push_back(
          fmt::format("{}holds {} several times, far from all else: if that is "
                      "a missing value, say --missing-words {}",
                      name, *none, *none));
  }
}

}  // namespace

ag::Missing missing_policy(const Settings& settings) {
  const std::string& name = settings.missing;
  if (name == "ffill") return ag::Missing::forward_fill;
  if (name == "interpolate-past") return ag::Missing::interpolate_past;
  return name == "drop" ? ag::Missing::drop : ag::Missing::error;
}

Series read_series(const std::string& path, const Settings& settings, const TableForm* known) {
  if (!std::filesystem::exists(path)) ag::fail("forecast", "there is no file '", path, "'");
  Series series = path.ends_with(".npy") || path.ends_with(".npz")
                      ? read_arrays(path, settings)
                      : read_csv_file(path, settings, known);
  if (!known) note_odd_columns(series);
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
