// The encoder of DA-RNN, one op over the whole window. Step by step it stands in `composed` below,
// which is what is differentiated twice.
#include <axisgrad/autograd/ops/attending.hpp>

namespace axisgrad {

using namespace attending;

namespace {

struct input_attention_lstm_op {
  static constexpr std::string_view name = "input_attention_lstm";
  struct Options {};
  enum Input { x, keys, W, v, kernel, recurrent, bias, inputs };
  enum Output { h, weights, kept, outputs = kept + 5 };

  template <Scalar T, class Get>
  static kernels::InputAttention<T> problem(const Get& get) {
    const Shape &s = get(x).shape(), &of_W = get(W).shape();
    return {.batch = s[0],
            .steps = s[1],
            .size = of_W[0],
            .gates = {.units = of_W[1] / 2,
                      .inputs = s[2],
                      .recurrent = get(recurrent).data(),
                      .kernel = get(kernel).data(),
                      .bias = get(bias).data()},
            .x = get(x).data(),
            .keys = get(keys).data(),
            .W = get(W).data(),
            .v = get(v).data()};
  }
  template <Scalar T>
  static double flops(Inputs<T> in, const Options&) {
    const Shape& s = in[x]->shape();
    return step_flops<T>(in[W]->shape(), static_cast<double>(s[0] * s[1]),
                         static_cast<double>(s[2]));
  }
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const auto p = problem<T>([&](int k) -> const Tensor<T>& { return r.input_value(k); });
    GradientList<T, inputs> g{r};
    kernels::input_attention_backward<T>(
        p, kept_trace(r, kept), r.output_value(weights).data(), cotangent_or_null(r, h),
        cotangent_or_null(r, weights),
        {.x = r.needs(x) ? g.of(x) : nullptr,
         .keys = g.of(keys),
         .W = g.of(W),
         .v = g.of(v),
         .gates = {.recurrent = g.of(recurrent), .kernel = g.of(kernel), .bias = g.of(bias)}});
    for (int k = 0; k < inputs; ++k)
      if (r.needs(k)) r.add(k, std::move(g.d[static_cast<unsigned>(k)]));
  }
  template <Scalar T>
  static InputAttentionOutputs<T> composed(const InputAttentionInputs<T>& in) {
    const Size batch = in.x.shape()[0], steps = in.x.shape()[1], units = in.W.shape()[1] / 2;
    const Var<T> zeros(Tensor<T>(Shape{batch, units}, T(0)));
    RecurrentCell<T> cell{in.kernel, in.recurrent_kernel, in.bias, zeros, zeros};
    std::vector<Var<T>> states, all_weights;
    for (Size t = 0; t < steps; ++t) {
      const Var<T> scores = matmul(in.v, tanh(unsqueeze(cell.query(in.W), 2) + in.keys));
      all_weights.push_back(softmax(scores, -1));
      cell.step(all_weights.back() * axisgrad::index(in.x, {every, t}));
      states.push_back(cell.h);
    }
    return {stack(states, 1), stack(all_weights, 1)};
  }
  template <Scalar T>
  static std::vector<Var<T>> reference(Rule<T>& r) {
    const auto y = composed<T>({r.input(x), r.input(keys), r.input(W), r.input(v), r.input(kernel),
                                r.input(recurrent), r.input(bias)});
    return {y.h, y.weights};
  }
  template <Scalar T>
  static void check(const InputAttentionInputs<T>& in) {
    require_rank(name, "x", in.x.shape(), 3), require_rank(name, "W", in.W.shape(), 2);
    const Shape& s = in.x.shape();
    const Size size = in.W.shape()[0], units = in.W.shape()[1] / 2;
    require_some(name, s[1], s[2]);
    require_shape(name, "W", in.W.shape(), {size, 2 * units});
    require_shape(name, "keys", in.keys.shape(), {s[0], size, s[2]});
    require_shape(name, "v", in.v.shape(), {size});
    require_shape(name, "kernel", in.kernel.shape(), {s[2], 4 * units});
    require_shape(name, "recurrent_kernel", in.recurrent_kernel.shape(), {units, 4 * units});
    require_shape(name, "bias", in.bias.shape(), {4 * units});
  }
  static std::vector<Sample> samples();
};

}  // namespace

template <Scalar T>
InputAttentionOutputs<T> input_attention_lstm(const InputAttentionInputs<T>& in) {
  using Op = input_attention_lstm_op;
  Op::check(in);
  const std::array<const Var<T>*, Op::inputs> inputs{
      &in.x, &in.keys, &in.W, &in.v, &in.kernel, &in.recurrent_kernel, &in.bias};
  const auto p = Op::problem<T>(
      [&](int k) -> const Tensor<T>& { return inputs[static_cast<unsigned>(k)]->value(); });
  const bool keep = is_recorded<T>(inputs, Op::name);
  Kept<T> kept(keep ? p.steps : 1, p.batch, p.size, p.gates);
  Tensor<T> h(Shape{p.batch, p.steps, p.gates.units}), weights(in.x.shape());
  kernels::input_attention(p, kept.trace(keep), h.mutable_data(), weights.mutable_data());
  std::array<Tensor<T>, Op::outputs> y{h,      weights,     kept.fed,  kept.gates,
                                       kept.c, kept.tanh_c, kept.query};
  std::array<Var<T>, Op::outputs> results;
  const Op::Options none{};
  record<T>(
      op_info<Op, T>, inputs, y,
      {.inputs = (1u << Op::inputs) - 1, .outputs = (1u << Op::outputs) - (1u << Op::weights)},
      &none, sizeof none, results);
  return {results[Op::h], results[Op::weights]};
}

namespace {

struct InputSample {
  template <Scalar T>
  static InputAttentionInputs<T> arguments(std::span<const Var<T>> x) {
    return {x[0], x[1], x[2], x[3], x[4], x[5], x[6]};
  }
  static auto apply(const auto& in) { return input_attention_lstm(in); }
  static auto compose(const auto& in) { return input_attention_lstm_op::composed(in); }
  // x, keys, W, v, kernel, recurrent_kernel, bias
  static std::vector<SampleInput> shapes(Size steps, Size series, Size size, Size units) {
    return {{{2, steps, series}},
            {{2, size, series}},
            {{size, 2 * units}},
            {{size}},
            {{series, 4 * units}, {-1, 1}},
            {{units, 4 * units}, {-1, 1}},
            {{4 * units}, {-1, 1}}};
  }
};
std::vector<Sample> input_attention_lstm_op::samples() {
  const auto all = [](const auto& y) { return concat(std::vector{y.h, y.weights}, 2); };
  return {compared<InputSample>("states and weights", InputSample::shapes(3, 4, 5, 3), all),
          compared<InputSample>("more series than a vector has lanes",
                                InputSample::shapes(2, 17, 2, 1), all),
          compared<InputSample>("one step, one series", InputSample::shapes(1, 1, 2, 2),
                                [](const auto& y) { return y.h; }),
          compared<InputSample>("the weights alone", InputSample::shapes(3, 3, 2, 2),
                                [](const auto& y) { return y.weights; })};
}
}  // namespace

std::vector<OpEntry> input_attention_family() {
  return family<input_attention_lstm_op>(Kind::fused);
}

template InputAttentionOutputs<float> input_attention_lstm(const InputAttentionInputs<float>&);
template InputAttentionOutputs<double> input_attention_lstm(const InputAttentionInputs<double>&);

}  // namespace axisgrad
