// Scaled dot-product attention: a fused op. The kernel goes over pieces of the scores, and of many
// tokens keeps no weights; the reference below says the same in public ops.
#include <cmath>
#include <limits>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/attention.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/attention_layout.hpp>
#include <axisgrad/autograd/ops/drop.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/ops/mask.hpp>

namespace axisgrad {
namespace {

// The inputs of one call: q, k, v, and the masks that there are.
template <class X>
struct InputList {
  std::array<X, 6> items{};
  std::size_t count = 0;
  int add(X x) {
    items[count] = std::move(x);
    return static_cast<int>(count++);
  }
  std::span<const X> span() const { return {items.data(), count}; }
};

struct attention_op {
  static constexpr std::string_view name = "scaled_dot_product_attention";
  struct Options {
    bool head_axis, weights, causal;
    // Backward needs the weights, output 1, shown to the caller or not; else the output of this
    // number, the statistics of the rows.
    bool kept;
    int statistics;
    CausalAlignment alignment;
    double scale;
    int mask, additive, factors;  // their numbers among the inputs, -1 for none
    kernels::Dropout dropout;
  };
  static constexpr double hidden = -std::numeric_limits<double>::infinity();

  template <Scalar T>
  static kernels::Attention<T> problem(const AttentionLayout& l, const Options& o,
                                       std::span<const Tensor<T>> inputs) {
    auto mask = [&](int k) {
      return k < 0 ? kernels::ScoreView<T>() : score_view(inputs[static_cast<unsigned>(k)], l);
    };
    return {.outer = l.batch.size(),
            .heads = l.heads,
            .queries = l.queries,
            .keys = l.keys,
            .key_dim = l.key_dim,
            .value_dim = l.value_dim,
            .q = inputs[0].data(),
            .k = inputs[1].data(),
            .v = inputs[2].data(),
            .scale = static_cast<T>(o.scale),
            .mask = mask(o.mask),
            .additive = mask(o.additive),
            .factors = mask(o.factors),
            .dropout = o.dropout,
            .causal = o.causal,
            .lead = l.lead(o.alignment)};
  }

  // Of the two matrix products.
  template <Scalar T>
  static double flops(Inputs<T> in, const Options& o) {
    const AttentionLayout l(in[0]->shape(), in[1]->shape(), in[2]->shape(), o.head_axis);
    return 2.0 * double(l.scores().size()) * double(l.key_dim + l.value_dim);
  }
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const Options& o = r.template options<Options>();
    const AttentionLayout layout(r.shape(0), r.shape(1), r.shape(2), o.head_axis);
    InputList<Tensor<T>> inputs;
    for (int k = 0; k < r.inputs(); ++k) inputs.add(r.input(k).value());
    kernels::AttentionGradients<T> g;
    std::array<Tensor<T>, 3> cotangents;
    for (int k = 0; k < (o.weights ? 3 : 1); ++k) {
      if (!r.has_cotangent(k)) continue;
      auto& c = cotangents[static_cast<unsigned>(k)];
      c = r.cotangent(k).value();
      (k == 0 ? g.out : k == 1 ? g.weights : g.scores) = c.data();
    }
    std::array<Tensor<T>, 4> gradients;
    auto wanted = [&](int input, unsigned slot, const Shape& shape) -> T* {
      if (input < 0 || !r.needs(input)) return nullptr;
      gradients[slot] = Tensor<T>(shape);
      return gradients[slot].mutable_data();
    };
    g.q = wanted(0, 0, r.shape(0)), g.k = wanted(1, 1, r.shape(1)), g.v = wanted(2, 2, r.shape(2));
    g.additive = wanted(o.additive, 3, layout.scores());
    std::array<Tensor<T>, 3> kept;  // keeps them alive
    auto output = [&](bool needed, int k) -> const T* {
      if (!needed) return nullptr;
      return (kept[static_cast<unsigned>(k % 3)] = r.output(k).value()).data();
    };
    kernels::attention_backward<T>(problem<T>(layout, o, inputs.span()),
                                   {.out = output(!o.kept, 0),
                                    .weights = output(o.kept || g.weights, 1),
                                    .statistics = output(!o.kept, o.statistics)},
                                   g);
    for (int k = 0; k < 3; ++k)
      if (r.needs(k)) r.add(k, Var<T>(gradients[static_cast<unsigned>(k)]));
    if (g.additive) r.add(o.additive, sum_to(Var<T>(gradients[3]), r.shape(o.additive)));
  }

