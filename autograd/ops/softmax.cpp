// Softmax along any axis.
#include <axisgrad/autograd/kernels/softmax.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>

namespace axisgrad {
namespace {

struct softmax_op {
  static constexpr std::string_view name = "softmax";
  struct Options {
    int axis;
  };
  static kernels::Extent extent(const Shape& s, int axis) {
    return {s.product(0, axis), s[axis], s.product(axis + 1, s.rank())};
  }
  // dx = y (g - sum(y g))
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const int axis = r.template options<Options>().axis;
    const Var<T> y = r.output(), g = r.cotangent();
    if (r.recording()) return r.add(0, y * (g - sum(y * g, axis, {.keep = true})));
    Tensor<T> dx(y.shape());
    kernels::softmax_backward(extent(y.shape(), axis), y.value().data(), g.value().data(),
                              dx.mutable_data());
    r.add(0, Var<T>(dx));
  }
  static std::vector<Sample> samples() {
    return {
        sample("the last axis", {{{2, 3, 5}}}, [](auto x) { return softmax(x[0], -1); }),
        sample("axis 1", {{{2, 3, 5}}}, [](auto x) { return softmax(x[0], 1); }),
        sample("axis 0", {{{4, 1, 3}}}, [](auto x) { return softmax(x[0], 0); }),
        sample("two equal axes, the first", {{{3, 3}}}, [](auto x) { return softmax(x[0], 0); }),
        sample("a long row", {{{2, 21}}}, [](auto x) { return softmax(x[0], 1); }),
        sample("an axis of size 1", {{{2, 1, 3}}}, [](auto x) { return softmax(x[0], 1); }),
        sample("beside an empty axis", {{{0, 4}}}, [](auto x) { return softmax(x[0], 1); })};
  }
};

}  // namespace

template <Scalar T>
Var<T> softmax(const Var<T>& x, Axis axis) {
  const int a = resolve(axis, x.rank(), "softmax");
  Tensor<T> y(x.shape());
  kernels::softmax(softmax_op::extent(x.shape(), a), x.value().data(), y.mutable_data());
  return record<softmax_op, T>({&x}, y, {.outputs = 1}, {a});
}

std::vector<OpEntry> softmax_family() { return family<softmax_op>(); }

template Var<float> softmax(const Var<float>&, Axis);
template Var<double> softmax(const Var<double>&, Axis);

}  // namespace axisgrad
