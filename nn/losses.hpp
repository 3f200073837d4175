// Losses beside the pointwise ones of autograd/ops.hpp (mse, mae, binary_crossentropy and
// binary_crossentropy_from_logits). Each is an object with (prediction, target) -> loss; fit()
// takes any callable of that form.
#pragma once
#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>

namespace axisgrad {

/// Called with a prediction and a target it gives one number, the mean over the samples.
template <class L, class T>
concept LossFor = Scalar<T> && requires(const L& loss, const Var<T>& p, const Var<T>& t) {
  { loss(p, t) } -> std::convertible_to<Var<T>>;
};

struct HuberOptions {
  double delta = 1;  // where the square turns into a straight line; greater than 0
  Reduction reduction = Reduction::mean;
};

namespace detail {

template <Scalar T>
Var<T> reduced(const Var<T>& x, Reduction reduction) {
  if (reduction == Reduction::mean) return mean(x);
  return reduction == Reduction::sum ? sum(x) : x;
}

template <Scalar T>
void require_classes(std::string_view loss, const Var<T>& p, const Var<T>& t) {
  if (p.shape() != t.shape())
    fail(loss, "prediction and target differ in shape: got ", p.shape(), " and ", t.shape());
  if (p.rank() < 1) fail(loss, "needs an axis of classes, got ", p.shape());
}

struct Huber {
  static constexpr std::string_view name = "huber";
  template <Scalar T>
  [[nodiscard]] Var<T> operator()(const Var<T>& p, const Same<Var<T>>& t,
                                  HuberOptions options = {}) const {
    if (p.shape() != t.shape())
      fail(name, "prediction and target differ in shape: got ", p.shape(), " and ", t.shape());
    if (!(options.delta > 0)) fail(name, "delta must be greater than 0, got ", options.delta);
    const T delta = static_cast<T>(options.delta);
    const Var<T> d = abs(p - t);
    const Var<T> loss =
        where(greater(d, Var<T>(delta)), delta * d - delta * delta / 2, square(d) * T(.5));
    return reduced(loss, options.reduction);
  }
};

struct CategoricalCrossentropy {
  static constexpr std::string_view name = "categorical_crossentropy";
  template <Scalar T>
  [[nodiscard]] Var<T> operator()(const Var<T>& p, const Same<Var<T>>& t,
                                  LossOptions options = {}) const {
    require_classes(name, p, t);
    const Var<T> share = p / sum(p, -1, {.keep = true});
    const Var<T> low(T(1e-7)), high(T(1 - 1e-7));
    const Var<T> clipped = where(share < low, low, where(share > high, high, share));
    return reduced(-sum(t * log(clipped), -1), options.reduction);
  }
};

struct CategoricalCrossentropyFromLogits {
  static constexpr std::string_view name = "categorical_crossentropy_from_logits";
  template <Scalar T>
  [[nodiscard]] Var<T> operator()(const Var<T>& p, const Same<Var<T>>& t,
                                  LossOptions options = {}) const {
    require_classes(name, p, t);
    // The loss does not change when all logits of a row do, so the maximum needs no gradient.
    const Var<T> z = p - stop_gradient(max(p, -1, {.keep = true}));
    const Var<T> log_sum = log(sum(exp(z), -1, {.keep = true}));
    return reduced(sum(t * (log_sum - z), -1), options.reduction);
  }
};

}  // namespace detail

/// d^2 / 2 where d = |p - t| <= delta, else delta (d - delta/2).
inline constexpr detail::Huber huber{};
/// -sum over the last axis of t log p, mean over the rest. As in Keras p is first divided by its
/// sum over the classes, which has a share in the gradient, then clipped to [1e-7, 1 - 1e-7].
inline constexpr detail::CategoricalCrossentropy categorical_crossentropy{};
/// The same of logits: p = softmax over the last axis; exact for logits of any size.
inline constexpr detail::CategoricalCrossentropyFromLogits categorical_crossentropy_from_logits{};

}  // namespace axisgrad
