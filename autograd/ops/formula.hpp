// What the formulas of pointwise ops share (see pointwise.hpp).
#pragma once
#include <array>
#include <string_view>

namespace axisgrad {

/// Test inputs are drawn from [low, high], at least `gap` away from zero; whole numbers only where
/// equal or zero inputs are a case of their own.
struct Range {
  double low = -3, high = 3, gap = 0;
  bool whole = false;
};

namespace formulas {

// 1 / (1 + e^-x): right in both tails, since e^-x may be infinite but not NaN. A Var has an op of
// that name.
template <class V>
V logistic(const V& x) {
  if constexpr (requires { sigmoid(x); })
    return sigmoid(x);
  else
    return V(1) / (V(1) + exp(-x));
}

}  // namespace formulas
}  // namespace axisgrad
