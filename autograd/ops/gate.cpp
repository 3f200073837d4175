// The gate of an attention block over time steps, x softmax(kernel^T x + bias), as one op.
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/gate.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/ops/gate.hpp>

namespace axisgrad {
namespace {

struct time_gate_op {
  static constexpr std::string_view name = "time_gate";
  struct Options {};
  enum Input { x, kernel, bias };
  enum Output { gated, weights };

  template <Scalar T>
  static kernels::Gate<T> problem(const Tensor<T>& of_x, const Tensor<T>& of_kernel,
                                  const Tensor<T>& of_bias) {
    const Shape& s = of_x.shape();
    return {s[0], s[1], s[2], of_x.data(), of_kernel.data(), of_bias.data()};
  }
  // Of the matrix product.
  template <Scalar T>
  static double flops(Inputs<T> in, const Options&) {
    return 2 * static_cast<double>(in[x]->size()) * static_cast<double>(in[x]->shape()[1]);
  }
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const auto cotangent = [&](int k) {
      return r.has_cotangent(k) ? r.cotangent_value(k).data() : nullptr;
    };
    Tensor<T> dx(r.shape(x)), dkernel(r.shape(kernel)), dbias(r.shape(bias));
    kernels::gate_backward(problem(r.input_value(x), r.input_value(kernel), r.input_value(bias)),
                           r.output_value(weights).data(), cotangent(gated), cotangent(weights),
                           dx.mutable_data(), dkernel.mutable_data(), dbias.mutable_data());
    r.add(x, std::move(dx));
    r.add(kernel, std::move(dkernel));
    r.add(bias, std::move(dbias));
  }
  template <Scalar T>
  static GatedByTime<T> composed(const Var<T>& of_x, const Var<T>& of_kernel,
                                 const Var<T>& of_bias) {
    const Var<T> scores = matmul(of_kernel, of_x, {.transpose_a = true}) + unsqueeze(of_bias, 1);
    const Var<T> w = softmax(scores, 1);
    return {of_x * w, w};
  }
  template <Scalar T>
  static std::vector<Var<T>> reference(Rule<T>& r) {
    const auto y = composed(r.input(x), r.input(kernel), r.input(bias));
    return {y.out, y.weights};
  }
  static std::vector<Sample> samples() {
    auto of = [](std::string title, Size batch, Size steps, Size features, auto outputs) {
      return with_reference(
          sample(std::move(title), {{{batch, steps, features}}, {{steps, steps}}, {{steps}}},
                 [=](auto v) { return outputs(time_gate(v[0], v[1], v[2])); }),
          [=](auto v) { return outputs(composed(v[0], v[1], v[2])); });
    };
    const auto both = [](const auto& y) { return y.out * y.weights; };
    return {of("the output", 2, 3, 5, [](const auto& y) { return y.out; }),
            of("the weights", 2, 4, 3, [](const auto& y) { return y.weights; }),
            of("both", 3, 2, 17, both), of("one feature", 2, 3, 1, both),
            of("no samples", 0, 2, 3, both)};
  }
};

}  // namespace

template <Scalar T>
GatedByTime<T> time_gate(const Var<T>& x, const Same<Var<T>>& kernel, const Same<Var<T>>& bias) {
  using Op = time_gate_op;
  if (x.rank() != 3) fail(Op::name, "expects x (batch, time, feature), got ", x.shape());
  const Size steps = x.shape()[1];
  if (kernel.shape() != Shape{steps, steps} || bias.shape() != Shape{steps})
    fail(Op::name, "a sequence of ", steps, " steps needs a kernel (", steps, ',', steps,
         ") and a bias (", steps, "), got ", kernel.shape(), " and ", bias.shape());
  std::array<Tensor<T>, 2> y{Tensor<T>(x.shape()), Tensor<T>(x.shape())};
  kernels::gate(Op::problem(x.value(), kernel.value(), bias.value()), y[Op::weights].mutable_data(),
                y[Op::gated].mutable_data());
  const auto results = record<Op, T>({&x, &kernel, &bias}, std::move(y),
                                     {.inputs = 7, .outputs = 1u << Op::weights});
  return {results[Op::gated], results[Op::weights]};
}

std::vector<OpEntry> gate_family() { return family<time_gate_op>(Kind::fused); }

template GatedByTime<float> time_gate(const Var<float>&, const Var<float>&, const Var<float>&);
template GatedByTime<double> time_gate(const Var<double>&, const Var<double>&, const Var<double>&);

}  // namespace axisgrad
