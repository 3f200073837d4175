// Reductions over any axes.
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/reduce.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/ops/reduced.hpp>

namespace axisgrad {
namespace {

// Reduces the axes in `set`, each group of neighbours in one pass, the last group first. The result
// keeps them with size 1.
template <class T, class Kernel>
Tensor<T> reduce(Tensor<T> x, unsigned set, Kernel kernel) {
  const int rank = x.rank();
  for (int last = rank; last > 0;) {
    if (!(set >> (last - 1) & 1)) {
      --last;
      continue;
    }
    int first = last - 1;
    while (first > 0 && set >> (first - 1) & 1) --first;
    const Shape& s = x.shape();
    const unsigned group = (1u << last) - (1u << first);
    Tensor<T> y(s.without(group, true));
    kernel(kernels::Extent{s.product(0, first), s.product(first, last), s.product(last, rank)},
           x.data(), y.mutable_data());
    x = std::move(y);
    last = first;
  }
  return x;
}

using detail::kept;

struct sum_op {
  static constexpr std::string_view name = "sum";
  struct Options {
    unsigned axes;
  };
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const Shape x = r.shape(0);
    r.add(0, expand(kept(r.cotangent(), x, r.template options<Options>().axes), x));
  }
  static std::vector<Sample> samples() {
    return {sample("all", {{{2, 3, 5}}}, [](auto x) { return sum(x[0]); }),
            sample("axis 0", {{{4, 1, 3}}}, [](auto x) { return sum(x[0], 0); }),
            sample("axes 0 and -1, kept", {{{2, 3, 5}}},
                   [](auto x) {
                     return sum(x[0], {0, -1}, {.keep = true});
                   }),
            sample("axis 1", {{{2, 3, 5}}}, [](auto x) { return sum(x[0], 1); }),
            sample("no axis", {{{2, 3}}},
                   [](auto x) { return sum(x[0], Axes{std::initializer_list<Axis>{}}); }),
            sample("rank 0", {{{}}}, [](auto x) { return sum(x[0]); }),
            sample("an empty axis", {{{0, 4}}}, [](auto x) { return sum(x[0], 0); }),
            sample("beside an empty axis", {{{0, 4}}}, [](auto x) { return sum(x[0], 1); })};
  }
};

struct mean_op {  // sum / n, so that the mean of ones is 1 for any n
  static constexpr std::string_view name = "mean";
  static std::vector<Sample> samples() {
    return {
        sample("all", {{{2, 3, 5}}}, [](auto x) { return mean(x[0]); }),
        sample("axis 1, kept", {{{2, 3, 1}}}, [](auto x) { return mean(x[0], 1, {.keep = true}); }),
        sample("axes 0 and 2", {{{2, 3, 5}}}, [](auto x) {
          return mean(x[0], {0, 2});
        })};
  }
};

struct max_op {
  static constexpr std::string_view name = "max";
  struct Options {
    unsigned axes;
  };
  // Equal maxima share the gradient evenly: g / count where x == y.
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const unsigned axes = r.template options<Options>().axes;
    const Var<T> x = r.input(0), chosen = equal(x, kept(r.output(), x.shape(), axes));
    const Var<T> count = sum(chosen, Axes::of(axes), {.keep = true});
    r.add(0, chosen / count * kept(r.cotangent(), x.shape(), axes));
  }
  static std::vector<Sample> samples() {
    return {
        sample("all", {{{2, 3, 5}}}, [](auto x) { return max(x[0]); }),
        sample("axis 0", {{{4, 1, 3}}}, [](auto x) { return max(x[0], 0); }),
        sample("axis 1, kept", {{{2, 3, 5}}}, [](auto x) { return max(x[0], 1, {.keep = true}); }),
        sample("axes 0 and 2", {{{2, 3, 5}}},
               [](auto x) {
                 return max(x[0], {0, 2});
               }),
        sample("beside an empty axis", {{{0, 4}}}, [](auto x) { return max(x[0], 1); })};
  }
};

struct sum_to_op {
  static constexpr std::string_view name = "sum_to";
  static std::vector<Sample> samples() {
    return {sample("a row", {{{2, 3, 5}}}, [](auto x) { return sum_to(x[0], Shape{5}); }),
            sample("a column", {{{2, 3, 5}}},
                   [](auto x) {
                     return sum_to(x[0], Shape{3, 1});
                   }),
            sample("beside an axis of size 1", {{{2, 1, 5}}},
                   [](auto x) {
                     return sum_to(x[0], Shape{1, 5});
                   }),
            sample("a scalar", {{{2, 3}}}, [](auto x) { return sum_to(x[0], Shape{}); }),
            sample("itself", {{{2, 3}}}, [](auto x) {
              return sum_to(x[0], Shape{2, 3});
            })};
  }
};

}  // namespace

namespace {

template <class T>
unsigned axes_of(const Var<T>& x, const Axes& axes, std::string_view where) {
  if (x.value().empty()) fail(where, "the input is empty: it has no value");
  return resolve(axes, x.rank(), where);
}

}  // namespace

template <Scalar T>
Var<T> sum(const Var<T>& x, const Axes& axes, ReduceOptions options) {
  const unsigned set = axes_of(x, axes, "sum");
  const Tensor<T> y = reduce(x.value(), set, &kernels::sum<T>);
  return record<sum_op, T>({&x}, y.reshaped(x.shape().without(set, options.keep)), {}, {set});
}

template <Scalar T>
Var<T> mean(const Var<T>& x, const Axes& axes, ReduceOptions options) {
  const unsigned set = axes_of(x, axes, "mean");
  Size n = 1;
  for (int a = 0; a < x.rank(); ++a)
    if (set >> a & 1) n *= x.shape()[a];
  return sum(x, axes, options) / static_cast<T>(n);
}

template <Scalar T>
Var<T> max(const Var<T>& x, const Axes& axes, ReduceOptions options) {
  const unsigned set = axes_of(x, axes, "max");
  const Shape out = x.shape().without(set, options.keep);
  if (x.size() == 0 && out.size() > 0)
    fail("max", "no maximum over an empty axis of the shape ", x.shape());
  const Tensor<T> y = reduce(x.value(), set, &kernels::max<T>);
  return record<max_op, T>({&x}, y.reshaped(out), {.inputs = 1, .outputs = 1}, {set});
}

template <Scalar T>
Var<T> sum_to(const Var<T>& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (!broadcasts_to(shape, x.shape()))
    fail("sum_to", shape, " does not broadcast to the shape ", x.shape());
  unsigned set = 0;
  const int front = x.rank() - shape.rank();
  for (int a = 0; a < x.rank(); ++a)
    if (a < front || shape[a - front] != x.shape()[a]) set |= 1u << a;
  return reshape(record<sum_op, T>({&x}, reduce(x.value(), set, &kernels::sum<T>), {}, {set}),
                 shape);
}

std::vector<OpEntry> reduce_family() { return family<sum_op, mean_op, max_op, sum_to_op>(); }

template Var<float> sum(const Var<float>&, const Axes&, ReduceOptions);
template Var<double> sum(const Var<double>&, const Axes&, ReduceOptions);
template Var<float> mean(const Var<float>&, const Axes&, ReduceOptions);
template Var<double> mean(const Var<double>&, const Axes&, ReduceOptions);
template Var<float> max(const Var<float>&, const Axes&, ReduceOptions);
template Var<double> max(const Var<double>&, const Axes&, ReduceOptions);
template Var<float> sum_to(const Var<float>&, const Shape&);
template Var<double> sum_to(const Var<double>&, const Shape&);

}  // namespace axisgrad
