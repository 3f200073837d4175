// Ops that repeat, join, cut and pad, made of those in shape.cpp.
#include <algorithm>
#include <numeric>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>

namespace axisgrad {
namespace {

struct repeat_op {
  static constexpr std::string_view name = "repeat";
  static std::vector<Sample> samples() {
    return {sample("axis 1", {{{2, 3, 5}}}, [](auto x) { return repeat(x[0], 2, 1); }),
            sample("the last axis", {{{4, 1}}}, [](auto x) { return repeat(x[0], 3, -1); }),
            sample("no times", {{{2, 3}}}, [](auto x) { return repeat(x[0], 0, 0); })};
  }
};
struct stack_op {
  static constexpr std::string_view name = "stack";
  static std::vector<Sample> samples() {
    return {sample("axis 1 of three", {{{3, 2, 5}}, {{3, 2, 5}}},
                   [](auto x) { return stack(std::vector(x.begin(), x.end()), 1); }),
            sample("axis 1", {{{2, 3}}, {{2, 3}}, {{2, 3}}, {{2, 3}}},
                   [](auto x) { return stack(std::vector(x.begin(), x.end()), 1); }),
            sample("axis 0", {{{2, 3}}, {{2, 3}}},
                   [](auto x) { return stack(std::vector(x.begin(), x.end()), 0); }),
            sample("behind the last axis", {{{3, 1}}, {{3, 1}}},
                   [](auto x) { return stack(std::vector(x.begin(), x.end()), -1); }),
            sample("rank 0", {{{}}, {{}}},
                   [](auto x) { return stack(std::vector(x.begin(), x.end()), 0); })};
  }
};
struct split_op {
  static constexpr std::string_view name = "split";
  static std::vector<Sample> samples() {
    return {sample("axis 0 beside an axis of size 1", {{{5, 1, 3}}},
                   [](auto x) {
                     const auto parts = split(x[0], {2, 3}, 0);
                     return parts[0] * sum(parts[1], 0);
                   }),
            sample("sizes", {{{2, 6, 3}}},
                   [](auto x) {
                     const auto parts = split(x[0], {1, 3, 2}, 1);
                     return parts[0] * sum(parts[1]) + sum(square(parts[2]));
                   }),
            sample("axis 0 beside one of size 1", {{{4, 1, 3}}},
                   [](auto x) {
                     const auto parts = split(x[0], {1, 3}, 0);
                     return square(parts[1]) * parts[0];
                   }),
            sample("equal parts", {{{2, 4}}}, [](auto x) {
              const auto parts = split(x[0], 2, -1);
              return parts[0] * parts[1];
            })};
  }
};
struct pad_op {
  static constexpr std::string_view name = "pad";
  static std::vector<Sample> samples() {
    return {sample("axis 0 beside an axis of size 1", {{{4, 1, 3}}},
                   [](auto x) { return pad(x[0], {.axis = 0, .before = 1, .value = -2}); }),
            sample("axis 1", {{{2, 3, 5}}},
                   [](auto x) { return pad(x[0], {.axis = 1, .before = 2, .after = 1}); }),
            sample("an axis of size 1", {{{2, 1, 3}}},
                   [](auto x) { return pad(x[0], {.axis = 1, .before = 1}); }),
            sample("after, with ones", {{{4, 3}}},
                   [](auto x) { return pad(x[0], {.axis = -1, .after = 2, .value = 1}); }),
            sample("an empty axis", {{{0, 3}}},
                   [](auto x) { return pad(x[0], {.axis = 1, .after = 2}); })};
  }
};

}  // namespace

template <Scalar T>
Var<T> squeeze(const Var<T>& x, const Axes& axes) {
  unsigned set = 0;
  if (axes.all()) {
    for (int a = 0; a < x.rank(); ++a)
      if (x.shape()[a] == 1) set |= 1u << a;
  } else {
    set = resolve(axes, x.rank(), "squeeze");
    for (int a = 0; a < x.rank(); ++a)
      if (set >> a & 1 && x.shape()[a] != 1)
        fail("squeeze", "axis ", a, " of ", x.shape(), " has not size 1");
  }
  return reshape(x, x.shape().without(set));
}

template <Scalar T>
Var<T> unsqueeze(const Var<T>& x, Axis axis) {
  return reshape(x, x.shape().inserted(resolve(axis, x.rank() + 1, "unsqueeze"), 1));
}

// Elements repeated one by one: (outer, n, inner) is expanded as (outer, n, times, inner).
template <Scalar T>
Var<T> repeat(const Var<T>& x, Size times, Axis axis) {
  const Shape& s = x.shape();
  const int a = resolve(axis, s.rank(), "repeat");
  if (times < 0) fail("repeat", "cannot repeat ", times, " times");
  const Size outer = s.product(0, a), n = s[a], inner = s.product(a + 1, s.rank());
  const Var<T> once = reshape(x, Shape{outer, n, 1, inner});
  return reshape(expand(once, Shape{outer, n, times, inner}), s.with(a, n * times));
}

template <Scalar T>
Var<T> stack(const std::vector<Var<T>>& xs, Axis axis) {
  if (xs.empty()) fail("stack", "nothing to join");
  std::vector<Var<T>> parts;
  for (const Var<T>& x : xs) {
    if (x.shape() != xs[0].shape())
      fail("stack", "shapes differ: got ", xs[0].shape(), " and ", x.shape());
    parts.push_back(unsqueeze(x, axis));
  }
  return concat(parts, axis);
}

template <Scalar T>
std::vector<Var<T>> split(const Var<T>& x, const std::vector<Size>& sizes, Axis axis) {
  const int a = resolve(axis, x.rank(), "split");
  const auto negative = std::find_if(sizes.begin(), sizes.end(), [](Size n) { return n < 0; });
  if (negative != sizes.end()) fail("split", "the sizes must not be negative, got ", *negative);
  const Size total = std::accumulate(sizes.begin(), sizes.end(), Size(0));
  if (total != x.shape()[a])
    fail("split", "the sizes add up to ", total, ", axis ", a, " of ", x.shape(), " has ",
         x.shape()[a]);
  std::vector<Var<T>> parts;
  Size begin = 0;
  for (Size n : sizes) {
    parts.push_back(slice(x, {.axis = a, .begin = begin, .end = begin + n}));
    begin += n;
  }
  return parts;
}
template <Scalar T>
std::vector<Var<T>> split(const Var<T>& x, int parts, Axis axis) {
  const int a = resolve(axis, x.rank(), "split");
  const Size n = x.shape()[a];
  if (parts < 1 || n % parts != 0)
    fail("split", "axis ", a, " of ", x.shape(), " cannot be cut into ", parts, " equal parts");
  return split(x, std::vector<Size>(static_cast<std::size_t>(parts), n / parts), axis);
}

template <Scalar T>
Var<T> pad(const Var<T>& x, PadOptions options) {
  const int a = resolve(options.axis, x.rank(), "pad");
  if (options.before < 0 || options.after < 0)
    fail("pad", "cannot add ", options.before, " positions before and ", options.after, " after");
  const auto filled = [&](Size n) {
    return Var<T>(Tensor<T>(x.shape().with(a, n), static_cast<T>(options.value)));
  };
  return concat(std::vector<Var<T>>{filled(options.before), x, filled(options.after)}, a);
}

std::vector<OpEntry> arrange_family() { return family<repeat_op, stack_op, split_op, pad_op>(); }

template Var<float> squeeze(const Var<float>&, const Axes&);
template Var<double> squeeze(const Var<double>&, const Axes&);
template Var<float> unsqueeze(const Var<float>&, Axis);
template Var<double> unsqueeze(const Var<double>&, Axis);
template Var<float> repeat(const Var<float>&, Size, Axis);
template Var<double> repeat(const Var<double>&, Size, Axis);
template Var<float> stack(const std::vector<Var<float>>&, Axis);
template Var<double> stack(const std::vector<Var<double>>&, Axis);
template std::vector<Var<float>> split(const Var<float>&, const std::vector<Size>&, Axis);
template std::vector<Var<double>> split(const Var<double>&, const std::vector<Size>&, Axis);
template std::vector<Var<float>> split(const Var<float>&, int, Axis);
template std::vector<Var<double>> split(const Var<double>&, int, Axis);
template Var<float> pad(const Var<float>&, PadOptions);
template Var<double> pad(const Var<double>&, PadOptions);

}  // namespace axisgrad
