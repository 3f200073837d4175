// Reductions made of others, each with a gradient of its own where the composition's would be NaN.
#include <algorithm>
#include <cmath>
#include <limits>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/ops/reduced.hpp>

namespace axisgrad {
namespace {

struct Reduced {
  unsigned axes;
};

using detail::kept;

template <class T>
T count(const Shape& x, unsigned axes) {
  Size n = 1;
  for (int a = 0; a < x.rank(); ++a)
    if (axes >> a & 1) n *= x[a];
  return static_cast<T>(n);
}

// x - mean(x), taken relative to the first element of each line: the mean of equal numbers may be
// off by a rounding, the mean of zeros is not, so that a constant line has no deviation at all.
template <class T>
Var<T> centred(const Var<T>& x, const Axes& axes) {
  Var<T> first = x.detach();
  for (int a : axes) first = slice(first, {.axis = a, .begin = 0, .end = 1});
  const Var<T> c = x - first;
  return c - mean(c, axes, {.keep = true});
}

struct var_op {  // slope 2 (x - mean) / n
  static constexpr std::string_view name = "var";
  using Options = Reduced;
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const unsigned axes = r.template options<Reduced>().axes;
    const Var<T> x = r.input(0);
    const Var<T> g = kept(r.cotangent() * (2 / count<T>(x.shape(), axes)), x.shape(), axes);
    r.add(0, g * centred(x, Axes::of(axes)));
  }
  static std::vector<Sample> samples() {
    return {
        sample("all", {{{2, 3, 5}}}, [](auto x) { return var(x[0]); }),
        sample("axis 1, kept", {{{4, 3, 1}}}, [](auto x) { return var(x[0], 1, {.keep = true}); }),
        sample("axes 0 and 2", {{{2, 3, 5}}},
               [](auto x) {
                 return var(x[0], {0, 2});
               }),
        sample("beside an empty axis", {{{0, 4}}}, [](auto x) { return var(x[0], 1); })};
  }
};

struct stddev_op {  // slope (x - mean) / (n y), 0 where y is 0
  static constexpr std::string_view name = "stddev";
  using Options = Reduced;
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const unsigned axes = r.template options<Reduced>().axes;
    const Var<T> x = r.input(0), y = r.output();
    const Var<T> slope = r.cotangent() / (where(y, y, Var<T>(T(1))) * count<T>(x.shape(), axes));
    r.add(0, kept(where(y, slope, Var<T>(T(0))), x.shape(), axes) * centred(x, Axes::of(axes)));
  }
  static std::vector<Sample> samples() {
    return {sample("all", {{{2, 3, 5}}}, [](auto x) { return stddev(x[0]); }),
            sample("axis 0", {{{4, 1, 3}}}, [](auto x) { return stddev(x[0], 0); }),
            sample("axes 1 and 2, kept", {{{2, 3, 5}}},
                   [](auto x) {
                     return stddev(x[0], {1, -1}, {.keep = true});
                   }),
            sample("beside an empty axis", {{{0, 4}}}, [](auto x) { return stddev(x[0], 1); })};
  }
};

struct norm_op {  // slope x / |x|, 0 at the zero vector
  static constexpr std::string_view name = "norm";
  using Options = Reduced;
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const unsigned axes = r.template options<Reduced>().axes;
    const Var<T> x = r.input(0), y = r.output();
    const Var<T> slope = where(y, r.cotangent() / where(y, y, Var<T>(T(1))), Var<T>(T(0)));
    r.add(0, x * kept(slope, x.shape(), axes));
  }
  static std::vector<Sample> samples() {
    return {
        sample("all", {{{2, 3, 5}}}, [](auto x) { return norm(x[0]); }),
        sample("axis 1", {{{2, 3, 5}}}, [](auto x) { return norm(x[0], 1); }),
        sample("axis 0, kept", {{{4, 1, 3}}}, [](auto x) { return norm(x[0], 0, {.keep = true}); }),
        sample("axes 0 and 2", {{{2, 3, 5}}},
               [](auto x) {
                 return norm(x[0], {0, 2});
               }),
        sample("beside an empty axis", {{{0, 4}}}, [](auto x) { return norm(x[0], 1); })};
  }
};

// The norm, of the line divided by its unit, which has size 1 on the axes.
template <class T>
Var<T> norm_in(const Var<T>& x, const Var<T>& unit, const Axes& axes, ReduceOptions options) {
  const Var<T> y = unit * sqrt(sum(square(x / unit), axes, {.keep = true}));
  return options.keep ? y : squeeze(y, axes);
}

// The largest element, where it is finite, else 0: what exponents are shifted by. A constant.
template <class T>
Var<T> shift(const Var<T>& x, const Axes& axes) {
  const Var<T> m = max(x.detach(), axes, {.keep = true});
  return where(less(abs(m), std::numeric_limits<T>::infinity()), m, Var<T>(T(0)));
}

// Softmax over several axes at once; zeros where all is -infinity.
template <class T>
Var<T> weights(const Var<T>& x, const Axes& axes) {
  if (axes.count() == 1) return softmax(x, *axes.begin());
  const Var<T> e = exp(x - shift(x, axes)), s = sum(e, axes, {.keep = true});
  return e / where(s, s, Var<T>(T(1)));
}

