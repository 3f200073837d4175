// The LSTM over a sequence, as one op: a step by step reading of it is its reference below.
// docs/lstm_backward.md derives the backward pass of kernels/lstm.cpp.
#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/lstm.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/ops/mask.hpp>
#include <axisgrad/autograd/tape.hpp>

namespace axisgrad {
namespace {

struct lstm_op {
  static constexpr std::string_view name = "lstm";
  struct Options {
    bool reverse, bias, state, mask, recurrent_mask;
  };
  // Inputs: x, kernel, recurrent_kernel, then those that the options name, in this order.
  // Outputs: h of all steps, last h, last c, and what backward needs again: gates, c, tanh c, and
  // what the steps were fed (kernels/recurrent.hpp).
  enum Output { all_h, last_h, last_c, gates, all_c, tanh_c, fed, outputs };

  template <class V>
  struct Named {  // V: Var or pointer
    V x, kernel, recurrent_kernel, bias{}, h0{}, c0{}, mask{}, recurrent_mask{};
  };
  // Gives every input its name: get(k) is input k.
  template <class V, class Get>
  static Named<V> named(const Options& o, Get get) {
    int k = 3;
    Named<V> n{get(0), get(1), get(2)};
    if (o.bias) n.bias = get(k++);
    if (o.state) n.h0 = get(k++), n.c0 = get(k++);
    if (o.mask) n.mask = get(k++);
    if (o.recurrent_mask) n.recurrent_mask = get(k++);
    return n;
  }
  template <Scalar T>
  static kernels::Lstm<T> arguments(const Named<Tensor<T>>& in, const Options& o) {
    auto data = [](const Tensor<T>& t) { return t.empty() ? nullptr : t.data(); };
    const Shape& s = in.x.shape();
    return {.batch = s[0],
            .steps = s[1],
            .reverse = o.reverse,
            .weights = {.units = in.recurrent_kernel.shape()[0],
                        .inputs = s[2],
                        .recurrent = in.recurrent_kernel.data(),
                        .kernel = in.kernel.data(),
                        .bias = data(in.bias)},
            .x = in.x.data(),
            .h0 = data(in.h0),
            .c0 = data(in.c0),
            .mask = data(in.mask),
            .recurrent_mask = data(in.recurrent_mask)};
  }

  // Of the matrix products.
  template <Scalar T>
  static double flops(Inputs<T> in, const Options&) {
    const Shape &x = in[0]->shape(), &recurrent = in[2]->shape();
    return 2 * static_cast<double>(x[0] * x[1]) * static_cast<double>(x[2] + recurrent[0]) *
           static_cast<double>(recurrent[1]);
  }
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const auto& o = r.template options<Options>();
    const auto in = named<Tensor<T>>(o, [&](int k) { return r.input(k).value(); });
    const auto lstm = arguments<T>(in, o);
    // The trace is only read here.
    auto saved = [&](Output k) { return const_cast<T*>(r.output_value(k).data()); };
    const kernels::LstmTrace<T> trace{.h = nullptr,
                                      .fed = saved(fed),
                                      .gates = saved(gates),
                                      .c = saved(all_c),
                                      .tanh_c = saved(tanh_c),
                                      .keep = true};
    std::array<Tensor<T>, 3> g;
    std::array<const T*, 3> gp{};
    for (int k = 0; k < 3; ++k)
      if (r.has_cotangent(k))
        g[static_cast<unsigned>(k)] = r.cotangent(k).value(),
        gp[static_cast<unsigned>(k)] = g[static_cast<unsigned>(k)].data();
    std::array<Tensor<T>, 8> d;
    auto wanted = [&](int k, bool is_there = true) -> T* {
      if (!is_there || !r.needs(k)) return nullptr;
      auto& t = d[static_cast<unsigned>(k)];
      t = Tensor<T>(r.shape(k));
      return t.mutable_data();
    };
    const int state = o.bias ? 4 : 3;
    const kernels::LstmGradients<T> to{
        .x = wanted(0),
        .weights = {.recurrent = wanted(2), .kernel = wanted(1), .bias = wanted(3, o.bias)},
        .h0 = wanted(state, o.state),
        .c0 = wanted(state + 1, o.state)};
    kernels::lstm_backward<T>(lstm, trace, {gp[0], gp[1], gp[2]}, to);
    for (int k = 0; k < r.inputs(); ++k)
      if (!d[static_cast<unsigned>(k)].empty()) r.add(k, Var<T>(d[static_cast<unsigned>(k)]));
  }

