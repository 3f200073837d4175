// Cross-entropy over classes. From logits it is one fused op: softmax and logarithm together never
// divide by a probability that has underflowed.
#include <cmath>
#include <limits>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/softmax.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/ops/reduced.hpp>

namespace axisgrad {
namespace {

using detail::reduced;

// -sum(t log softmax(x)) in public ops. Where t is 0, a log of -infinity counts as 0.
template <class T>
Var<T> composed(const Var<T>& x, const Var<T>& t, int axis) {
  const Var<T> log_q = log_softmax(x, axis);
  const Var<T> impossible = equal(log_q, -std::numeric_limits<T>::infinity()) * equal(t, T(0));
  return -sum(t * where(impossible, Var<T>(T(0)), log_q), axis);
}

struct categorical_crossentropy_from_logits_op {
  static constexpr std::string_view name = "categorical_crossentropy_from_logits";
  struct Options {
    int axis;
  };
  template <Scalar T>
  static std::vector<Var<T>> reference(Rule<T>& r) {
    return {composed(r.input(0), r.input(1), r.template options<Options>().axis)};
  }
  // dx = g (softmax(x) sum(t) - t),  dt = -g log softmax(x)
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const int axis = r.template options<Options>().axis;
    const Var<T> x = r.input(0), t = r.input(1), g = r.cotangent();
    if (r.needs(0)) r.add(0, Var<T>(of_logits(x.value(), t.value(), g.value(), axis)));
    if (!r.needs(1)) return;
    const Var<T> log_q = log_softmax(x, axis), zero(T(0));
    const Var<T> impossible = equal(log_q, -std::numeric_limits<T>::infinity()) * equal(t, zero);
    r.add(1, -where(impossible, zero, log_q) * unsqueeze(g, axis));
  }
  template <class T>
  static Tensor<T> of_logits(const Tensor<T>& x, const Tensor<T>& t, const Tensor<T>& g, int axis) {
    const Shape& s = x.shape();
    const kernels::Extent e{s.product(0, axis), s[axis], s.product(axis + 1, s.rank())};
    Tensor<T> dx(s);
    T* d = dx.mutable_data();
    kernels::softmax(e, x.data(), d);
    const T *target = t.data(), *up = g.data();
    for (Size o = 0; o < e.outer; ++o, d += e.n * e.inner, target += e.n * e.inner)
      for (Size i = 0; i < e.inner; ++i, ++up) {
        T total = 0;
        for (Size k = i; k < e.n * e.inner; k += e.inner) total += target[k];
        for (Size k = i; k < e.n * e.inner; k += e.inner) d[k] = *up * (d[k] * total - target[k]);
      }
    return dx;
  }
  static std::vector<Sample> samples() {
    const auto of = [](std::string title, const Shape& shape, int axis, Reduction reduction) {
      const SampleInput x{shape}, t{shape, {0, 1}};
      return with_reference(
          sample(std::move(title), {x, t},
                 [=](auto v) {
                   return categorical_crossentropy_from_logits(v[0], v[1], {reduction, axis});
                 }),
          [=](auto v) { return reduced(composed(v[0], v[1], axis), reduction); });
    };
    return {of("mean", {4, 3}, 1, Reduction::mean),
            of("axis 1, none", {2, 3, 5}, 1, Reduction::none),
            of("axis 0, sum", {3, 1, 2}, 0, Reduction::sum)};
  }
};

struct categorical_crossentropy_op {
  static constexpr std::string_view name = "categorical_crossentropy";
  static std::vector<Sample> samples() {
    return {sample("mean", {{{4, 3}, {.1, 1}}, {{4, 3}, {0, 1}}},
                   [](auto x) { return categorical_crossentropy(x[0], x[1]); }),
            sample("axis 1, none", {{{2, 3, 1}, {.1, 1}}, {{2, 3, 1}, {0, 1}}}, [](auto x) {
              return categorical_crossentropy(x[0], x[1], {Reduction::none, 1});
            })};
  }
};

struct sparse_categorical_crossentropy_op {
  static constexpr std::string_view name = "sparse_categorical_crossentropy";
  static std::vector<Sample> samples() {
    return {sample("axis 1 beside an axis of size 1", {{{2, 3, 1}, {.1, 1}}},
                   [](auto x) {
                     const Tensor<typename decltype(x)::value_type::scalar> t({2, 1}, {2, 0});
                     return sparse_categorical_crossentropy(x[0], constant(t), {.axis = 1});
                   }),
            sample("mean", {{{3, 4}, {.1, 1}}}, [](auto x) {
              const Tensor<typename decltype(x)::value_type::scalar> t({3}, {2, 0, 3});
              return sparse_categorical_crossentropy(x[0], constant(t));
            })};
  }
};

struct sparse_categorical_crossentropy_from_logits_op {
  static constexpr std::string_view name = "sparse_categorical_crossentropy_from_logits";
  static std::vector<Sample> samples() {
    return {sample("axis 0 beside an axis of size 1", {{{4, 1, 3}}},
                   [](auto x) {
                     const Tensor<typename decltype(x)::value_type::scalar> t({1, 3}, {2, 0, 3});
                     return sparse_categorical_crossentropy_from_logits(x[0], constant(t),
                                                                        {.axis = 0});
                   }),
            sample("axis 1", {{{2, 4, 3}}}, [](auto x) {
              const Tensor<typename decltype(x)::value_type::scalar> t({2, 3}, {0, 1, 3, 2, 2, 0});
              return sparse_categorical_crossentropy_from_logits(x[0], constant(t), {.axis = 1});
            })};
  }
};

template <class T>
int class_axis(std::string_view where, const Var<T>& p, const Var<T>& t, Axis axis) {
  if (p.shape() != t.shape())
    fail(where, "prediction and target differ in shape: got ", p.shape(), " and ", t.shape());
  detail::require_probabilities(t, where);
  return resolve(axis, p.rank(), where);
}

// Classes as one-hot vectors along p's class axis.
template <class T>
Var<T> dense(std::string_view where, const Var<T>& p, const Var<T>& t, Axis axis) {
  const int a = resolve(axis, p.rank(), where);
  if (t.shape() != p.shape().without(1u << a))
    fail(where, "classes of the shape ", t.shape(), " do not fit ", p.shape(),
         " with classes on axis ", a);
  const Size classes = p.shape()[a];
  for (const T& v : t.value())
    if (!(v >= 0 && v < static_cast<T>(classes) && v == std::floor(v)))
      fail(where, "target number ", &v - t.value().begin(), " of ", t.shape(), " is ", v,
           ", not one of the ", classes, " classes 0 to ", classes - 1);
  Var<T> one = one_hot(t, classes);
  for (int k = one.rank() - 1; k > a; --k) one = swap_axes(one, k, k - 1);
  return one;
}

}  // namespace

