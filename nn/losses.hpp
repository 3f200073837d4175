// What fit() takes as a loss. The losses themselves are ops: mse, mae, huber, binary_crossentropy,
// categorical_crossentropy and their relatives in autograd/ops.hpp.
#pragma once
#include <concepts>

#include <axisgrad/autograd/ops.hpp>

namespace axisgrad {

/// Called with a prediction and a target it gives one number, the mean over the samples. For other
/// options than the default write a lambda:
///   [](auto p, auto t) { return huber(p, t, {.delta = .1}); }
template <class L, class T>
concept LossFor = Scalar<T> && requires(const L& loss, const Var<T>& p, const Var<T>& t) {
  { loss(p, t) } -> std::convertible_to<Var<T>>;
};

}  // namespace axisgrad
