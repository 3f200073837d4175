// Multi-head attention (Vaswani et al. 2017, section 3.2.2) over an axis of choice.
#pragma once
#include <optional>
#include <span>
#include <string>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/module.hpp>

namespace axisgrad {

/// Fans of a kernel for its initial values. keras: as Keras counts them for rank 3, (E, H, P) ->
/// in E H, out E P. matrix: those of the matrix that it is, in E, out H P.
enum class AttentionFans { keras, matrix };

struct MultiHeadAttentionOptions {
  Size num_heads = 1;
  Size key_dim = 0;    // P, of one head
  Size value_dim = 0;  // of one head; key_dim when 0
  /// In place of key_dim: the width of all heads together, divided among them. It also stands for
  /// embed_size and output_dim where these are left out.
  Size embed_dim = 0;
  /// The token axis, or several: attention then goes jointly over their flattened positions (in the
  /// order of the axes, whatever the order here).
  Axes axis = Axis::time;
  /// The axis that holds each token's vector. When left out: the last axis that is neither axis 0
  /// nor a token axis.
  std::optional<Axis> embed_axis{};
  Size embed_size = 0;        // of the query's embed axis
  Size key_embed_size = 0;    // embed_size when 0
  Size value_embed_size = 0;  // key_embed_size when 0
  Size output_dim = 0;        // embed_size when 0
  bool use_bias = true;
  double dropout = 0;  // of the weights, in a training recording
  bool causal = false;
  CausalAlignment causal_alignment = CausalAlignment::last;
  Init kernel_init = Init::glorot_uniform, bias_init = Init::zeros;
  AttentionFans fans = AttentionFans::keras;
};

/// The masks of one call, 1 = attend. By rank, with b batch axes: b+1 is padding, (batch axes, Tk);
/// b+2 is (batch axes, Tq, Tk); b+3 is (batch axes, H, Tq, Tk). Axes of size 1 stretch.
template <Scalar T>
struct AttentionMasks {
  Var<T> mask{};
  Var<T> additive_mask{};  // added to the scores, has a gradient; same ranks
};

namespace detail {

/// The options with sizes in place of zeros; Error for what does not fit.
MultiHeadAttentionOptions completed(MultiHeadAttentionOptions options);

// The axes of an input in the order in which attention works: batch, tokens, embedding.
class TokenOrder {
 public:
  TokenOrder(const Shape& shape, const MultiHeadAttentionOptions& options);

  int batch_axes() const { return batch_axes_; }
  int embed_axis() const { return axes_[static_cast<unsigned>(rank_ - 1)]; }
  template <Scalar U>
  Var<U> gather(const Var<U>& x) const {
    return in_place_ ? x : transpose(x, order(axes_));
  }
  template <Scalar U>
  Var<U> scatter(const Var<U>& x) const {
    return in_place_ ? x : transpose(x, order(inverse_));
  }

 private:
  Axes order(const std::array<int, max_rank>& axes) const {
    return Axes(std::span(axes).first(static_cast<unsigned>(rank_)));
  }
  int rank_, batch_axes_ = 0;
  std::array<int, max_rank> axes_{}, inverse_{};
  bool in_place_ = true;  // the input has this order already
};

/// The mask with axes of size 1 in the places that its rank leaves out; Error unless it then
/// broadcasts to the scores.
Shape lifted_mask(const Shape& mask, const Shape& scores, int batch_axes);

// One of the four projections: a kernel (in..., out...) and a bias (out...), seen as a matrix and a
// row.
template <Scalar T>
struct Projection {
  using scalar = T;

  Projection(const Shape& kernel_shape, const Shape& bias_shape, const MultiHeadAttentionOptions& o)
      : kernel(kernel_shape, o.kernel_init, fans(kernel_shape, bias_shape, o)),
        bias(bias_shape, o.bias_init,
             {.in = static_cast<double>(kernel_shape.size() / bias_shape.size())}),
        use_bias_(o.use_bias) {}