  //   (i, f, g, o) = x(t) kernel + h(t-1) recurrent_kernel + bias
  //   c(t) = sigmoid(f) c(t-1) + sigmoid(i) tanh(g)
  //   h(t) = sigmoid(o) tanh(c(t))
  template <Scalar T>
  static LstmOutputs<T> composed(const Named<Var<T>>& in, const Options& o) {
    const Size batch = in.x.shape()[0], steps = in.x.shape()[1],
               units = in.recurrent_kernel.shape()[0];
    const Var<T> zeros(Tensor<T>(Shape{batch, units}, T(0)));
    Var<T> h = o.state ? in.h0 : zeros, c = o.state ? in.c0 : zeros;
    std::vector<Var<T>> all{Var<T>(Tensor<T>(Shape{batch, 0, units}))};
    for (Size step = 0; step < steps; ++step) {
      const Size t = o.reverse ? steps - 1 - step : step;
      const Var<T> x =
          reshape(slice(in.x, {.axis = 1, .begin = t, .end = t + 1}), {batch, in.x.shape()[2]});
      Var<T> z = matmul(x, in.kernel) +
                 matmul(o.recurrent_mask ? h * in.recurrent_mask : h, in.recurrent_kernel);
      if (o.bias) z = z + in.bias;
      auto gate = [&](Size k) {
        return slice(z, {.axis = 1, .begin = k * units, .end = (k + 1) * units});
      };
      const Var<T> c_new = sigmoid(gate(1)) * c + sigmoid(gate(0)) * tanh(gate(2)),
                   h_new = sigmoid(gate(3)) * tanh(c_new);
      if (o.mask) {
        const Var<T> uses = slice(in.mask, {.axis = 1, .begin = t, .end = t + 1});
        c = where(uses, c_new, c), h = where(uses, h_new, h);
      } else {
        c = c_new, h = h_new;
      }
      all.push_back(reshape(h, {batch, 1, units}));
    }
    return {concat(all, 1), h, c};
  }
  template <Scalar T>
  static std::vector<Var<T>> reference(Rule<T>& r) {
    const auto& o = r.template options<Options>();
    const auto y = composed(named<Var<T>>(o, [&](int k) { return r.input(k); }), o);
    return {y.h, y.last_h, y.last_c};
  }

  static std::vector<Sample> samples();
};

template <Scalar T>
void check_shapes(const LstmInputs<T>& in) {
  if (in.kernel.value().empty() || in.recurrent_kernel.value().empty())
    fail("lstm", "kernel and recurrent_kernel are needed: got ", in.kernel.shape(), " and ",
         in.recurrent_kernel.shape(), ", an empty one");
  if (in.x.rank() != 3) fail("lstm", "expects x (batch, time, feature), got ", in.x.shape());
  const Size batch = in.x.shape()[0], steps = in.x.shape()[1], features = in.x.shape()[2];
  const Size units = in.recurrent_kernel.rank() == 2 ? in.recurrent_kernel.shape()[0] : 0;
  auto check = [](const char* what, const Var<T>& v, const Shape& expected) {
    if (!v.value().empty() && v.shape() != expected)
      fail("lstm", what, " has the shape ", v.shape(), ", expected ", expected);
  };
  check("recurrent_kernel", in.recurrent_kernel, {units, 4 * units});
  check("kernel", in.kernel, {features, 4 * units});
  check("bias", in.bias, {4 * units});
  check("initial_h", in.initial_h, {batch, units});
  check("initial_c", in.initial_c, {batch, units});
  check("mask", in.mask, {batch, steps});
  require_mask("lstm", in.mask.value(), ": 1 uses the step, 0 carries the state");
  check("recurrent_mask", in.recurrent_mask, {batch, units});
  if (in.initial_h.value().empty() != in.initial_c.value().empty())
    fail("lstm", "initial_h and initial_c go together: only one was given");
}

}  // namespace

