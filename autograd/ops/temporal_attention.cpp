// The decoder of DA-RNN, one op over the whole window. Step by step it stands in `composed` below,
// which is what is differentiated twice.
#include <axisgrad/autograd/ops/attending.hpp>

namespace axisgrad {

using namespace attending;

namespace {

struct temporal_attention_lstm_op {
  static constexpr std::string_view name = "temporal_attention_lstm";
  struct Options {};
  enum Input { past, values, keys, W, v, mix, mix_bias, kernel, recurrent, bias, inputs };
  enum Output { h, context, weights, all_contexts, kept, outputs = kept + 5 };

  template <Scalar T, class Get>
  static kernels::TemporalAttention<T> problem(const Get& get) {
    const Shape &s = get(values).shape(), &of_W = get(W).shape();
    return {.batch = s[0],
            .steps = get(past).shape()[1],
            .size = of_W[0],
            .positions = s[1],
            .width = s[2],
            .gates = {.units = of_W[1] / 2,
                      .inputs = 1,
                      .recurrent = get(recurrent).data(),
                      .kernel = get(kernel).data(),
                      .bias = get(bias).data()},
            .past = get(past).data(),
            .values = get(values).data(),
            .keys = get(keys).data(),
            .W = get(W).data(),
            .v = get(v).data(),
            .mix = get(mix).data(),
            .mix_bias = get(mix_bias).data()};
  }
  template <Scalar T>
  static double flops(Inputs<T> in, const Options&) {
    return step_flops<T>(in[W]->shape(), static_cast<double>(in[past]->shape().size()), 1);
  }
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const auto p = problem<T>([&](int k) -> const Tensor<T>& { return r.input_value(k); });
    GradientList<T, inputs> g{r};
    kernels::temporal_attention_backward<T>(
        p, kept_trace(r, kept),
        {nullptr, r.output_value(all_contexts).data(), r.output_value(weights).data()},
        {cotangent_or_null(r, h), cotangent_or_null(r, context), cotangent_or_null(r, weights)},
        {.past = g.of(past),
         .values = g.of(values),
         .keys = g.of(keys),
         .W = g.of(W),
         .v = g.of(v),
         .mix = g.of(mix),
         .mix_bias = g.of(mix_bias),
         .gates = {.recurrent = g.of(recurrent), .kernel = g.of(kernel), .bias = g.of(bias)}});
    for (int k = 0; k < inputs; ++k)
      if (r.needs(k)) r.add(k, std::move(g.d[static_cast<unsigned>(k)]));
  }
  template <Scalar T>
  static TemporalAttentionOutputs<T> composed(const TemporalAttentionInputs<T>& in) {
    const Size batch = in.past.shape()[0], steps = in.past.shape()[1], units = in.W.shape()[1] / 2,
               width = in.values.shape()[2];
    const Var<T> zeros(Tensor<T>(Shape{batch, units}, T(0)));
    RecurrentCell<T> cell{in.kernel, in.recurrent_kernel, in.bias, zeros, zeros};
    Var<T> context_now(Tensor<T>(Shape{batch, width}, T(0)));
    std::vector<Var<T>> all_weights;
    for (Size t = 0; t < steps; ++t) {
      const Var<T> scores = matmul(tanh(unsqueeze(cell.query(in.W), 1) + in.keys), in.v);
      all_weights.push_back(softmax(scores, -1));
      const Var<T> now = slice(in.past, {.axis = 1, .begin = t, .end = t + 1});
      cell.step(unsqueeze(matmul(concat<T>({now, context_now}, 1), in.mix) + in.mix_bias, 1));
      context_now = reshape(matmul(unsqueeze(all_weights.back(), 1), in.values), {batch, width});
    }
    return {cell.h, context_now, stack(all_weights, 1)};
  }
  template <Scalar T>
  static std::vector<Var<T>> reference(Rule<T>& r) {
    const auto y = composed<T>({r.input(past), r.input(values), r.input(keys), r.input(W),
                                r.input(v), r.input(mix), r.input(mix_bias), r.input(kernel),
                                r.input(recurrent), r.input(bias)});
    return {y.h, y.context, y.weights};
  }
  template <Scalar T>
  static void check(const TemporalAttentionInputs<T>& in) {
    require_rank(name, "past", in.past.shape(), 2), require_rank(name, "W", in.W.shape(), 2);
    require_rank(name, "values", in.values.shape(), 3);
    const Shape& s = in.values.shape();
    const Size size = in.W.shape()[0], units = in.W.shape()[1] / 2, steps = in.past.shape()[1];
    require_some(name, steps, s[1]);
    require_shape(name, "past", in.past.shape(), {s[0], steps});
    require_shape(name, "W", in.W.shape(), {size, 2 * units});
    require_shape(name, "keys", in.keys.shape(), {s[0], s[1], size});
    require_shape(name, "v", in.v.shape(), {size});
    require_shape(name, "mix", in.mix.shape(), {1 + s[2]});
    require_shape(name, "mix_bias", in.mix_bias.shape(), {1});
    require_shape(name, "kernel", in.kernel.shape(), {1, 4 * units});
    require_shape(name, "recurrent_kernel", in.recurrent_kernel.shape(), {units, 4 * units});
    require_shape(name, "bias", in.bias.shape(), {4 * units});
  }
  static std::vector<Sample> samples();
};

}  // namespace