  template <Scalar U, class Watch>
  Var<U> operator()(const Var<U>& x, const Watch& watch_one) const {
    const Size out = bias.shape().size(), in = kernel.shape().size() / out;
    const Var<U> y = matmul(x, reshape(watch_one(kernel), Shape{in, out}));
    return use_bias_ ? y + reshape(watch_one(bias), Shape{out}) : y;
  }
  void visit(auto&& visitor) {
    visitor("kernel", kernel);
    if (use_bias_) visitor("bias", bias);
  }

  Parameter<T> kernel, bias;

 private:
  static Fans fans(const Shape& kernel, const Shape& bias, const MultiHeadAttentionOptions& o) {
    if (o.fans == AttentionFans::keras) return {};
    return {static_cast<double>(kernel.size() / bias.size()), static_cast<double>(bias.size())};
  }
  bool use_bias_;
};

}  // namespace detail

/// Attention among the positions of one axis, or several, of x (rank 3 to 7, axis 0 the batch). On
/// (B,T,F), Axis::time lets steps attend to steps, embedded from their features; Axis::feature lets
/// variables attend to variables, embedded from their steps. All other axes are batch axes. The
/// output has the layout of the query, its embed axis output_dim positions: with output_dim left
/// out it has the shape of the query, so that {.axis = Axis::feature, .embed_size = T} gives
/// (B,T,F) in which every step of a variable has seen the other variables.
///
///   q = x Wq + bq, k and v likewise;  scores = q k^T / sqrt(key_dim);
///   weights = softmax(scores + masks);  out = (weights v, heads side by side) Wo + bo
///
/// Parameters named and shaped as in Keras: query, key, value (E,H,P) and (H,P), attention_output
/// (H,Pv,output_dim) and (output_dim); glorot_uniform, biases 0. What Keras's attention_axes does
/// is something else: it always contracts the last axis, and with attention_axes=2 on (B,T,F) the
/// heads attend to each other. docs/questions.md, 1, 2, 4, 6 and 8.
///
/// Error at construction for a size left out or an embed_dim that num_heads does not divide; at a
/// call for an x that has no such axes or another size of vectors, for inputs whose batch axes
/// differ, and for a mask that fits neither by rank nor by shape.
template <Scalar T>
class MultiHeadAttention {
 public:
  using scalar = T;

  explicit MultiHeadAttention(const MultiHeadAttentionOptions& options)
      : MultiHeadAttention(Complete{detail::completed(options)}) {}

