// The Keras-style attention blocks: a gate per position, x * softmax(Dense(x)), no sum. Known from
// philipperemy's keras-attention (version of 2017) and its forks. They weight positions by what
// stands there; they are not content attention, in which positions look at each other.
#pragma once
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/module.hpp>

namespace axisgrad {

struct BlockOptions {
  /// One attention vector for all channels: the mean of theirs.
  bool single_attention_vector = false;
};

namespace detail {

template <Scalar T>
void require_rank_3(const Var<T>& x, std::string_view block, const char* axis_name, int axis,
                    Size size) {
  if (x.rank() != 3 || x.shape()[axis] != size)
    fail(block, "expects (batch, time, feature) with ", size, ' ', axis_name, ", got ", x.shape());
}

// x times the softmax of the scores along `axis`, or times its mean over the other axis.
template <Scalar T>
Attended<T> gate(const Var<T>& x, const Var<T>& scores, Axis axis, Axis other,
                 BlockOptions options) {
  Var<T> weights = softmax(scores, axis);
  if (options.single_attention_vector)
    weights = expand(mean(weights, other, {.keep = true}), x.shape());
  return {x * weights, weights, scores};
}

}  // namespace detail

/// Attention over time steps. For each feature f: a[b,:,f] = softmax over time of x[b,:,f] kernel +
/// bias; out = x * a. x (B,T,F) -> out, weights, scores (B,T,F); the weights sum to 1 over axis 1.
/// kernel (T,T), bias (T), shared by the features, so T*T + T parameters.
template <Scalar T>
class TimeAttentionBlock {
 public:
  using scalar = T;

  explicit TimeAttentionBlock(Size time_steps, BlockOptions options = {})
      : kernel(Shape{time_steps, time_steps}),
        bias(Shape{time_steps}, Init::zeros),
        options_(options) {
    if (time_steps < 1)
      fail("TimeAttentionBlock", "needs at least one time step, got ", time_steps);
  }

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return with_weights(x).out;
  }
  template <Scalar U>
  [[nodiscard]] Attended<U> with_weights(const Var<U>& x) const {
    const Size steps = bias.shape()[0];
    detail::require_rank_3(x, "TimeAttentionBlock", "time steps", 1, steps);
    // The Dense acts on the time axis where it lies: scores[b] = kernel^T x[b] + bias, no
    // transposition of x.
    const Var<U> scores =
        matmul(watch(kernel, x), x, {.transpose_a = true}) + reshape(watch(bias, x), {steps, 1});
    return detail::gate(x, scores, Axis::time, Axis::feature, options_);
  }

  void visit(auto&& visitor) { visitor("kernel", kernel), visitor("bias", bias); }

  Parameter<T> kernel, bias;

 private:
  BlockOptions options_;
};

/// Attention over features (variables). For each step t: a[b,t,:] = softmax over features of
/// x[b,t,:] kernel + bias; out = x * a. x (B,T,F) -> out, weights, scores (B,T,F); the weights sum
/// to 1 over axis 2. kernel (F,F), bias (F), shared by the steps, so F*F + F parameters.
template <Scalar T>
class FeatureAttentionBlock {
 public:
  using scalar = T;

  explicit FeatureAttentionBlock(Size features, BlockOptions options = {})
      : kernel(Shape{features, features}), bias(Shape{features}, Init::zeros), options_(options) {
    if (features < 1) fail("FeatureAttentionBlock", "needs at least one feature, got ", features);
  }

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return with_weights(x).out;
  }
  template <Scalar U>
  [[nodiscard]] Attended<U> with_weights(const Var<U>& x) const {
    detail::require_rank_3(x, "FeatureAttentionBlock", "features", 2, bias.shape()[0]);
    return detail::gate(x, matmul(x, watch(kernel, x)) + watch(bias, x), Axis::feature, Axis::time,
                        options_);
  }

  void visit(auto&& visitor) { visitor("kernel", kernel), visitor("bias", bias); }

  Parameter<T> kernel, bias;

 private:
  BlockOptions options_;
};

}  // namespace axisgrad