  template <Scalar T>
  static std::vector<Var<T>> reference(Rule<T>& r) {
    const Options& o = r.template options<Options>();
    const AttentionLayout layout(r.shape(0), r.shape(1), r.shape(2), o.head_axis);
    auto heads_first = [&](const Var<T>& x) { return o.head_axis ? swap_axes(x, -3, -2) : x; };
    const Var<T> q = heads_first(r.input(0)), k = heads_first(r.input(1)),
                 v = heads_first(r.input(2));
    const Var<T> scores = matmul(q, k, {.transpose_b = true}) * static_cast<T>(o.scale);
    const Var<T> never(static_cast<T>(hidden));
    Var<T> seen = o.additive < 0 ? scores : scores + r.input(o.additive);
    if (o.mask >= 0) seen = where(r.input(o.mask), seen, never);
    if (o.causal) seen = where(triangle<T>(layout, o.alignment), seen, never);
    const Var<T> weights = softmax(seen, -1);
    Var<T> used = o.factors < 0 ? weights : weights * r.input(o.factors);
    if (o.dropout.rate > 0) used = used * Var<T>(dropout_factors<T>(o.dropout, layout.scores()));
    const Var<T> out = heads_first(matmul(used, v));
    if (o.weights) return {out, weights, scores};
    return {out};
  }
  // (Tq, Tk), 1 where a causal query sees a key.
  template <Scalar T>
  static Var<T> triangle(const AttentionLayout& l, CausalAlignment alignment) {
    Tensor<T> seen(Shape{l.queries, l.keys}, T(0));
    T* row = seen.mutable_data();
    for (Size i = 0; i < l.queries; ++i, row += l.keys)
      std::fill_n(row, std::clamp<Size>(i + l.lead(alignment) + 1, 0, l.keys), T(1));
    return Var<T>(seen);
  }