template <Scalar T>
LstmOutputs<T> lstm(const LstmInputs<T>& in, LstmSequenceOptions options) {
  check_shapes(in);
  auto given = [](const Var<T>& v) { return !v.value().empty(); };
  const Var<T> mask = stop_gradient(in.mask), recurrent_mask = stop_gradient(in.recurrent_mask);
  const lstm_op::Options o{options.go_backwards, given(in.bias), given(in.initial_h),
                           given(in.mask), given(in.recurrent_mask)};
  std::array<const Var<T>*, 8> inputs{&in.x, &in.kernel, &in.recurrent_kernel};
  std::size_t n = 3;
  for (const Var<T>* v : {&in.bias, &in.initial_h, &in.initial_c, &mask, &recurrent_mask})
    if (given(*v)) inputs[n++] = v;
  const Inputs<T> span(inputs.data(), n);

  const Size batch = in.x.shape()[0], steps = in.x.shape()[1],
             units = in.recurrent_kernel.shape()[0];
  const bool keep = is_recorded(span, "lstm");
  const Size kept = keep ? steps : 1;
  std::array<Tensor<T>, lstm_op::outputs> y;
  y[lstm_op::all_h] = Tensor<T>(Shape{batch, steps, units});
  y[lstm_op::gates] = Tensor<T>(Shape{kept, batch, 4 * units});
  y[lstm_op::all_c] = Tensor<T>(Shape{kept, batch, units});
  y[lstm_op::tanh_c] = Tensor<T>(Shape{kept, batch, units});
  const auto values = lstm_op::named<Tensor<T>>(
      o, [&](int k) { return inputs[static_cast<unsigned>(k)]->value(); });
  const auto arguments = lstm_op::arguments<T>(values, o);
  y[lstm_op::fed] = Tensor<T>(Shape{kept, batch, arguments.weights.width()});
  kernels::lstm_forward<T>(arguments, {.h = y[lstm_op::all_h].mutable_data(),
                                       .fed = y[lstm_op::fed].mutable_data(),
                                       .gates = y[lstm_op::gates].mutable_data(),
                                       .c = y[lstm_op::all_c].mutable_data(),
                                       .tanh_c = y[lstm_op::tanh_c].mutable_data(),
                                       .keep = keep});
  // The state after the last step, or the initial one when there is no step: from lines `row`
  // apart.
  auto last = [&](const T* from, Size row, const Tensor<T>& initial) {
    if (steps == 0) return initial.empty() ? Tensor<T>(Shape{batch, units}, T(0)) : initial;
    Tensor<T> state(Shape{batch, units});
    T* to = state.mutable_data();
    for (Size b = 0; b < batch; ++b) std::copy_n(from + b * row, units, to + b * units);
    return state;
  };
  y[lstm_op::last_h] =
      last(y[lstm_op::all_h].data() + (steps - 1) * units, steps * units, values.h0);
  y[lstm_op::last_c] =
      last(y[lstm_op::all_c].data() + (kept - 1) * batch * units, units, values.c0);

  const unsigned hidden =
      1u << lstm_op::gates | 1u << lstm_op::all_c | 1u << lstm_op::tanh_c | 1u << lstm_op::fed;
  std::array<Var<T>, lstm_op::outputs> results;
  record<T>(op_info<lstm_op, T>, span, y, {.inputs = (1u << n) - 1, .outputs = hidden}, &o,
            sizeof o, results);
  return {results[lstm_op::all_h], results[lstm_op::last_h], results[lstm_op::last_c]};
}

