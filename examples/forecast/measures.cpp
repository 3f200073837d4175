#include "measures.hpp"

#include <algorithm>
#include <numeric>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/explain/importance.hpp>

#include "forecaster.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

// Rows are targets: their sum.
std::vector<double> over_targets(const ag::Tensor<double>& importance) {
  const auto sum = ag::sum(ag::constant(importance), 0).value();
  return shares({sum.begin(), sum.end()});
}

// (1,1,variables): 1, the deviation in training rows in the unit of x; 0 where there is none.
Var<float> moves_in_training(const Prepared& data) {
  const std::vector<bool> rest = at_rest_in_training(data);
  ag::Tensor<float> unit({1, 1, static_cast<Size>(rest.size())}, 1.f);
  for (std::size_t v = 0; v < rest.size(); ++v)
    if (rest[v]) unit.mutable_data()[v] = 0;
  return ag::constant(unit);
}

// The value of x, the gradient times `unit`.
Var<float> in_units(const Var<float>& x, const Var<float>& unit) {
  const Var<float> fixed = x.detach();
  return fixed + (x - fixed) * unit;
}

// 1 at a position of the axis of (1, lookback, variables), 0 elsewhere; broadcast over the rest.
Var<float> mask_of(ag::Axis axis, Size position, const ag::Shape& x) {
  const bool time = axis == ag::Axis::time;
  ag::Tensor<float> mask(time ? ag::Shape{1, x[1], 1} : ag::Shape{1, 1, x[2]}, 0.f);
  mask.mutable_data()[position] = 1;
  return ag::constant(mask);
}

}  // namespace

std::vector<double> shares(std::vector<double> values) {
  for (double& v : values) v = std::max(v, 0.);
  const double total = std::accumulate(values.begin(), values.end(), 0.);
  if (total > 0)
    for (double& v : values) v /= total;
  return values;
}

std::vector<double> gradient_shares(const Forecaster& model, const Prepared& data,
                                    const ag::Dataset<float>& windows, ag::Axis axis) {
  const Var<float> training = moves_in_training(data);
  const auto mean_forecast = [&](const Var<float>& x) {
    const Var<float> unit =
        model.normalises() ? sqrt(var(x.detach(), ag::Axis::time, {.keep = true})) : training;
    return mean(model(in_units(x, unit)), ag::Axis::time);  // (B, targets)
  };
  return over_targets(
      ag::input_gradients(mean_forecast, windows, {.axis = axis, .batch_size = 64}));
}

std::vector<double> permutation_shares(const Forecaster& model, const ag::Dataset<float>& windows,
                                       ag::Axis axis, std::uint64_t seed) {
  return over_targets(ag::permutation_importance([&](const Var<float>& x) { return model(x); },
                                                 windows,
                                                 {.axis = axis, .seed = seed, .batch_size = 64}));
}

std::vector<double> permutation_shares_within(const Forecaster& model,
                                              const ag::Dataset<float>& window,
                                              const ag::Dataset<float>& others, ag::Axis axis) {
  constexpr Size batch = 64;
  const Var<float> x = ag::constant(window.x), y = ag::constant(window.y);
  const auto error = [&](const Var<float>& input) {
    return double{mean(square(model(input) - y)).item()};
  };
  const double undisturbed = error(x);
  const ag::Shape shape = window.x.shape();
  std::vector<double> grown(static_cast<std::size_t>(shape[axis == ag::Axis::time ? 1 : 2]));
  for (std::size_t p = 0; p < grown.size(); ++p) {
    const Var<float> mask = mask_of(axis, static_cast<Size>(p), shape);
    double sum = 0;
    for (Size begin = 0; begin < others.samples(); begin += batch) {
      const auto part = others.take(begin, std::min(others.samples(), begin + batch));
      sum += error(x * (1.f - mask) + ag::constant(part.x) * mask) *
             static_cast<double>(part.samples());
    }
    grown[p] = sum / static_cast<double>(others.samples()) - undisturbed;
  }
  return shares(std::move(grown));
}

std::vector<Size> windows_at_rest(const ag::Tensor<float>& windows) {
  const Size samples = windows.shape()[0], steps = windows.shape()[1], width = windows.shape()[2];
  std::vector<Size> counts(static_cast<std::size_t>(width), 0);
  for (Size b = 0; b < samples; ++b)
    for (Size v = 0; v < width; ++v) {
      const float* first = windows.data() + b * steps * width + v;
      Size t = 1;
      while (t < steps && first[t * width] == *first) ++t;
      counts[static_cast<std::size_t>(v)] += t == steps;
    }
  return counts;
}

std::vector<bool> at_rest_in_training(const Prepared& data) {
  const Size width = data.series.values.shape()[1];
  std::vector<bool> rest(static_cast<std::size_t>(width), true);
  const double* v = data.series.values.data();
  for (Size r = data.rows.train.begin; r < data.rows.train.end; ++r)
    for (Size c = 0; c < width; ++c)
      if (v[r * width + c] != v[data.rows.train.begin * width + c])
        rest[static_cast<std::size_t>(c)] = false;
  return rest;
}

}  // namespace forecast
