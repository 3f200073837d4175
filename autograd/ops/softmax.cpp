// Softmax along any axis.
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/softmax.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/ops/mask.hpp>

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
        sample("masked, one line wholly", {{{2, 3, 4}}},
               [](auto x) {
                 const Tensor<typename decltype(x)::value_type::scalar> mask(
                     {3, 4}, {1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0});
                 return softmax(x[0], -1, constant(mask));
               }),
        sample("an axis of size 1", {{{2, 1, 3}}}, [](auto x) { return softmax(x[0], 1); }),
        sample("beside an empty axis", {{{0, 4}}}, [](auto x) { return softmax(x[0], 1); })};
  }
};

struct log_softmax_op {
  static constexpr std::string_view name = "log_softmax";
  struct Options {
    int axis;
  };
  // dx = g - softmax(x) sum(g); 0 on a line of nothing but -infinity
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const int axis = r.template options<Options>().axis;
    const Var<T> y = r.output(), g = r.cotangent();
    if (g.size() == 0) return r.add(0, g);
    if (!r.recording()) {
      Tensor<T> dx(y.shape());
      kernels::log_softmax_backward(softmax_op::extent(y.shape(), axis), y.value().data(),
                                    g.value().data(), dx.mutable_data());
      return r.add(0, Var<T>(dx));
    }
    const Var<T> alive =
        greater(max(y.detach(), axis, {.keep = true}), Var<T>(-std::numeric_limits<T>::infinity()));
    r.add(0, alive * g - exp(y) * sum(g, axis, {.keep = true}));
  }
  static std::vector<Sample> samples() {
    return {
        sample("the last axis", {{{2, 3, 5}}}, [](auto x) { return log_softmax(x[0], -1); }),
        sample("axis 1", {{{2, 3, 1}}}, [](auto x) { return log_softmax(x[0], 1); }),
        sample("axis 0", {{{4, 3}}}, [](auto x) { return log_softmax(x[0], 0); }),
        sample("beside an empty axis", {{{0, 4}}}, [](auto x) { return log_softmax(x[0], 1); })};
  }
};

}  // namespace

template <Scalar T>
Var<T> softmax(const Var<T>& x, Axis axis, const Same<Var<T>>& mask) {
  const int a = resolve(axis, x.rank(), "softmax");
  if (!broadcasts_to(mask.shape(), x.shape()))
    fail("softmax", "the mask ", mask.shape(), " does not broadcast to ", x.shape());
  require_mask("softmax", mask.value());
  const Var<T> hidden(-std::numeric_limits<T>::infinity());
  Tensor<T> y = where(mask.detach(), x.detach(), hidden).value();
  T* data = y.mutable_data();
  kernels::softmax(softmax_op::extent(x.shape(), a), static_cast<const T*>(data), data);
  return record<softmax_op, T>({&x, &mask}, y, {.outputs = 1}, {a});
}

template <Scalar T>
Var<T> log_softmax(const Var<T>& x, Axis axis) {
  const int a = resolve(axis, x.rank(), "log_softmax");
  Tensor<T> y(x.shape());
  kernels::log_softmax(softmax_op::extent(x.shape(), a), x.value().data(), y.mutable_data());
  return record<log_softmax_op, T>({&x}, y, {.outputs = 1}, {a});
}

template <Scalar T>
Var<T> softmax(const Var<T>& x, Axis axis) {
  const int a = resolve(axis, x.rank(), "softmax");
  Tensor<T> y(x.shape());
  kernels::softmax(softmax_op::extent(x.shape(), a), x.value().data(), y.mutable_data());
  return record<softmax_op, T>({&x}, y, {.outputs = 1}, {a});
}

std::vector<OpEntry> softmax_family() { return family<softmax_op, log_softmax_op>(); }

template Var<float> softmax(const Var<float>&, Axis);
template Var<double> softmax(const Var<double>&, Axis);
template Var<float> softmax(const Var<float>&, Axis, const Var<float>&);
template Var<double> softmax(const Var<double>&, Axis, const Var<double>&);
template Var<float> log_softmax(const Var<float>&, Axis);
template Var<double> log_softmax(const Var<double>&, Axis);

}  // namespace axisgrad