template <Scalar T>
Var<T> losses::CategoricalCrossentropy::of(const Var<T>& p, const Var<T>& t,
                                           CategoricalOptions options) {
  const int axis = class_axis(name, p, t, options.axis);
  const Var<T> q = p / sum(p, axis, {.keep = true});
  const Var<T> clipped = clamp(q, T(1e-7), T(1 - 1e-7));
  return reduced(-sum(t * log(clipped), axis), options.reduction);
}

template <Scalar T>
Var<T> losses::CategoricalCrossentropyFromLogits::of(const Var<T>& x, const Var<T>& t,
                                                     CategoricalOptions options) {
  using op = categorical_crossentropy_from_logits_op;
  const int axis = class_axis(op::name, x, t, options.axis);
  const Tensor<T> y = composed(x.detach(), t.detach(), axis).value();
  return reduced(record<op, T>({&x, &t}, y, {.inputs = 3}, {axis}), options.reduction);
}

template <Scalar T>
Var<T> losses::SparseCategoricalCrossentropy::of(const Var<T>& p, const Var<T>& t,
                                                 CategoricalOptions options) {
  const Var<T> one = dense(name, p, t, options.axis);
  return categorical_crossentropy(p, one, options);
}

template <Scalar T>
Var<T> losses::SparseCategoricalCrossentropyFromLogits::of(const Var<T>& x, const Var<T>& t,
                                                           CategoricalOptions options) {
  const Var<T> one = dense(name, x, t, options.axis);
  return categorical_crossentropy_from_logits(x, one, options);
}

std::vector<OpEntry> categorical_family() {
  return family<categorical_crossentropy_op, sparse_categorical_crossentropy_op,
                sparse_categorical_crossentropy_from_logits_op>();
}
std::vector<OpEntry> categorical_logits_family() {
  return family<categorical_crossentropy_from_logits_op>(Kind::fused);
}

template Var<float> losses::CategoricalCrossentropy::of(const Var<float>&, const Var<float>&,
                                                        CategoricalOptions);
template Var<double> losses::CategoricalCrossentropy::of(const Var<double>&, const Var<double>&,
                                                         CategoricalOptions);
template Var<float> losses::CategoricalCrossentropyFromLogits::of(const Var<float>&,
                                                                  const Var<float>&,
                                                                  CategoricalOptions);
template Var<double> losses::CategoricalCrossentropyFromLogits::of(const Var<double>&,
                                                                   const Var<double>&,
                                                                   CategoricalOptions);
template Var<float> losses::SparseCategoricalCrossentropy::of(const Var<float>&, const Var<float>&,
                                                              CategoricalOptions);
template Var<double> losses::SparseCategoricalCrossentropy::of(const Var<double>&,
                                                               const Var<double>&,
                                                               CategoricalOptions);
template Var<float> losses::SparseCategoricalCrossentropyFromLogits::of(const Var<float>&,
                                                                        const Var<float>&,
                                                                        CategoricalOptions);
template Var<double> losses::SparseCategoricalCrossentropyFromLogits::of(const Var<double>&,
                                                                         const Var<double>&,
                                                                         CategoricalOptions);

}  // namespace axisgrad
