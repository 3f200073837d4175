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
  const ag::RowSplit rows = split_rows(settings, series.rows());
  const ag::WindowOptions options{.lookback = settings.lookback,
                                  .horizon = settings.horizon,
                                  .targets = target_columns(settings, series.names)};
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
