#include <fmt/format.h>

#include <axisgrad/autograd/ops.hpp>

#include "commands.hpp"
#include "files.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

// One line for each test window, step and target, in the units of the table.
void write_predictions(const Folder& path, const Forecaster& model, const Prepared& data) {
  constexpr Size batch = 256;
  std::string text = "window,row,target,forecast,truth\n";
  const auto scaler = data.scaler.select(data.targets);
  for (Size begin = 0; begin < data.test.samples(); begin += batch) {
    const auto part = data.test.take(begin, std::min(data.test.samples(), begin + batch));
    const auto p = scaler.inverse(ag::Tensor<double>(model(ag::constant(part.x)).value()));
    const auto y = scaler.inverse(ag::Tensor<double>(part.y));
    const Size steps = p.shape()[1], width = p.shape()[2];
    for (Size i = 0; i < p.size(); ++i) {
      const Size window = begin + i / (steps * width), step = i / width % steps;
      text += fmt::format("{},{},{},{:.9g},{:.9g}\n", window, data.test.target_start(window) + step,
                          csv_cell(data.target_name(static_cast<std::size_t>(i % width))),
                          p.data()[i], y.data()[i]);
    }
  }
  write_file(path, text);
}

}  // namespace

int evaluate(const EvaluateCommand& command) {
  RunConfig config = read_config(command.run);
  if (!command.data.empty()) config.settings.data = command.data;
  use_threads(config.settings);
  const Prepared data = read_data(command.run, config);
  const Forecaster model = read_model(command.run, config);
  const RunMetrics metrics{measure(model, data), measure_baselines(data, config.settings)};
  print_metrics(config.settings.model, metrics);
  if (!command.predictions.empty()) write_predictions(command.predictions, model, data);
  return 0;
}

int predict(const PredictCommand& command) {
  RunConfig config = read_config(command.run);
  Settings& s = config.settings;
  if (s.current)
    ag::fail("forecast", "'", command.run.string(),
             "' was trained with --current: it needs the other variables of a row that the table "
             "does not hold");
  s.columns = config.series.names;  // whatever else the new table holds
  const Series series = read_series(command.data, s);
  if (series.rows() < s.lookback)
    ag::fail("forecast", "'", command.data, "' has ", series.rows(), " rows, but the model looks ",
             s.lookback, " back");
  if (series.dates && series.dates->step_text() != config.series.step)
    ag::fail("forecast", "'", command.data, "' has a row for every ", series.dates->step_text(),
             ", but the model was trained on steps of ", config.series.step);
  const Forecaster model = read_model(command.run, config);
  const auto scaler = read_scaler(command.run, static_cast<Size>(s.columns.size()));
  const auto last = ag::take_rows(series.values, {series.rows() - s.lookback, series.rows()});
  const ag::Tensor<float> x(scaler.transform(last));
  const auto y =
      model(ag::constant(x.reshaped({1, s.lookback, static_cast<Size>(s.columns.size())}))).value();
  const auto forecast = scaler.select(config.series.targets).inverse(ag::Tensor<double>(y));

  std::string text = series.dates ? csv_cell(series.dates->column) : "step";
  for (const Size t : config.series.targets)
    text += ',' + csv_cell(s.columns[static_cast<std::size_t>(t)]);
  text += '\n';
  const Size width = static_cast<Size>(config.series.targets.size());
  const Names dates = series.dates ? series.dates->next(s.horizon) : Names{};
  for (Size h = 0; h < s.horizon; ++h) {
    text += series.dates ? dates[static_cast<std::size_t>(h)] : std::to_string(h + 1);
    for (Size k = 0; k < width; ++k) text += fmt::format(",{:.9g}", forecast.data()[h * width + k]);
    text += '\n';
  }
  if (command.output.empty())
    fmt::print("{}", text);
  else
    write_file(command.output, text);
  return 0;
}

}  // namespace forecast
