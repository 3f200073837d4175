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

}  // namespace forecast