template <Scalar T>
TemporalAttentionOutputs<T> temporal_attention_lstm(const TemporalAttentionInputs<T>& in) {
  using Op = temporal_attention_lstm_op;
  Op::check(in);
  const std::array<const Var<T>*, Op::inputs> inputs{
      &in.past,   &in.values,           &in.keys, &in.W, &in.v, &in.mix, &in.mix_bias,
      &in.kernel, &in.recurrent_kernel, &in.bias};
  const auto p = Op::problem<T>(
      [&](int k) -> const Tensor<T>& { return inputs[static_cast<unsigned>(k)]->value(); });
  const bool keep = is_recorded<T>(inputs, Op::name);
  const Size held = keep ? p.steps : 1, size = p.batch * p.width;
  Kept<T> kept(held, p.batch, p.size, p.gates);
  Tensor<T> h(Shape{p.batch, p.gates.units}), contexts(Shape{held, p.batch, p.width}),
      last(Shape{p.batch, p.width}), weights(Shape{p.batch, p.steps, p.positions});
  kernels::temporal_attention<T>(
      p, kept.trace(keep), {h.mutable_data(), contexts.mutable_data(), weights.mutable_data()});
  std::copy_n(contexts.data() + (held - 1) * size, size, last.mutable_data());
  std::array<Tensor<T>, Op::outputs> y{h,          last,   weights,     contexts,  kept.fed,
                                       kept.gates, kept.c, kept.tanh_c, kept.query};
  std::array<Var<T>, Op::outputs> results;
  const Op::Options none{};
  record<T>(
      op_info<Op, T>, inputs, y,
      {.inputs = (1u << Op::inputs) - 1, .outputs = (1u << Op::outputs) - (1u << Op::weights)},
      &none, sizeof none, results);
  return {results[Op::h], results[Op::context], results[Op::weights]};
}

namespace {

struct TemporalSample {
  template <Scalar T>
  static TemporalAttentionInputs<T> arguments(std::span<const Var<T>> x) {
    return {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]};
  }
  static auto apply(const auto& in) { return temporal_attention_lstm(in); }
  static auto compose(const auto& in) { return temporal_attention_lstm_op::composed(in); }
  // past, values, keys, W, v, mix, mix_bias, kernel, recurrent_kernel, bias
  static std::vector<SampleInput> shapes(Size steps, Size positions, Size width, Size size,
                                         Size units) {
    return {{{2, steps}},
            {{2, positions, width}},
            {{2, positions, size}, {-1, 1}},
            {{size, 2 * units}, {-1, 1}},
            {{size}, {-1, 1}},  // so that the weights of many keys stay away from 0 and 1
            {{1 + width}},
            {{1}},
            {{1, 4 * units}, {-1, 1}},
            {{units, 4 * units}, {-1, 1}},
            {{4 * units}, {-1, 1}}};
  }
};

std::vector<Sample> temporal_attention_lstm_op::samples() {
  const auto all = [](const auto& y) {
    const Shape& s = y.weights.shape();
    return concat(std::vector{y.h, y.context, reshape(y.weights, {s[0], s[1] * s[2]})}, 1);
  };
  return {
      compared<TemporalSample>("state, context and weights", TemporalSample::shapes(3, 4, 5, 2, 3),
                               all),
      compared<TemporalSample>("keys longer than a vector", TemporalSample::shapes(2, 2, 18, 17, 1),
                               all),
      compared<TemporalSample>("one step, the context alone", TemporalSample::shapes(1, 3, 2, 2, 2),
                               [](const auto& y) { return y.context; }),
      compared<TemporalSample>("the weights alone", TemporalSample::shapes(3, 2, 2, 2, 2),
                               [](const auto& y) { return y.weights; })};
}

}  // namespace

std::vector<OpEntry> temporal_attention_family() {
  return family<temporal_attention_lstm_op>(Kind::fused);
}

template TemporalAttentionOutputs<float> temporal_attention_lstm(
    const TemporalAttentionInputs<float>&);
template TemporalAttentionOutputs<double> temporal_attention_lstm(
    const TemporalAttentionInputs<double>&);

}  // namespace axisgrad
