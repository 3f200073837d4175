#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <axisgrad/autograd/ops.hpp>

#include "commands.hpp"
#include "files.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

void note(const std::string& text) {
  std::fflush(stdout);
  fmt::print(stderr, "note: {}\n", text);  // the forecast may go to the screen
}

// The new table, read as that of the run was written.
Series read_new(const PredictCommand& command, const RunConfig& config) {
  Settings s = config.settings;
  s.columns = config.series.names;  // whatever else the new table holds
  const bool arrays = command.data.ends_with(".npy") || command.data.ends_with(".npz");
  s.date_column = arrays ? Names{} : config.series.date_columns;
  if (!command.numbers.empty()) s.numbers = command.numbers;
  if (!command.date_order.empty()) s.date_order = command.date_order;
  check(s);
  return read_series(command.data, s, &config.series.form);
}

void require_fits(const Series& series, const PredictCommand& command, const RunConfig& config) {
  const Size lookback = config.settings.lookback;
  if (series.rows() < lookback)
    ag::fail("forecast", "'", command.data, "' has ", series.rows(), " rows, but the model looks ",
             lookback, " back");
  if (series.dates && series.step_text() != config.series.step)
    ag::fail("forecast", "'", command.data, "' has a row for every ", series.step_text(),
             ", but the model was trained on steps of ", config.series.step);
}

// A unit or a sign that is another one moves a variable by more than it ever moved.
void note_other_levels(const ag::Tensor<double>& window, const SeriesInfo& trained) {
  const Size rows = window.shape()[0], width = window.shape()[1];
  for (Size c = 0; c < width; ++c) {
    const auto k = static_cast<std::size_t>(c);
    double least = window(0, c), largest = least;
    for (Size r = 1; r < rows; ++r)
      least = std::min(least, window(r, c)), largest = std::max(largest, window(r, c));
    const double range = trained.largest[k] - trained.least[k];
    if (least > trained.largest[k] + range || largest < trained.least[k] - range)
      note(
          fmt::format("'{}' lies between {:.6g} and {:.6g} here, but between {:.6g} and {:.6g} in "
                      "the rows trained on: is it the same unit?",
                      trained.names[k], least, largest, trained.least[k], trained.largest[k]));
  }
}

std::string csv(const Series& series, const RunConfig& config, const ag::Tensor<double>& forecast) {
  std::string text = series.dates ? csv_cell(series.dates->column) : "step";
  for (const Size t : config.series.targets)
    text += ',' + csv_cell(config.series.names[static_cast<std::size_t>(t)]);
  text += '\n';
  const Size horizon = config.settings.horizon;
  const Size width = static_cast<Size>(config.series.targets.size());
  const Names dates = series.dates ? series.dates->next(horizon) : Names{};
  for (Size h = 0; h < horizon; ++h) {
    text += series.dates ? csv_cell(dates[static_cast<std::size_t>(h)]) : std::to_string(h + 1);
    for (Size k = 0; k < width; ++k) text += fmt::format(",{:.9g}", forecast.data()[h * width + k]);
    text += '\n';
  }
  return text;
}

}  // namespace

int predict(const PredictCommand& command) {
  const RunConfig config = read_config(command.run);
  const Settings& s = config.settings;
  if (s.current)
    ag::fail("forecast", "'", command.run.string(),
             "' was trained with --current: it needs the other variables of a row that the table "
             "does not hold");
  Series series = read_new(command, config);
  if (series.dates && series.rows() == 1) {
    series.dates.reset();
    series.notes.push_back("one row has no step: the rows forecast are numbered");
  }
  for (const std::string& text : series.notes) note(text);
  require_fits(series, command, config);
  const Forecaster model = read_model(command.run, config);
  const auto width = static_cast<Size>(config.series.names.size());
  const auto scaler = read_scaler(command.run, width);
  const auto last = ag::take_rows(series.values, {series.rows() - s.lookback, series.rows()});
  note_other_levels(last, config.series);
  const ag::Tensor<float> x(scaler.transform(last));
  const auto y = model(ag::constant(x.reshaped({1, s.lookback, width}))).value();
  const auto forecast = scaler.select(config.series.targets).inverse(ag::Tensor<double>(y));
  const std::string text = csv(series, config, forecast);
  if (command.output.empty())
    fmt::print("{}", text);
  else
    write_file(command.output, text);
  return 0;
}

}  // namespace forecast
