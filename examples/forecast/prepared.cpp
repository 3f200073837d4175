#include "prepared.hpp"

#include <algorithm>

namespace forecast {
namespace {

namespace ag = axisgrad;

void require_windows(const char* part, ag::Rows rows, Size all, const ag::WindowOptions& o) {
  if (ag::window_count(rows, o) > 0) return;
  ag::fail("forecast", "too few rows to ", part, ": its rows ", rows.begin, " to ", rows.end,
           " of ", all, " hold no window of ", o.lookback, " back and ", o.horizon,
           " ahead; give more rows, another --split or a smaller --lookback or --horizon");
}

// --current: in each row the other variables of the next one. The last row has no next one.
ag::Tensor<double> one_row_further(const ag::Tensor<double>& values,
                                   const std::vector<Size>& targets) {
  const Size rows = values.shape()[0] - 1, width = values.shape()[1];
  ag::Tensor<double> moved({rows, width});
  double* to = moved.mutable_data();
  for (Size r = 0; r < rows; ++r)
    for (Size c = 0; c < width; ++c) {
      const bool target = std::find(targets.begin(), targets.end(), c) != targets.end();
      *to++ = values.data()[(r + (target ? 0 : 1)) * width + c];
    }
  return moved;
}

Size season_of(Series& series, const Settings& settings) {
  Size season = settings.season;
  if (season == 0) season = series.dates ? series.dates->season() : 24;
  if (season <= settings.lookback) return season;
  series.notes.push_back("a season of " + std::to_string(season) +
                         " rows is longer than the lookback: the seasonal rule repeats the whole "
                         "window instead");
  return settings.lookback;
}

}  // namespace

std::vector<double> Prepared::deviations() const {
  std::vector<double> all;
  for (const Size t : targets) all.push_back(scaler.deviation()(t));
  return all;
}

std::string Prepared::target_name(std::size_t k) const {
  return series.names[static_cast<std::size_t>(targets[k])];
}

Prepared prepare(Series series, const Settings& settings) {
  const std::vector<Size> targets = target_columns(settings, series.names);
  if (series.rows() < settings.lookback + settings.horizon)
    ag::fail("forecast", "too few rows: '", series.path, "' has ", series.rows(),
             ", but one window alone takes ", settings.lookback, " back and ", settings.horizon,
             " ahead");
  if (settings.current) {
    if (targets.size() == series.names.size())
      ag::fail("forecast", "--current is for variables that are not forecast, and all are");
    if (series.rows() > 1) series.values = one_row_further(series.values, targets);
    series.notes.push_back(
        "the model sees the variables that it does not forecast up to the first "
        "row that it forecasts (--current): its errors hold only where these "
        "are known in advance");
  }
  const ag::RowSplit rows = split_rows(settings, series.rows());
  const ag::WindowOptions options{
      .lookback = settings.lookback, .horizon = settings.horizon, .targets = targets};
  require_windows("train on", rows.train, series.rows(), options);
  require_windows("validate on", rows.validation, series.rows(), options);
  require_windows("test on", rows.test, series.rows(), options);
  const Size season = season_of(series, settings);
  ag::StandardScaler scaler;
  scaler.fit(series.values, rows.train);
  const ag::Tensor<float> table(scaler.transform(series.values));
  return {std::move(series),
          options.targets,
          rows,
          std::move(scaler),
          {table, rows.train, options},
          {table, rows.validation, options},
          {table, rows.test, options},
          season};
}

}  // namespace forecast
