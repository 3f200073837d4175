// One variable asks, all variables answer.
#pragma once
#include <axisgrad/nn/multi_head_attention.hpp>

namespace axisgrad {

struct VariableQueryAttentionOptions {
  Size features = 0;  // F, of the keys and values
  Size num_heads = 1, key_dim = 0;
  Size output_dim = 0;  // E
  double dropout = 0;   // of the weights, in a training recording
};

/// For each variable v, attention over time with queries from x[:,:,v] alone and keys and values
/// from all of x (B,T,F): out (B,T,E,V), stacked on the last axis, E = output_dim; weights and
/// scores (B,V,H,T,T). weights[b,v,h,i,j]: how much step i of variable v takes from step j of all
/// variables. The projections are shared by the variables; since keys and values are the same for
/// all, the V * T queries are one list and the whole is one computation. mask (B,T), 1 = attend,
/// hides steps from all queries.
///
/// Parameters those of MultiHeadAttention without a prefix: query.kernel (1,H,P), key.kernel and
/// value.kernel (F,H,P), attention_output.kernel (H,P,E), and biases. Error for a size left out; at
/// a call for an x of another rank or number of variables, or a mask that is not (B,T). No package
/// has it: docs/questions.md, 7.
template <Scalar T>
class VariableQueryAttention {
 public:
  using scalar = T;

  explicit VariableQueryAttention(const VariableQueryAttentionOptions& o)
      : attention({.num_heads = o.num_heads,
                   .key_dim = o.key_dim,
                   .embed_size = 1,
                   .key_embed_size = required(o.features, ".features"),
                   .output_dim = required(o.output_dim, ".output_dim"),
                   .dropout = o.dropout}) {}

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x, const Same<Var<U>>& mask = {}) const {
    return stacked(attention(queries(x, mask), x, x, {.mask = mask}), x.shape());
  }
  template <Scalar U>
  [[nodiscard]] Attended<U> with_weights(const Var<U>& x, const Same<Var<U>>& mask = {}) const {
    const Attended<U> y = attention.with_weights(queries(x, mask), x, x, {.mask = mask});
    return {stacked(y.out, x.shape()), by_variable(y.weights, x.shape()),
            by_variable(y.scores, x.shape())};
  }

  void visit(auto&& visitor) { attention.visit(visitor); }

  MultiHeadAttention<T> attention;

 private:
  static Size required(Size size, const char* name) {
    if (size < 1) fail("VariableQueryAttention", "needs ", name, ", got ", size);
    return size;
  }
  // (B, V * T, 1): all steps of the first variable, then of the next.
  template <Scalar U>
  Var<U> queries(const Var<U>& x, const Var<U>& mask) const {
    const Size features = attention.options().key_embed_size;
    if (x.rank() != 3 || x.shape()[2] != features)
      fail("VariableQueryAttention", "expects (batch, time, ", features, "), got ", x.shape());
    if (!mask.value().empty() && mask.shape() != Shape{x.shape()[0], x.shape()[1]})
      fail("VariableQueryAttention", "the mask must be (batch, time) of x ", x.shape(), ", got ",
           mask.shape());
    return reshape(swap_axes(x, 1, 2), {x.shape()[0], x.shape()[1] * features, 1});
  }
  // (B, V * T, E) -> (B,T,E,V)
  template <Scalar U>
  Var<U> stacked(const Var<U>& y, const Shape& x) const {
    return transpose(reshape(y, {x[0], x[2], x[1], attention.options().output_dim}), {0, 2, 3, 1});
  }
  // (B, H, V * T, T) -> (B,V,H,T,T)
  template <Scalar U>
  Var<U> by_variable(const Var<U>& w, const Shape& x) const {
    return swap_axes(reshape(w, {x[0], attention.options().num_heads, x[2], x[1], x[1]}), 1, 2);
  }
};

}  // namespace axisgrad
