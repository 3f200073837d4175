#include "evidence.hpp"

#include <chrono>
#include <cmath>

#include <axisgrad/nn/data/scaler.hpp>
#include <axisgrad/nn/data/split.hpp>
#include <axisgrad/nn/data/windows.hpp>
#include <axisgrad/nn/explain/dependence.hpp>
#include <axisgrad/nn/explain/importance.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/fit.hpp>

namespace planted {
namespace {

constexpr ag::Size series = 8;  // that have parents

// Standardised by what training may know, in the order of time.
struct Data {
  explicit Data(const Task& task)
      : made(ag::planted_dependency<double>(
            {.kind = task.kind, .points = task.points, .series = series, .seed = task.seed})),
        rows(ag::split_in_order(task.points, ag::SplitFractions{.7, .1, .2})) {
    scaler.fit(made.values, rows.train);
    values = ag::Tensor<float>(scaler.transform(made.values));
  }
  ag::Windows<float> windows(ag::Rows part) const {
    return {values, part, {.lookback = window, .horizon = 1}};
  }

  ag::PlantedDependency<double> made;
  ag::RowSplit rows;
  ag::StandardScaler scaler;
  ag::Tensor<float> values;
};

// The largest absolute element over the first axis.
ag::Tensor<double> largest(const ag::Tensor<double>& x) {
  return ag::max(abs(ag::constant(x)), 0).value();
}

// (N,H,V,V) -> (H,V,V)
ag::Tensor<double> mean_over_samples(const ag::Tensor<float>& weights) {
  return ag::mean(ag::constant(ag::Tensor<double>(weights)), 0).value();
}
ag::Tensor<double> mean_over_heads(const ag::Tensor<double>& weights) {
  return ag::mean(ag::constant(weights), 0).value();
}

// (variance - MSE) / (variance - what no forecast can know), over the series that have parents, in
// standardised units.
double explained(const Data& data, const ag::Tensor<float>& forecast, const ag::Tensor<float>& y) {
  double variance = 0, error = 0, floor = 0;
  const ag::Size n = y.shape()[0];
  for (ag::Size v = 0; v < series; ++v) {
    double mean = 0, squares = 0;
    for (ag::Size i = 0; i < n; ++i) {
      const double t = y(i, 0, v), d = t - forecast(i, 0, v);
      mean += t / static_cast<double>(n), squares += t * t / static_cast<double>(n);
      error += d * d / static_cast<double>(n);
    }
    variance += squares - mean * mean;
    const double unit = data.scaler.deviation()(v);
    floor += data.made.noise_variance(v) / (unit * unit);
  }
  return (variance - error) / (variance - floor);
}

void add_attention(Evidence& evidence, const Forecaster& model, const ag::Tensor<float>& x) {
  std::vector<ag::Tensor<double>> maps;
  const auto layers = static_cast<int>(model.layers.size());
  for (int l = 0; l < layers; ++l) {
    const auto by_head = mean_over_samples(
        ag::predict([&](const auto& batch) { return model.weights(batch, l); }, x));
    maps.push_back(mean_over_heads(by_head));
    evidence.matrices.push_back(
        {layers == 1 ? "attention" : "attention, layer " + std::to_string(l + 1), maps.back()});
    if (layers == 1) evidence.matrices.push_back({"attention, largest head", largest(by_head)});
  }
  if (layers == 1) return;
  ag::Var<double> sum(0.);
  for (const auto& map : maps) sum = sum + ag::constant(map);
  evidence.matrices.push_back({"attention, mean of layers", sum.value()});
  evidence.matrices.push_back({"attention, rollout", ag::attention_rollout(maps)});
}

}  // namespace

Evidence of_series(const Task& task) {
  const Data data(task);
  const auto x = ag::take_rows(data.values, data.rows.train);
  Evidence evidence;
  evidence.matrices.push_back(
      {"correlation, lag 1", ag::lagged_correlation(x, {.first = 1, .last = 1})});
  evidence.matrices.push_back({"correlation, largest of lags 1..3", ag::lagged_correlation(x)});
  evidence.matrices.push_back(
      {"least squares, VAR(3)", largest(ag::vector_autoregression(x, {.lags = 3}))});
  return evidence;
}

Evidence of_network(const Task& task) {
  const auto start = std::chrono::steady_clock::now();
  const Data data(task);
  ForecasterOptions network = task.network;
  network.variables = data.values.shape()[1];
  Forecaster model(network);
  const auto parameters = ag::parameters(model);
  ag::initialise(parameters, task.seed);
  ag::Adam<float> adam({.learning_rate = 2e-3});
  const auto validation = data.windows(data.rows.validation);
  ag::fit(model, parameters, adam, ag::mse, data.windows(data.rows.train), validation,
          {.epochs = task.epochs,
           .batch_size = 64,
           .seed = task.seed,
           .early_stopping = {.patience = 10},
           .verbose = ag::Verbose::silent,
           .handle_interrupt = false});

  const auto test = data.windows(data.rows.test).dataset();
  Evidence evidence{.explained = explained(data, ag::predict(model, test.x), test.y)};
  add_attention(evidence, model, test.x);
  evidence.matrices.push_back({"|gradient|", ag::input_gradients(model, test)});
  evidence.matrices.push_back(
      {"permutation", ag::permutation_importance(model, test, {.seed = task.seed})});
  evidence.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return evidence;
}

ag::Tensor<double> truth(const Task& task) { return Data(task).made.truth; }

ag::MatrixScore score(const Task& task, const ag::Tensor<double>& matrix) {
  const ag::Rows scored{0, series};
  return ag::attention_score(ag::take_rows(matrix, scored), ag::take_rows(truth(task), scored));
}

double share_of_noise(const ag::Tensor<double>& matrix) {
  double all = 0, noise = 0;
  for (ag::Size i = 0; i < series; ++i)
    for (ag::Size j = 0; j < matrix.shape()[1]; ++j) {
      const double value = i == j ? 0 : std::max(matrix(i, j), 0.);
      all += value;
      if (j >= series) noise += value;
    }
  return noise / all;
}

}  // namespace planted
