// Attention code as it is asked about in forums, with its mistakes: they run, and which_axis() says
// what they do instead of what was meant. Each is followed by the right form.
#pragma once
#include <cmath>

#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>

namespace lesson {

namespace ag = axisgrad;

/// "Each variable attends over its own time steps", of (B,T,V): every value is lifted to d numbers,
/// which must be reordered to (B,V,T,d). A reshape to that shape is not a transposition: in memory
/// the order is (B,T,V,d), and what it calls variable 0 is the first few steps of all variables.
template <ag::Scalar T>
struct PerVariable {
  using scalar = T;
  enum class Reorder { by_reshape, by_transpose };

  PerVariable(Reorder how, ag::Size d) : lift(1, d), reorder(how) {}

  template <ag::Scalar U>
  ag::Attended<U> with_weights(const ag::Var<U>& x) const {
    const ag::Size b = x.shape()[0], t = x.shape()[1], v = x.shape()[2];
    const ag::Var<U> lifted = lift(ag::reshape(x, {b, t, v, 1}));
    const ag::Size d = lifted.shape()[3];
    if (reorder == Reorder::by_transpose) {
      auto a = attend(ag::swap_axes(lifted, 1, 2));
      return {ag::swap_axes(a.out, 1, 2), a.weights, a.scores};
    }
    auto a = attend(ag::reshape(lifted, {b, v, t, d}));
    return {ag::reshape(a.out, {b, t, v, d}), a.weights, a.scores};
  }
  void visit(auto&& visitor) { visitor("lift", lift); }

  ag::Dense<T> lift;
  Reorder reorder;

 private:
  template <ag::Scalar U>
  static ag::Attended<U> attend(const ag::Var<U>& x) {
    return ag::scaled_dot_product_attention_with_weights(x, x, x);
  }
};

/// The feature block with one attention vector, whose mean over time is repeated: by input_dim in
/// the code that goes round, which gives (B,F,F), by the number of steps as it must be.
template <ag::Scalar T>
struct RepeatedFeatureBlock {
  using scalar = T;

  RepeatedFeatureBlock(ag::Size features, ag::Size repeats_)
      : dense(features, features), repeats(repeats_) {}

  template <ag::Scalar U>
  ag::Attended<U> with_weights(const ag::Var<U>& x) const {
    const ag::Var<U> a = ag::mean(ag::softmax(dense(x), -1), ag::Axis::time, {.keep = true});
    const ag::Var<U> weights = ag::repeat(a, repeats, ag::Axis::time);
    return {x * weights, weights, {}};
  }
  void visit(auto&& visitor) { visitor("dense", dense); }

  ag::Dense<T> dense;
  ag::Size repeats;
};

/// A "time attention" without the Permute around it: Dense and softmax act on the last axis, which
/// holds features.
template <ag::Scalar T>
struct TimeBlockWithoutPermute {
  using scalar = T;

  explicit TimeBlockWithoutPermute(ag::Size features) : dense(features, features) {}

  template <ag::Scalar U>
  ag::Attended<U> with_weights(const ag::Var<U>& x) const {
    const ag::Var<U> weights = ag::softmax(dense(x), -1);
    return {x * weights, weights, {}};
  }
  void visit(auto&& visitor) { visitor("dense", dense); }

  ag::Dense<T> dense;
};

/// Scores (B,T,1), one for each step, and their softmax over the last axis in place of time: every
/// weight is 1, and the context is a plain sum. With .axis = time it is the attention that was
/// meant.
template <ag::Scalar T>
struct PooledOverTime {
  using scalar = T;

  PooledOverTime(ag::Size features, ag::Axis axis) : score(features, 1), softmax_axis(axis) {}

  template <ag::Scalar U>
  ag::Attended<U> with_weights(const ag::Var<U>& x) const {
    const ag::Var<U> weights = ag::softmax(ag::tanh(score(x)), softmax_axis);
    return {ag::sum(x * weights, ag::Axis::time), weights, {}};
  }
  void visit(auto&& visitor) { visitor("score", score); }

  ag::Dense<T> score;
  ag::Axis softmax_axis;
};

/// What Keras's MultiHeadAttention(attention_axes=2) computes for (B,T,F), meant to let variables
/// attend to variables: the projections always contract the last axis, so that axis 2 of q
/// (B,T,H,P) holds the heads, and heads attend to heads within each step.
template <ag::Scalar T>
struct KerasAttentionAxes2 {
  using scalar = T;

  KerasAttentionAxes2(ag::Size features, ag::Size heads_, ag::Size key_dim)
      : query(features, heads_ * key_dim),
        key(features, heads_ * key_dim),
        value(features, heads_ * key_dim),
        output(heads_ * key_dim, features),
        heads(heads_) {}

  template <ag::Scalar U>
  ag::Attended<U> with_weights(const ag::Var<U>& x) const {
    const ag::Size b = x.shape()[0], t = x.shape()[1];
    const auto by_head = [&](const ag::Var<U>& y) {
      return ag::reshape(y, {b, t, heads, y.shape()[2] / heads});
    };
    const auto a = ag::scaled_dot_product_attention_with_weights(by_head(query(x)), by_head(key(x)),
                                                                 by_head(value(x)));
    return {output(ag::reshape(a.out, {b, t, a.out.size() / (b * t)})), a.weights, a.scores};
  }
  void visit(auto&& visitor) {
    visitor("query", query), visitor("key", key), visitor("value", value);
    visitor("output", output);
  }

  ag::Dense<T> query, key, value, output;
  ag::Size heads;
};

/// "Heads cut from the features", meant to return the input's shape: x (B,T,F) is reshaped to
/// (B,T,H,F/H) before the Dense, and the usual separation of heads then takes T*H pieces for steps:
/// a token is the piece of a step that holds F/H of its variables.
template <ag::Scalar T>
struct FeaturesCutIntoHeads {
  using scalar = T;

  FeaturesCutIntoHeads(ag::Size features, ag::Size heads_, ag::Size width)
      : query(features / heads_, width),
        key(features / heads_, width),
        value(features / heads_, width),
        output(heads_ * width, features),
        heads(heads_) {}

  template <ag::Scalar U>
  ag::Attended<U> with_weights(const ag::Var<U>& x) const {
    const ag::Size b = x.shape()[0], t = x.shape()[1], f = x.shape()[2];
    const ag::Var<U> cut = ag::reshape(x, {b, t, heads, f / heads});
    const auto separate = [&](const ag::Var<U>& y) {  // (B,T,H,width) -> (B,H,T*H,width/H)
      return ag::swap_axes(ag::reshape(y, {b, t * heads, heads, y.shape()[3] / heads}), 1, 2);
    };
    const auto a = ag::scaled_dot_product_attention_with_weights(
        separate(query(cut)), separate(key(cut)), separate(value(cut)));
    const ag::Var<U> joined =
        ag::reshape(ag::swap_axes(a.out, 1, 2), {b, t, a.out.size() / (b * t)});
    return {output(joined), a.weights, a.scores};
  }
  void visit(auto&& visitor) {
    visitor("query", query), visitor("key", key), visitor("value", value);
    visitor("output", output);
  }

  ag::Dense<T> query, key, value, output;
  ag::Size heads;
};

}  // namespace lesson
