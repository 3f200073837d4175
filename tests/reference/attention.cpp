// Content attention: with projections, and without.
#include <axisgrad/nn/multi_head_attention.hpp>

#include "block.hpp"

namespace axisgrad::reference {
namespace {

enum class MaskKind { none, padding, full, additive };

MaskKind mask_kind(Options& options) {
  return options.choice("mask_kind",
                        Choices<MaskKind>{{"padding", MaskKind::padding},
                                          {"full", MaskKind::full},
                                          {"additive", MaskKind::additive}},
                        std::optional(MaskKind::none));
}

CausalAlignment causal_alignment(Options& options) {
  return options.choice(
      "causal_alignment",
      Choices<CausalAlignment>{{"last", CausalAlignment::last}, {"first", CausalAlignment::first}},
      std::optional(CausalAlignment::last));
}

// A full mask broadcasts to the weights as in NumPy; the module tells masks apart by their rank.
template <Scalar T>
Var<T> of_full_rank(Var<T> mask, int rank) {
  while (mask.rank() < rank) mask = reshape(mask, mask.shape().inserted(0, 1));
  return mask;
}

template <Scalar T>
void give(Case<T>& c, const Attended<T>& y) {
  c.output("out", y.out), c.output("weights", y.weights), c.output("scores", y.scores);
}

template <Scalar T>
void multi_head_attention(Case<T>& c) {
  const bool cross = c.has_input("query");
  const Var<T> q = c.input(cross ? "query" : "x"), k = cross ? c.input("key") : q,
               v = cross ? c.input("value") : q;
  const Axes axis = c.options.axes("axis", Axis::time);
  MultiHeadAttentionOptions o{.num_heads = c.options.size("num_heads"),
                              .key_dim = c.options.size("key_dim"),
                              .value_dim = c.options.size("value_dim", 0),
                              .axis = axis,
                              .output_dim = c.options.size("output_dim", 0),
                              .use_bias = c.options.flag("use_bias", true),
                              .causal = c.options.flag("causal", false),
                              .causal_alignment = causal_alignment(c.options)};
  if (c.options.has("embed_axis")) o.embed_axis = c.options.axis("embed_axis");
  const int e = detail::TokenOrder(q.shape(), o).embed_axis();
  o.embed_size = q.size(e), o.key_embed_size = k.size(e), o.value_embed_size = v.size(e);
  MultiHeadAttention<T> module(o);
  c.load(module);
  AttentionMasks<T> masks;
  const MaskKind kind = mask_kind(c.options);
  // With batch axes for all that is neither token, embedding nor the weights' own three.
  const int weights_rank = q.rank() - axis.count() - 1 + 3;
  if (kind == MaskKind::padding) masks.mask = c.input("mask");
  if (kind == MaskKind::full) masks.mask = of_full_rank(c.input("mask"), weights_rank);
  if (kind == MaskKind::additive)
    masks.additive_mask = of_full_rank(c.input("additive_mask"), weights_rank);
  const auto y = cross ? module.with_weights(q, k, v, masks) : module.with_weights(q, masks);
  give(c, y);
  c.output("weights_mean", mean_over_heads(y.weights));
}

template <Scalar T>
void scaled_dot_product(Case<T>& c) {
  AttentionOptions<T> o{.causal = c.options.flag("causal", false),
                        .causal_alignment = causal_alignment(c.options)};
  const MaskKind kind = mask_kind(c.options);
  if (kind == MaskKind::additive)
    o.additive_mask = c.input("additive_mask");
  else if (kind != MaskKind::none)
    o.mask = c.input("mask");
  give(c, scaled_dot_product_attention_with_weights(c.input("query"), c.input("key"),
                                                    c.input("value"), o));
}

}  // namespace

std::span<const Block> attentions() {
  static constexpr Block all[]{
      {"MultiHeadAttention", multi_head_attention, multi_head_attention},
      {"scaled_dot_product_attention", scaled_dot_product, scaled_dot_product}};
  return all;
}

}  // namespace axisgrad::reference