namespace {

// All outputs in one, so that each takes part in the gradient.
template <Scalar T>
Var<T> joined(const LstmOutputs<T>& y) {
  return concat(std::vector{y.h, unsqueeze(y.last_h, 1), unsqueeze(y.last_c, 1)}, 1);
}

// A sample: `arguments` makes the call from the inputs, by the op and by its reference.
template <class F>
Sample lstm_sample(std::string title, std::vector<SampleInput> inputs, F arguments,
                   LstmSequenceOptions options = {}) {
  const auto fused = [=](auto v) { return joined(lstm(arguments(v), options)); };
  const auto composed = [=](std::span<const Var<double>> v) {
    const LstmInputs<double> in = arguments(v);
    auto given = [](const Var<double>& x) { return !x.value().empty(); };
    return joined(
        lstm_op::composed<double>({in.x, in.kernel, in.recurrent_kernel, in.bias, in.initial_h,
                                   in.initial_c, in.mask, in.recurrent_mask},
                                  {options.go_backwards, given(in.bias), given(in.initial_h),
                                   given(in.mask), given(in.recurrent_mask)}));
  };
  return with_reference(sample(std::move(title), std::move(inputs), fused), composed);
}

std::vector<Sample> lstm_op::samples() {
  const SampleInput x{{2, 3, 5}}, kernel{{5, 16}, {-1, 1}}, recurrent{{4, 16}, {-1, 1}},
      bias{{16}, {-1, 1}}, state{{2, 4}, {-1, 1}};
  auto plain = []<Scalar T>(std::span<const Var<T>> v) {
    return LstmInputs<T>{.x = v[0], .kernel = v[1], .recurrent_kernel = v[2], .bias = v[3]};
  };
  auto with_state = [=]<Scalar T>(std::span<const Var<T>> v) {
    LstmInputs<T> in = plain(v);
    in.initial_h = v[4], in.initial_c = v[5];
    return in;
  };
  // Steps used: all of the first sample, the middle one only of the second.
  auto masked = [=]<Scalar T>(std::span<const Var<T>> v) {
    LstmInputs<T> in = with_state(v);
    in.mask = Var<T>(Tensor<T>({2, 3}, {1, 1, 1, 0, 1, 0}));
    return in;
  };
  auto dropped = []<Scalar T>(std::span<const Var<T>> v) {
    const Var<T> keep(Tensor<T>({2, 4}, {2, 0, 2, 0, 0, 2, 2, 2}));
    return LstmInputs<T>{
        .x = v[0], .kernel = v[1], .recurrent_kernel = v[2], .recurrent_mask = keep};
  };
  Sample no_steps =
      lstm_sample("no steps", {{{2, 0, 5}}, kernel, recurrent, bias, state, state}, with_state);
  no_steps.reference = {};  // the comparison wants gradients that are not all 0
  return {lstm_sample("plain", {x, kernel, recurrent, bias}, plain),
          lstm_sample("backwards", {x, kernel, recurrent, bias}, plain, {.go_backwards = true}),
          lstm_sample("initial state", {x, kernel, recurrent, bias, state, state}, with_state),
          lstm_sample("mask, state, backwards", {x, kernel, recurrent, bias, state, state}, masked,
                      {.go_backwards = true}),
          lstm_sample("recurrent mask, no bias", {x, kernel, recurrent}, dropped),
          lstm_sample("one step, one unit", {{{3, 1, 2}}, {{2, 4}}, {{1, 4}}, {{4}}}, plain),
          no_steps};
}

}  // namespace

std::vector<OpEntry> lstm_family() { return family<lstm_op>(Kind::fused); }

template LstmOutputs<float> lstm(const LstmInputs<float>&, LstmSequenceOptions);
template LstmOutputs<double> lstm(const LstmInputs<double>&, LstmSequenceOptions);

}  // namespace axisgrad
