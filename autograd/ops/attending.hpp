// What the two ops of dual_stage.hpp share.
#pragma once
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/dual_stage.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>

namespace axisgrad::attending {

inline void require_shape(std::string_view where, const char* what, const Shape& got,
                          const Shape& expected) {
  if (got != expected) fail(where, what, " has the shape ", got, ", expected ", expected);
}
inline void require_rank(std::string_view where, const char* what, const Shape& got, int rank) {
  if (got.rank() != rank) fail(where, what, " must have rank ", rank, ", got ", got);
}
inline void require_some(std::string_view where, Size steps, Size positions) {
  if (steps < 1 || positions < 1)
    fail(where, "needs at least one step and something to attend to, got ", steps, " steps and ",
         positions, " positions");
}

// What a step keeps for backward, beside its outputs.
template <Scalar T>
struct Kept {
  Tensor<T> fed, gates, c, tanh_c, query;
  Kept(Size steps, Size batch, Size size, const kernels::GateWeights<T>& w)
      : fed(Shape{steps, batch, w.width()}),
        gates(Shape{steps, batch, 4 * w.units}),
        c(Shape{steps, batch, w.units}),
        tanh_c(Shape{steps, batch, w.units}),
        query(Shape{steps, batch, size}) {}
  kernels::AttendingTrace<T> trace(bool keep) {
    return {fed.mutable_data(),    gates.mutable_data(), c.mutable_data(),
            tanh_c.mutable_data(), query.mutable_data(), keep};
  }
};
// The same from a rule, of which it is outputs first, first + 1, ...; only read.
template <Scalar T>
kernels::AttendingTrace<T> kept_trace(const Rule<T>& r, int first) {
  auto saved = [&](int k) { return const_cast<T*>(r.output_value(first + k).data()); };
  return {saved(0), saved(1), saved(2), saved(3), saved(4), true};
}
template <Scalar T>
double step_flops(const Shape& W, double steps, double inputs) {
  const auto size = static_cast<double>(W[0]), units = static_cast<double>(W[1]) / 2;
  return 2 * steps * ((inputs + units) * 4 * units + size * 2 * units);
}
// The gradients of a rule's inputs, made as they are asked for.
template <Scalar T, int N>
struct GradientList {
  const Rule<T>& r;
  std::array<Tensor<T>, N> d{};
  T* of(int k) {
    auto& t = d[static_cast<unsigned>(k)];
    t = Tensor<T>(r.shape(k));
    return t.mutable_data();
  }
};
template <Scalar T>
const T* cotangent_or_null(const Rule<T>& r, int k) {
  return r.has_cotangent(k) ? r.cotangent_value(k).data() : nullptr;
}

// One step of the LSTM on (B,inputs), by the public op.
template <Scalar T>
struct RecurrentCell {
  Var<T> kernel, recurrent, bias, h, c;
  void step(const Var<T>& x) {
    const LstmOutputs<T> y = lstm<T>({.x = unsqueeze(x, 1),
                                      .kernel = kernel,
                                      .recurrent_kernel = recurrent,
                                      .bias = bias,
                                      .initial_h = h,
                                      .initial_c = c});
    h = y.last_h, c = y.last_c;
  }
  Var<T> query(const Var<T>& W) const {
    return matmul(concat<T>({h, c}, 1), W, {.transpose_b = true});
  }
};

// A sample of Op: `outputs` makes one tensor of what it gives, by the op and by its reference.
template <class Op, class F>
Sample compared(std::string title, std::vector<SampleInput> inputs, F outputs) {
  const auto fused = [=](auto x) { return outputs(Op::apply(Op::arguments(x))); };
  const auto composed = [=](std::span<const Var<double>> x) {
    return outputs(Op::compose(Op::arguments(x)));
  };
  return with_reference(sample(std::move(title), std::move(inputs), fused), composed);
}

}  // namespace axisgrad::attending
