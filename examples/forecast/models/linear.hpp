// The rules that every network is measured against, and DLinear.
#pragma once
#include <axisgrad/nn/data/baselines.hpp>
#include <axisgrad/nn/dense.hpp>

#include "../models.hpp"

namespace forecast {

/// The columns to forecast of (B, T, variables).
[[nodiscard]] inline Var<float> targets_of(const Var<float>& x, const ModelContext& c) {
  return c.width() == c.variables ? x : take(x, c.targets, axisgrad::Axis::feature);
}

class Repeat {
 public:
  using scalar = float;
  explicit Repeat(const ModelContext& c) : targets_(c.targets), horizon_(c.settings.horizon) {}
  Var<float> operator()(const Var<float>& x) const {
    return axisgrad::constant(axisgrad::repeat_last(x.value(), horizon_, targets_));
  }
  void visit(auto&&) {}

 private:
  std::vector<Size> targets_;
  Size horizon_;
};

class Seasonal {
 public:
  using scalar = float;
  explicit Seasonal(const ModelContext& c)
      : targets_(c.targets), horizon_(c.settings.horizon), season_(c.season) {}
  Var<float> operator()(const Var<float>& x) const {
    return axisgrad::constant(axisgrad::repeat_season(x.value(), horizon_, season_, targets_));
  }
  void visit(auto&&) {}

 private:
  std::vector<Size> targets_;
  Size horizon_, season_;
};

/// y - m = W^T (x - m) + b with m the mean of a window's series: see LeastSquares.
class Linear {
 public:
  using scalar = float;
  explicit Linear(const ModelContext& c)
      : kernel({c.settings.lookback, c.settings.horizon}),
        bias({c.settings.horizon}, axisgrad::Init::zeros),
        targets_(c.targets),
        ridge_(c.settings.ridge) {}
  Var<float> operator()(const Var<float>& x) const {
    const auto series = take(x, targets_, axisgrad::Axis::feature);
    const auto m = mean(series, axisgrad::Axis::time, {.keep = true});
    const auto past = swap_axes(series - m, 1, 2);  // (B, targets, T)
    return swap_axes(matmul(past, watch(kernel, x)) + watch(bias, x), 1, 2) + m;
  }
  void solve(const axisgrad::Windows<float>& train) {
    const axisgrad::LeastSquares found(train, {.ridge = ridge_});
    kernel.set_value(axisgrad::Tensor<float>(found.matrix()));
    bias.set_value(axisgrad::Tensor<float>(found.intercept().reshaped(bias.shape())));
  }
  void visit(auto&& visitor) { visitor("kernel", kernel), visitor("bias", bias); }

  axisgrad::Parameter<float> kernel, bias;

 private:
  std::vector<Size> targets_;
  double ridge_;
};

/// The moving average over 25 steps, ends repeated, and what remains: a matrix for each, added.
class DLinear {
 public:
  using scalar = float;
  explicit DLinear(const ModelContext& c);
  Var<float> operator()(const Var<float>& x) const;
  void visit(auto&& visitor) { visitor("trend", trend_), visitor("remainder", remainder_); }

 private:
  std::vector<Size> targets_;
  axisgrad::Tensor<float> average_;  // (T, T): x average_ is the moving average
  axisgrad::Dense<float> trend_, remainder_;
};

}  // namespace forecast