  static std::vector<Sample> samples();
};

// Checks one mask and puts it among the inputs; its number there, -1 for none.
template <Scalar T>
int add_input(const Var<T>& x, const char* what, const AttentionLayout& layout,
              InputList<const Var<T>*>& inputs) {
  if (x.value().empty()) return -1;
  if (!broadcasts_to(x.shape(), layout.scores()))
    fail(attention_op::name, "the ", what, " of shape ", x.shape(),
         " cannot broadcast to the scores ", layout.scores());
  return inputs.add(&x);
}

template <Scalar T>
Attended<T> apply(const Var<T>& q, const Var<T>& k, const Var<T>& v, const AttentionOptions<T>& o,
                  bool head_axis, bool weights) {
  require_attention_fit(attention_op::name, q, k, v, head_axis);
  // Batch axes stretch to their common shape.
  const int inner = head_axis ? 3 : 2;
  auto batch_of = [&](const Var<T>& x) { return Shape(x.shape().begin(), x.rank() - inner); };
  const Shape batch = broadcast(broadcast(batch_of(q), batch_of(k), attention_op::name),
                                batch_of(v), attention_op::name);
  auto stretched = [&](const Var<T>& x) {
    Shape to = batch;
    for (int a = x.rank() - inner; a < x.rank(); ++a) to = to.inserted(to.rank(), x.shape()[a]);
    return expand(x, to);
  };
  const Var<T> q_ = stretched(q), k_ = stretched(k), v_ = stretched(v);
  const AttentionLayout layout(q_.shape(), k_.shape(), v_.shape(), head_axis);

  require_mask(attention_op::name, o.mask.value(),
               ": what is to be added to the scores is .additive_mask");
  const Var<T> mask = stop_gradient(o.mask), factors = stop_gradient(o.weight_factors);
  InputList<const Var<T>*> inputs;
  for (const Var<T>* x : {&q_, &k_, &v_}) inputs.add(x);
  const attention_op::Options options{
      .head_axis = head_axis,
      .weights = weights,
      .causal = o.causal,
      .kept = kernels::keeps_weights(layout.queries, layout.keys, layout.key_dim, layout.value_dim),
      .statistics = weights ? 3 : 1,
      .alignment = o.causal_alignment,
      .scale = o.scale.value_or(1 / std::sqrt(static_cast<double>(layout.key_dim))),
      .mask = add_input(mask, "mask", layout, inputs),
      .additive = add_input(o.additive_mask, "additive mask", layout, inputs),
      .factors = add_input(factors, "factors", layout, inputs),
      .dropout = draw_dropout(Recording<T>::common(inputs.span(), attention_op::name),
                              layout.scores(), o.dropout)};

  InputList<Tensor<T>> values;
  for (const Var<T>* x : inputs.span()) values.add(x->value());
  // out, weights and scores for the caller, and the one other thing that backward may need.
  std::array<Tensor<T>, 4> results{Tensor<T>(q_.shape().with(q_.rank() - 1, layout.value_dim))};
  std::size_t count = 1;
  auto another = [&](const Shape& shape) {
    results[count] = Tensor<T>(shape);
    return results[count++].mutable_data();
  };
  const bool recorded = is_recorded(inputs.span(), attention_op::name);
  kernels::AttentionResults<T> y{.out = results[0].mutable_data()};
  if (weights || (recorded && options.kept)) y.weights = another(layout.scores());
  if (weights) y.scores = another(layout.scores());
  if (recorded && !options.kept)
    y.statistics = another({kernels::row_statistics, layout.scores().size() / layout.keys});
  kernels::attention(attention_op::problem<T>(layout, options, values.span()), y);

  unsigned saved = options.kept ? 1u << 1 : 1u << 0 | 1u << options.statistics;
  if (weights) saved |= 1u << 1;
  std::array<Var<T>, 4> vars;
  record<T>(op_info<attention_op, T>, inputs.span(), std::span<Tensor<T>>(results).first(count),
            {.inputs = (1u << inputs.count) - 1, .outputs = recorded ? saved : 0u}, &options,
            sizeof options, std::span(vars).first(count));
  if (!weights) return {vars[0], {}, {}};
  return {vars[0], vars[1], vars[2]};
}

// For samples: every third element hidden.
template <Scalar T>
Var<T> thirds(const Shape& shape, T hidden = 0, T shown = 1) {
  Tensor<T> x(shape, shown);
  for (Size i = 0; i < x.size(); i += 3) x.mutable_data()[i] = hidden;
  return Var<T>(x);
}
// One number for each query made of all that an attention gives.
template <Scalar T>
Var<T> mixed(const Attended<T>& a) {
  return sum(a.out, -1) * sum(a.weights * a.weights * a.scores, -1);
}

std::vector<Sample> attention_op::samples() {
  const std::vector<SampleInput> three{{{2, 3, 4}}, {{2, 5, 4}}, {{2, 5, 6}}};
  const std::vector<SampleInput> heads{{{2, 3, 2, 4}}, {{2, 5, 2, 4}}, {{2, 5, 2, 3}}};
  const auto plain = []<Scalar T>(std::span<const Var<T>> x) {
    return scaled_dot_product_attention(x[0], x[1], x[2]);
  };
  const auto causal = []<Scalar T>(std::span<const Var<T>> x) {
    return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = true, .scale = 0.8});
  };
  return {
      with_reference(sample("plain", three, plain),
                     [](auto x) {
                       return matmul(softmax(matmul(x[0], x[1], {.transpose_b = true}) / 2.0, -1),
                                     x[2]);
                     }),
      sample("rank 2", {{{3, 4}}, {{5, 4}}, {{5, 1}}}, plain),
      sample("broadcast batches", {{{2, 1, 3, 4}}, {{3, 5, 4}}, {{5, 2}}}, plain),
      sample("no batch", {{{0, 3, 4}}, {{0, 5, 4}}, {{0, 5, 6}}}, plain),
      sample("causal, fewer queries than keys", three, causal),
      sample("causal, queries that see nothing", {{{2, 5, 4}}, {{2, 3, 4}}, {{2, 3, 6}}}, causal),
      sample("causal, first aligned", three,
             []<Scalar T>(std::span<const Var<T>> x) {
               return scaled_dot_product_attention(
                   x[0], x[1], x[2], {.causal = true, .causal_alignment = CausalAlignment::first});
             }),
      with_reference(sample("a mask and factors", three,
                            []<Scalar T>(std::span<const Var<T>> x) {
                              return scaled_dot_product_attention(
                                  x[0], x[1], x[2],
                                  {.mask = thirds<T>({3, 5}),
                                   .weight_factors = thirds<T>({2, 1, 5}, 0, T(1.5))});
                            }),
                     [](auto x) {
                       const auto scores = matmul(x[0], x[1], {.transpose_b = true}) / 2.0;
                       const auto weights = softmax(scores, -1, thirds<double>({3, 5}));
                       return matmul(weights * thirds<double>({2, 1, 5}, 0, 1.5), x[2]);
                     }),
      sample("a row all hidden", three,
             []<Scalar T>(std::span<const Var<T>> x) {
               return scaled_dot_product_attention(x[0], x[1], x[2], {.mask = thirds<T>({3, 1})});
             }),
      with_reference(sample("an additive mask", {three[0], three[1], three[2], {{3, 5}}},
                            []<Scalar T>(std::span<const Var<T>> x) {
                              return scaled_dot_product_attention(x[0], x[1], x[2],
                                                                  {.additive_mask = x[3]});
                            }),
                     [](auto x) {
                       const auto scores = matmul(x[0], x[1], {.transpose_b = true}) / 2.0;
                       return matmul(softmax(scores + x[3], -1), x[2]);
                     }),
      sample("with weights", three,
             []<Scalar T>(std::span<const Var<T>> x) {
               return mixed(
                   scaled_dot_product_attention_with_weights(x[0], x[1], x[2], {.causal = true}));
             }),
      sample("by head", heads,
             []<Scalar T>(std::span<const Var<T>> x) {
               return attention_by_head(x[0], x[1], x[2], {.mask = thirds<T>({2, 3, 5})});
             }),
      sample("by head, with weights", heads, []<Scalar T>(std::span<const Var<T>> x) {
        const auto a = attention_by_head_with_weights(x[0], x[1], x[2]);
        return sum(a.out, -1) * sum(swap_axes(a.weights * a.scores, 1, 2), -1);
      })};
}

}  // namespace