struct logsumexp_op {  // slope softmax(x), not e^(x-y): y has lost the digits next to a large x
  static constexpr std::string_view name = "logsumexp";
  using Options = Reduced;
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const unsigned axes = r.template options<Reduced>().axes;
    const Var<T> x = r.input(0);
    r.add(0, weights(x, Axes::of(axes)) * kept(r.cotangent(), x.shape(), axes));
  }
  static std::vector<Sample> samples() {
    return {sample("all", {{{2, 3, 5}}}, [](auto x) { return logsumexp(x[0]); }),
            sample("axis 1", {{{2, 3, 5}}}, [](auto x) { return logsumexp(x[0], 1); }),
            sample("axes 0 and 2, kept", {{{2, 3, 5}}},
                   [](auto x) {
                     return logsumexp(x[0], {0, 2}, {.keep = true});
                   }),
            sample("an axis of size 1", {{{4, 1, 3}}}, [](auto x) { return logsumexp(x[0], 1); }),
            sample("beside an empty axis", {{{0, 4}}}, [](auto x) { return logsumexp(x[0], 1); })};
  }
};

struct min_op {  // -max(-x)
  static constexpr std::string_view name = "min";
  static std::vector<Sample> samples() {
    return {
        sample("all", {{{2, 3, 5}}}, [](auto x) { return min(x[0]); }),
        sample("axis 1, kept", {{{4, 3, 1}}}, [](auto x) { return min(x[0], 1, {.keep = true}); })};
  }
};

}  // namespace

template <Scalar T>
Var<T> min(const Var<T>& x, const Axes& axes, ReduceOptions options) {
  return -max(-x, axes, options);
}

template <Scalar T>
Var<T> var(const Var<T>& x, const Axes& axes, ReduceOptions options) {
  const unsigned set = resolve(axes, x.rank(), "var");
  const Var<T> y = mean(square(centred(x.detach(), Axes::of(set))), Axes::of(set), options);
  return record<var_op, T>({&x}, y.value(), {.inputs = 1}, {set});
}

template <Scalar T>
Var<T> stddev(const Var<T>& x, const Axes& axes, ReduceOptions options) {
  const unsigned set = resolve(axes, x.rank(), "stddev");
  const Var<T> y = sqrt(var(x.detach(), Axes::of(set), options));
  return record<stddev_op, T>({&x}, y.value(), {.inputs = 1, .outputs = 1}, {set});
}

template <Scalar T>
Var<T> norm(const Var<T>& x, const Axes& axes, ReduceOptions options) {
  const unsigned set = resolve(axes, x.rank(), "norm");
  const Var<T> c = x.detach();
  Var<T> y = sqrt(sum(square(c), Axes::of(set), options));
  // Squares that have left the range of T: again, relative to the largest element.
  constexpr T largest = std::numeric_limits<T>::max(), smallest = std::numeric_limits<T>::min(),
              eps = std::numeric_limits<T>::epsilon();
  if (x.size() > 0 && std::any_of(y.value().begin(), y.value().end(),
                                  [&](T v) { return v > largest || v * v < smallest / eps; })) {
    const Var<T> m = max(abs(c), Axes::of(set), {.keep = true});
    const Var<T> unit =
        where(greater(m, T(0)) * less(m, std::numeric_limits<T>::infinity()), m, Var<T>(T(1)));
    y = norm_in(c, unit, Axes::of(set), options);
  }
  return record<norm_op, T>({&x}, y.value(), {.inputs = 1, .outputs = 1}, {set});
}

template <Scalar T>
Var<T> logsumexp(const Var<T>& x, const Axes& axes, ReduceOptions options) {
  const unsigned set = resolve(axes, x.rank(), "logsumexp");
  const Shape out = x.shape().without(set, options.keep);
  if (x.size() == 0 && out.size() > 0)  // log 0
    return record<logsumexp_op, T>({&x}, Tensor<T>(out, -std::numeric_limits<T>::infinity()),
                                   {.inputs = 1}, {set});
  const Var<T> c = x.detach(), m = shift(c, Axes::of(set));
  const Var<T> y = m + log(sum(exp(c - m), Axes::of(set), {.keep = true}));
  return record<logsumexp_op, T>({&x}, y.value().reshaped(out), {.inputs = 1}, {set});
}

std::vector<OpEntry> statistics_family() {
  return family<min_op, var_op, stddev_op, norm_op, logsumexp_op>();
}

template Var<float> min(const Var<float>&, const Axes&, ReduceOptions);
template Var<double> min(const Var<double>&, const Axes&, ReduceOptions);
template Var<float> var(const Var<float>&, const Axes&, ReduceOptions);
template Var<double> var(const Var<double>&, const Axes&, ReduceOptions);
template Var<float> stddev(const Var<float>&, const Axes&, ReduceOptions);
template Var<double> stddev(const Var<double>&, const Axes&, ReduceOptions);
template Var<float> norm(const Var<float>&, const Axes&, ReduceOptions);
template Var<double> norm(const Var<double>&, const Axes&, ReduceOptions);
template Var<float> logsumexp(const Var<float>&, const Axes&, ReduceOptions);
template Var<double> logsumexp(const Var<double>&, const Axes&, ReduceOptions);

}  // namespace axisgrad
