// Each variable attends over its own history.
#pragma once
#include <axisgrad/nn/multi_head_attention.hpp>

namespace axisgrad {

/// How a single number becomes a vector of d: not at all (x has the vectors already), by one
/// Dense(1 -> d) for all variables, or by one for each.
enum class Lift { none, shared, separate };

struct PerVariableAttentionOptions {
  Size num_heads = 1, key_dim = 0;
  Size embed_size = 0;  // d
  Lift lift = Lift::shared;
  Size variables = 0;  // V, which the separate lift needs to know
  /// Of (B,T,V,d). Axis::time: steps of one variable attend to each other. Axis::feature: the
  /// variables at one step do.
  Axis axis = Axis::time;
  double dropout = 0;  // of the weights, in a training recording
  bool causal = false;
};

/// lifted (B,T,V,d) is what attends: x itself without a lift.
template <Scalar T>
struct AttendedLifted {
  Var<T> out, weights, scores, lifted;
};

/// MultiHeadAttention{.axis = 1} on rank 4, behind a lift: x (B,T,V), or (B,T,V,d) with Lift::none
/// -> out (B,T,V,d); weights (B,V,H,T,T), each row a distribution over the steps of the same
/// variable. No variable sees another. One set of projections serves all variables.
///
///   lifted[b,t,v,:] = x[b,t,v] kernel[v] + bias[v];  out = MultiHeadAttention{.axis = 1}(lifted)
///
/// Parameters lift.kernel (1,d) and lift.bias (d), or (V,d) both when separate; then those of
/// MultiHeadAttention, without a prefix. Masks are those of MultiHeadAttention with the batch axes
/// (B,V). Error for a size left out or an axis that is neither 1 nor 2; at a call for an x of
/// another rank, size of vectors or, with a lift for each, number of variables.
/// docs/questions.md, 5.
template <Scalar T>
class PerVariableAttention {
 public:
  using scalar = T;

  explicit PerVariableAttention(const PerVariableAttentionOptions& o)
      : attention({.num_heads = o.num_heads,
                   .key_dim = o.key_dim,
                   .axis = o.axis,
                   .embed_size = o.embed_size,
                   .dropout = o.dropout,
                   .causal = o.causal}),
        lift(o),
        options_(o) {
    if (o.axis.number != 1 && o.axis.number != 2)
      fail("PerVariableAttention", "attends along axis 1 or 2 of (B,T,V,d), got ", o.axis.number);
  }

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x,
                                  const Same<AttentionMasks<U>>& masks = {}) const {
    return attention(lifted(x, masks), masks);
  }
  template <Scalar U>
  [[nodiscard]] AttendedLifted<U> with_weights(const Var<U>& x,
                                               const Same<AttentionMasks<U>>& masks = {}) const {
    const Var<U> l = lifted(x, masks);
    const Attended<U> y = attention.with_weights(l, masks);
    return {y.out, y.weights, y.scores, l};
  }

  void visit(auto&& visitor) {
    if (options_.lift != Lift::none) visitor("lift", lift);
    attention.visit(visitor);
  }

  MultiHeadAttention<T> attention;
  struct Lifting {
    using scalar = T;
    explicit Lifting(const PerVariableAttentionOptions& o)
        : kernel(Shape{rows(o), o.embed_size}, Init::glorot_uniform,
                 {1, static_cast<double>(o.embed_size)}),
          bias(o.lift == Lift::separate ? Shape{rows(o), o.embed_size} : Shape{o.embed_size},
               Init::zeros) {}
    void visit(auto&& visitor) { visitor("kernel", kernel), visitor("bias", bias); }
    Parameter<T> kernel, bias;
  } lift;

 private:
  static Size rows(const PerVariableAttentionOptions& o) {
    if (o.lift != Lift::separate) return 1;
    if (o.variables < 1)
      fail("PerVariableAttention", "with a lift for each variable needs .variables, got ",
           o.variables);
    return o.variables;
  }

  template <Scalar U>
  Var<U> lifted(const Var<U>& x, const AttentionMasks<U>& masks) const {
    if (options_.lift == Lift::none) {
      if (x.rank() != 4)
        fail("PerVariableAttention", "without a lift expects rank 4, (batch, time, variable, ",
             options_.embed_size, "), got ", x.shape());
      return x;
    }
    if (x.rank() != 3)
      fail("PerVariableAttention", "lifts each value of (batch, time, variable), got ", x.shape());
    if (options_.lift == Lift::separate && x.shape()[2] != options_.variables)
      fail("PerVariableAttention", "has a lift for each of ", options_.variables,
           " variables, got ", x.shape());
    const auto own = [&](const Parameter<T>& p) {
      return watch(p, x, masks.mask, masks.additive_mask);
    };
    return unsqueeze(x, 3) * own(lift.kernel) + own(lift.bias);
  }

  PerVariableAttentionOptions options_;
};

}  // namespace axisgrad
