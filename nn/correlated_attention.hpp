// Attention over variables, then the correlation of what it made of them.
#pragma once
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/pearson_correlation.hpp>

namespace axisgrad {

struct CorrelatedAttentionOptions {
  Size num_heads = 1, key_dim = 0;
  Axis axis = Axis::feature;  // of the variables
  Size embed_size = 0;        // what a variable is seen over: the steps of (B,T,F)
  Size output_dim = 0;        // embed_size when 0
  Constant constant = Constant::nan;
};

/// out is the correlation (B,V,V) of the variables in `attended`; attended has x's layout, the
/// embed axis output_dim positions; weights (B,H,V,V), each row of which sums to 1.
template <Scalar T>
struct Correlated {
  Var<T> out, attended, weights;
};

/// MultiHeadAttention over variables, then pearson_correlation of its output: x (B,T,F) -> (B,F,F),
/// symmetric, in [-1, 1]. The correlation is that of the attended variables, not of x, and neither
/// is the attention matrix, whose rows are probabilities. Parameters those of MultiHeadAttention,
/// without a prefix. Errors are those of MultiHeadAttention and pearson_correlation: a size left
/// out, an x without that axis or of another size. docs/questions.md, 3; no paper, and no package.
template <Scalar T>
class CorrelatedAttention {
 public:
  using scalar = T;

  explicit CorrelatedAttention(const CorrelatedAttentionOptions& o)
      : attention({.num_heads = o.num_heads,
                   .key_dim = o.key_dim,
                   .axis = o.axis,
                   .embed_size = o.embed_size,
                   .output_dim = o.output_dim}),
        options_(o) {}

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return correlation(attention(x));
  }
  template <Scalar U>
  [[nodiscard]] Correlated<U> with_weights(const Var<U>& x) const {
    const Attended<U> y = attention.with_weights(x);
    return {correlation(y.out), y.out, y.weights};
  }

  void visit(auto&& visitor) { attention.visit(visitor); }

  MultiHeadAttention<T> attention;

 private:
  template <Scalar U>
  Var<U> correlation(const Var<U>& x) const {
    return pearson_correlation(x, options_.axis, {.constant = options_.constant});
  }

  CorrelatedAttentionOptions options_;
};

}  // namespace axisgrad
