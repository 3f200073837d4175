#include "linear.hpp"

#include <algorithm>

namespace forecast {
namespace {

namespace ag = axisgrad;

ag::Tensor<float> moving_average(Size steps) {
  constexpr Size kernel = 25;
  ag::Tensor<float> matrix({steps, steps}, 0.f);
  float* to = matrix.mutable_data();
  for (Size t = 0; t < steps; ++t)
    for (Size k = t - kernel / 2; k <= t + kernel / 2; ++k)
      to[std::clamp(k, Size{0}, steps - 1) * steps + t] += 1.f / kernel;
  return matrix;
}

}  // namespace

DLinear::DLinear(const ModelContext& c)
    : targets_(c.targets),
      average_(moving_average(c.settings.lookback)),
      trend_(c.settings.lookback, c.settings.horizon),
      remainder_(c.settings.lookback, c.settings.horizon) {}

Var<float> DLinear::operator()(const Var<float>& x) const {
  const auto series = swap_axes(take(x, targets_, ag::Axis::feature), 1, 2);  // (B, targets, T)
  const auto trend = matmul(series, ag::constant(average_));
  return swap_axes(trend_(trend) + remainder_(series - trend), 1, 2);
}

}  // namespace forecast
