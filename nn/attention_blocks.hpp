// The Keras-style attention blocks: a gate per position, x * softmax(Dense(x)), no sum. Known from
// philipperemy's keras-attention (version of 2017) and its forks; docs/questions.md, 9 and 11. They
// weight positions by what stands there; they are not content attention, in which positions look at
// each other.
#pragma once
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/gate.hpp>
#include <axisgrad/nn/dense.hpp>

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
/// bias; out = x * a, in the unit of x. x (B,T,F) -> out, weights, scores (B,T,F); the weights sum
/// to 1 over axis 1. kernel (T,T), bias (T), shared by the features, so T*T + T parameters. Error
/// for fewer than one step, and for an x of another rank or number of steps.
template <Scalar T>
class TimeAttentionBlock {
 public:
  using scalar = T;

  explicit TimeAttentionBlock(Size time_steps, BlockOptions options = {})
      : kernel(shape(time_steps)), bias(Shape{time_steps}, Init::zeros), options_(options) {}

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    if (options_.single_attention_vector) return with_weights(x).out;
    require(x);
    return time_gate(x, watch(kernel, x), watch(bias, x)).out;
  }
  template <Scalar U>
  [[nodiscard]] Attended<U> with_weights(const Var<U>& x) const {
    require(x);
    // The Dense acts on the time axis where it lies: scores[b] = kernel^T x[b] + bias, no
    // transposition of x.
    const Var<U> scores =
        matmul(watch(kernel, x), x, {.transpose_a = true}) + unsqueeze(watch(bias, x), 1);
    return detail::gate(x, scores, Axis::time, Axis::feature, options_);
  }

  void visit(auto&& visitor) { visitor("kernel", kernel), visitor("bias", bias); }

  Parameter<T> kernel, bias;

 private:
  static Shape shape(Size time_steps) {
    if (time_steps < 1)
      fail("TimeAttentionBlock", "needs at least one time step, got ", time_steps);
    return {time_steps, time_steps};
  }
  template <Scalar U>
  void require(const Var<U>& x) const {
    detail::require_rank_3(x, "TimeAttentionBlock", "time steps", 1, bias.shape()[0]);
  }

  BlockOptions options_;
};

/// Attention over features (variables). For each step t: a[b,t,:] = softmax over features of
/// x[b,t,:] kernel + bias; out = x * a, in the unit of x. x (B,T,F) -> out, weights, scores
/// (B,T,F); the weights sum to 1 over axis 2. kernel (F,F), bias (F), shared by the steps, so F*F +
/// F parameters. Error for fewer than one feature, and for an x of another rank or number of
/// features.
template <Scalar T>
class FeatureAttentionBlock {
 public:
  using scalar = T;

  explicit FeatureAttentionBlock(Size features, BlockOptions options = {})
      : kernel(shape(features)), bias(Shape{features}, Init::zeros), options_(options) {}

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
  static Shape shape(Size features) {
    if (features < 1) fail("FeatureAttentionBlock", "needs at least one feature, got ", features);
    return {features, features};
  }

  BlockOptions options_;
};

/// How time and feature attention are combined; a_t and a_f are the weights of the two blocks.
///   product            out = x a_t(x) a_f(x): both see x, the order does not matter
///   time_then_feature  y = x a_t(x), out = y a_f(y): the second sees the first's output
///   feature_then_time  the same in the other order; a different function
///   joint              out = x a, a = one softmax over all T*F positions of Dense(T*F)(x)
enum class BothForm { product, time_then_feature, feature_then_time, joint };

struct BothOptions {
  BothForm form = BothForm::product;
  bool single_attention_vector =
      false;  // of both blocks; the joint form has no channels to average
};

/// out = x * weights; weights = time_weights * feature_weights, which the joint form has not.
template <Scalar T>
struct AttendedBoth {
  Var<T> out, weights, time_weights, feature_weights;
};

/// Attention over time steps and features at once, in the form chosen: x (B,T,F) -> out and all
/// weights (B,T,F), out in the unit of x. Parameters time.kernel, time.bias, feature.kernel,
/// feature.bias; those of the joint form are kernel (T*F,T*F) and bias (T*F). Error for a size
/// below 1, a single vector in the joint form, and an x of other sizes.
template <Scalar T>
class BothAttentionBlocks {
 public:
  using scalar = T;

  BothAttentionBlocks(Size time_steps, Size features, BothOptions options = {})
      : time(time_steps, {options.single_attention_vector}),
        feature(features, {options.single_attention_vector}),
        joint(time_steps * features, time_steps * features),
        form_(options.form) {
    if (form_ == BothForm::joint && options.single_attention_vector)
      fail("BothAttentionBlocks", "single_attention_vector has no meaning in the joint form");
  }

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return with_weights(x).out;
  }
  template <Scalar U>
  [[nodiscard]] AttendedBoth<U> with_weights(const Var<U>& x) const {
    const Size steps = time.bias.shape()[0], features = feature.bias.shape()[0];
    if (x.rank() != 3 || x.shape()[1] != steps || x.shape()[2] != features)
      fail("BothAttentionBlocks", "expects (batch,", steps, ',', features, "), got ", x.shape());
    if (form_ == BothForm::joint) {
      const Var<U> weights = reshape(softmax(joint(flatten(x)), -1), x.shape());
      return {x * weights, weights, {}, {}};
    }
    const bool feature_first = form_ == BothForm::feature_then_time;
    const Var<U> first =
        feature_first ? feature.with_weights(x).weights : time.with_weights(x).weights;
    const Var<U> y = form_ == BothForm::product ? x : x * first;
    const Var<U> second =
        feature_first ? time.with_weights(y).weights : feature.with_weights(y).weights;
    const Var<U> weights = first * second;
    return {x * weights, weights, feature_first ? second : first, feature_first ? first : second};
  }

  void visit(auto&& visitor) {
    if (form_ == BothForm::joint)
      joint.visit(visitor);
    else
      visitor("time", time), visitor("feature", feature);
  }

  // The form decides which are parameters: joint, or the two blocks.
  TimeAttentionBlock<T> time;
  FeatureAttentionBlock<T> feature;
  Dense<T> joint;

 private:
  BothForm form_;
};

}  // namespace axisgrad