template <Scalar T>
Var<T> scaled_dot_product_attention(const Var<T>& q, const std::type_identity_t<Var<T>>& k,
                                    const std::type_identity_t<Var<T>>& v,
                                    const std::type_identity_t<AttentionOptions<T>>& options) {
  return apply(q, k, v, options, false, false).out;
}
template <Scalar T>
Attended<T> scaled_dot_product_attention_with_weights(
    const Var<T>& q, const std::type_identity_t<Var<T>>& k, const std::type_identity_t<Var<T>>& v,
    const std::type_identity_t<AttentionOptions<T>>& options) {
  return apply(q, k, v, options, false, true);
}
template <Scalar T>
Var<T> attention_by_head(const Var<T>& q, const std::type_identity_t<Var<T>>& k,
                         const std::type_identity_t<Var<T>>& v,
                         const std::type_identity_t<AttentionOptions<T>>& options) {
  return apply(q, k, v, options, true, false).out;
}
template <Scalar T>
Attended<T> attention_by_head_with_weights(
    const Var<T>& q, const std::type_identity_t<Var<T>>& k, const std::type_identity_t<Var<T>>& v,
    const std::type_identity_t<AttentionOptions<T>>& options) {
  return apply(q, k, v, options, true, true);
}

std::vector<OpEntry> attention_family() { return family<attention_op>(Kind::fused); }

template Var<float> scaled_dot_product_attention(const Var<float>&, const Var<float>&,
                                                 const Var<float>&, const AttentionOptions<float>&);
template Var<double> scaled_dot_product_attention(const Var<double>&, const Var<double>&,
                                                  const Var<double>&,
                                                  const AttentionOptions<double>&);
template Attended<float> scaled_dot_product_attention_with_weights(const Var<float>&,
                                                                   const Var<float>&,
                                                                   const Var<float>&,
                                                                   const AttentionOptions<float>&);
template Attended<double> scaled_dot_product_attention_with_weights(
    const Var<double>&, const Var<double>&, const Var<double>&, const AttentionOptions<double>&);
template Var<float> attention_by_head(const Var<float>&, const Var<float>&, const Var<float>&,
                                      const AttentionOptions<float>&);
template Var<double> attention_by_head(const Var<double>&, const Var<double>&, const Var<double>&,
                                       const AttentionOptions<double>&);
template Attended<float> attention_by_head_with_weights(const Var<float>&, const Var<float>&,
                                                        const Var<float>&,
                                                        const AttentionOptions<float>&);
template Attended<double> attention_by_head_with_weights(const Var<double>&, const Var<double>&,
                                                         const Var<double>&,
                                                         const AttentionOptions<double>&);

}  // namespace axisgrad