  /// Self-attention.
  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x,
                                  const Same<AttentionMasks<U>>& masks = {}) const {
    return run(x, x, x, masks, false).out;
  }
  /// Queries from one input, keys and values from others with the same batch axes and as many
  /// tokens as they like.
  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& queries, const Same<Var<U>>& keys,
                                  const Same<Var<U>>& values,
                                  const Same<AttentionMasks<U>>& masks = {}) const {
    return run(queries, keys, values, masks, false).out;
  }
  /// Also the weights and scores, (batch axes, H, Tq, Tk). Each row of the weights, taken before
  /// dropout, is a probability distribution over the keys, or 0 where there is nothing to attend
  /// to.
  template <Scalar U>
  [[nodiscard]] Attended<U> with_weights(const Var<U>& x,
                                         const Same<AttentionMasks<U>>& masks = {}) const {
    return run(x, x, x, masks, true);
  }
  template <Scalar U>
  [[nodiscard]] Attended<U> with_weights(const Var<U>& queries, const Same<Var<U>>& keys,
                                         const Same<Var<U>>& values,
                                         const Same<AttentionMasks<U>>& masks = {}) const {
    return run(queries, keys, values, masks, true);
  }

  /// The options with all sizes filled in.
  const MultiHeadAttentionOptions& options() const { return options_; }

  void visit(auto&& visitor) {
    visitor("query", query), visitor("key", key), visitor("value", value);
    visitor("attention_output", attention_output);
  }

  detail::Projection<T> query, key, value, attention_output;

 private:
  struct Complete {
    const MultiHeadAttentionOptions o;
  };
  explicit MultiHeadAttention(const Complete& c)
      : query({c.o.embed_size, c.o.num_heads, c.o.key_dim}, {c.o.num_heads, c.o.key_dim}, c.o),
        key({c.o.key_embed_size, c.o.num_heads, c.o.key_dim}, {c.o.num_heads, c.o.key_dim}, c.o),
        value({c.o.value_embed_size, c.o.num_heads, c.o.value_dim}, {c.o.num_heads, c.o.value_dim},
              c.o),
        attention_output({c.o.num_heads, c.o.value_dim, c.o.output_dim}, {c.o.output_dim}, c.o),
        options_(c.o) {}

  template <Scalar U>
  Attended<U> run(const Var<U>& queries, const Var<U>& keys, const Var<U>& values,
                  const AttentionMasks<U>& masks, bool weights) const {
    const detail::TokenOrder order(queries.shape(), options_);
    require_fit(queries.shape(), keys.shape(), values.shape(), order);
    const auto own = [&](const Parameter<T>& p) {
      return watch(p, queries, keys, values, masks.mask, masks.additive_mask);
    };
    // An input whose embed axis is not the last is transposed once at the edge, for all three
    // projections together; each of them then is one product over all tokens of the batch. Products
    // with a transposed operand instead would be one small product for each sample, and their
    // weight gradients one matrix for each sample, to be summed.
    const Var<U> x = order.gather(queries), y = &keys == &queries ? x : order.gather(keys),
                 z = &values == &queries ? x
                     : &values == &keys  ? y
                                         : order.gather(values);
    const int b = order.batch_axes();
    const Var<U> q = by_head(query(x, own), b), k = by_head(key(y, own), b),
                 v = by_head(value(z, own), b);

    Shape scores(q.shape().begin(), b);
    for (Size size : {options_.num_heads, q.shape()[b], k.shape()[b]})
      scores = scores.inserted(scores.rank(), size);
    const auto lifted = [&](const Var<U>& mask) {
      return mask.value().empty() ? mask
                                  : reshape(mask, detail::lifted_mask(mask.shape(), scores, b));
    };
    // Survivors are scaled by 1 / (1 - dropout): a row of what is used may sum to more than 1. The
    // weights that are shown are those before.
    const AttentionOptions<U> o{.mask = lifted(masks.mask),
                                .additive_mask = lifted(masks.additive_mask),
                                .causal = options_.causal,
                                .causal_alignment = options_.causal_alignment,
                                .dropout = options_.dropout};
    Attended<U> a;
    if (weights)
      a = attention_by_head_with_weights(q, k, v, o);
    else
      a.out = attention_by_head(q, k, v, o);
    const Shape tokens = x.shape().with(x.rank() - 1, options_.num_heads * options_.value_dim);
    a.out = order.scatter(attention_output(reshape(a.out, tokens), own));
    return a;
  }

  // (batch axes, token axes, H P) -> (batch axes, tokens, H, P)
  template <Scalar U>
  Var<U> by_head(const Var<U>& x, int batch_axes) const {
    Shape s(x.shape().begin(), batch_axes);
    const Size width = x.shape()[x.rank() - 1];
    for (Size size : {x.shape().product(batch_axes, x.rank() - 1), options_.num_heads,
                      width / options_.num_heads})
      s = s.inserted(s.rank(), size);
    return reshape(x, s);
  }
  void require_fit(const Shape& queries, const Shape& keys, const Shape& values,
                   const detail::TokenOrder& order) const;

  MultiHeadAttentionOptions options_;
};

/// The mean over the heads: weights (..., H, Tq, Tk) -> (..., Tq, Tk). Row i says where token i
/// looks; the matrix is not symmetric and no correlation coefficient.
template <Scalar T>
[[nodiscard]] Var<T> mean_over_heads(const Var<T>& weights) {
  if (weights.rank() < 3)
    fail("mean_over_heads", "expects weights (..., heads, queries, keys), got ", weights.shape());
  return mean(weights, -3);
}

namespace detail {
std::string describe_weights(const Shape& weights, Axis axis);
}
/// One line on what the weights are, and a warning where their softmax runs over a single position:
/// all of them are 1 then, and nothing is attended to. `axis` is the one that they sum to 1 along.
template <Scalar T>
[[nodiscard]] std::string report(const Attended<T>& attended, Axis axis = -1) {
  return detail::describe_weights(attended.weights.shape(), axis);
}

extern template class MultiHeadAttention<float>;
extern template class MultiHeadAttention<double>;

}  // namespace axisgrad
