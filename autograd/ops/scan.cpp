// Along one axis, element by element: running sums and the position of the largest.
#include <cmath>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>

namespace axisgrad {
namespace {

struct Lines {
  Size outer, n, inner;
  Lines(const Shape& s, int axis)
      : outer(s.product(0, axis)), n(s[axis]), inner(s.product(axis + 1, s.rank())) {}
};

struct cumsum_op {
  static constexpr std::string_view name = "cumsum";
  struct Options {
    int axis;
    bool reverse;
  };
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const auto& o = r.template options<Options>();
    r.add(0, cumsum(r.cotangent(), o.axis, {.reverse = !o.reverse}));
  }
  static std::vector<Sample> samples() {
    return {sample("axis 1", {{{2, 3, 5}}}, [](auto x) { return cumsum(x[0], 1); }),
            sample("the last axis, from the end", {{{2, 1, 5}}},
                   [](auto x) { return cumsum(x[0], -1, {.reverse = true}); }),
            sample("axis 0", {{{4, 3}}}, [](auto x) { return cumsum(x[0], 0); }),
            sample("an empty axis", {{{0, 3}}}, [](auto x) { return cumsum(x[0], 0); })};
  }
};

struct argmax_op {
  static constexpr std::string_view name = "argmax";
  static constexpr bool differentiable = false;
  static std::vector<Sample> samples() {
    return {sample("axis 1", {{{2, 3, 5}}}, [](auto x) { return argmax(x[0], 1); }),
            sample("axis 0, kept", {{{4, 1, 3}}},
                   [](auto x) { return argmax(x[0], 0, {.keep = true}); })};
  }
};
struct argmin_op {
  static constexpr std::string_view name = "argmin";
  static constexpr bool differentiable = false;
  static std::vector<Sample> samples() {
    return {sample("axis 1", {{{4, 3, 1}}}, [](auto x) { return argmin(x[0], 1); }),
            sample("the last axis", {{{2, 3, 5}}}, [](auto x) { return argmin(x[0], -1); })};
  }
};

// The first position that no other beats; a NaN beats all numbers.
template <class Op, class T, class Beats>
Var<T> best(const Var<T>& x, Axis axis, ReduceOptions options, Beats beats) {
  const int a = resolve(axis, x.rank(), Op::name);
  const Lines l(x.shape(), a);
  const Shape out = x.shape().without(1u << a, options.keep);
  if (l.n == 0 && out.size() > 0)
    fail(Op::name, "no position on an empty axis of the shape ", x.shape());
  if (l.n > Size(1) << std::numeric_limits<T>::digits)
    fail(Op::name, "positions on an axis of size ", l.n, " are not exact in this scalar type");
  Tensor<T> y(out);
  T* to = y.mutable_data();
  for (Size o = 0; o < l.outer; ++o)
    for (Size i = 0; i < l.inner; ++i) {
      const T* line = x.value().data() + o * l.n * l.inner + i;
      Size at = 0;
      for (Size k = 1; k < l.n; ++k) {
        const T most = line[at * l.inner], v = line[k * l.inner];
        if (!std::isnan(most) && (std::isnan(v) || beats(v, most))) at = k;
      }
      *to++ = static_cast<T>(at);
    }
  return record<Op, T>({&x}, y);
}

}  // namespace

template <Scalar T>
Var<T> cumsum(const Var<T>& x, Axis axis, CumsumOptions options) {
  const int a = resolve(axis, x.rank(), "cumsum");
  const Lines l(x.shape(), a);
  Tensor<T> y(x.shape());
  const T* from = x.value().data();
  T* to = y.mutable_data();
  for (Size o = 0; o < l.outer; ++o)
    for (Size i = 0; i < l.inner; ++i) {
      double total = 0;  // a float sum of many terms would stall
      for (Size k = 0; k < l.n; ++k) {
        const Size at = (o * l.n + (options.reverse ? l.n - 1 - k : k)) * l.inner + i;
        total += static_cast<double>(from[at]);
        to[at] = static_cast<T>(total);
      }
    }
  return record<cumsum_op, T>({&x}, y, {}, {a, options.reverse});
}

template <Scalar T>
Var<T> argmax(const Var<T>& x, Axis axis, ReduceOptions options) {
  return best<argmax_op>(x, axis, options, [](T a, T b) { return a > b; });
}
template <Scalar T>
Var<T> argmin(const Var<T>& x, Axis axis, ReduceOptions options) {
  return best<argmin_op>(x, axis, options, [](T a, T b) { return a < b; });
}

std::vector<OpEntry> scan_family() { return family<cumsum_op, argmax_op, argmin_op>(); }

template Var<float> cumsum(const Var<float>&, Axis, CumsumOptions);
template Var<double> cumsum(const Var<double>&, Axis, CumsumOptions);
template Var<float> argmax(const Var<float>&, Axis, ReduceOptions);
template Var<double> argmax(const Var<double>&, Axis, ReduceOptions);
template Var<float> argmin(const Var<float>&, Axis, ReduceOptions);
template Var<double> argmin(const Var<double>&, Axis, ReduceOptions);

}  // namespace axisgrad
