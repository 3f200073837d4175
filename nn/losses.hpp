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

/// Mean of losses (N, ...) times a weight (N) for each sample. Divided by the number of losses, not
/// by the sum of the weights, as in Keras.
template <Scalar T>
[[nodiscard]] Var<T> weighted_mean(const Var<T>& losses, const Same<Var<T>>& weights) {
  if (losses.rank() < 1 || weights.shape() != Shape{losses.shape()[0]})
    fail("weighted_mean", "expects losses (N, ...) and weights (N), got ", losses.shape(), " and ",
         weights.shape());
  Shape stretched = weights.shape();
  while (stretched.rank() < losses.rank()) stretched = stretched.inserted(stretched.rank(), 1);
  return mean(losses * reshape(weights, stretched));
}

/// The loss of a batch, which may bring sample weights: the loss must then have .reduction.
template <class L, Scalar T>
[[nodiscard]] Var<T> batch_loss(const L& loss, const Var<T>& p, const Same<Var<T>>& t,
                                const Tensor<T>& weights) {
  if (weights.empty()) return loss(p, t);
  if constexpr (requires { loss(p, t, {.reduction = Reduction::none}); })
    return weighted_mean(loss(p, t, {.reduction = Reduction::none}), Var<T>(weights));
  else
    fail("fit",
         "the data has sample weights, but the loss has no .reduction to apply them to: take mse "
         "or another loss of the library, or weight inside your own");
}

}  // namespace axisgrad
