// Gradients where a formula changes sides: at zeros, ties, clipped values and infinities, which
// random inputs never meet. (Ties of max, maximum and relu, roots at 0 and large logits are among
// the public cases.)
#include <cmath>
#include <limits>
#include <span>

#include <doctest/doctest.h>

#include <axisgrad/autograd/functional.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/tape.hpp>

using namespace axisgrad;

namespace {

using Values = std::vector<double>;

// Slope of the sum of f by each of its inputs, which are vectors.
template <class F>
std::vector<Values> slopes(const std::vector<Values>& inputs, const F& f) {
  Tape<double> tape;
  std::vector<Var<double>> xs;
  for (const Values& x : inputs)
    xs.push_back(tape.input(Tensor<double>({static_cast<Size>(x.size())}, x), {.gradient = true}));
  std::vector<Values> result;
  for (const auto& g : grad(sum(f(xs)), xs))
    result.emplace_back(g.value().begin(), g.value().end());
  return result;
}

constexpr double inf = std::numeric_limits<double>::infinity();

// Where the value is finite, however large x is, no derivative may be NaN: a product of an overflow
// and a slope that has become 0.
template <class Op, Scalar T>
void check_far(std::span<const T> far) {
  if constexpr (differentiable<Op> && Op::samples.size() == 1)
    for (T v : far) {
      Tape<T> tape;
      const Var<T> x = tape.input(Tensor<T>(Shape{1}, v), {.gradient = true});
      const Var<T> y = pointwise<Op>(x);
      if (!std::isfinite(y.value()(0))) continue;
      const Var<T> plain = grad(sum(y), x), first = grad(sum(y), x, {.create_graph = true});
      CAPTURE(Op::name);
      CAPTURE(v);
      CHECK_FALSE(std::isnan(plain.value()(0)));
      CHECK_FALSE(std::isnan(first.value()(0)));
      CHECK_FALSE(std::isnan(grad(sum(first), x).value()(0)));
    }
}
template <Scalar T, class... Op>
void check_far(list<Op...>) {
  std::vector<T> far;
  for (T v = 16; std::isfinite(v); v *= v) far.insert(far.end(), {v, -v, v / 3, -v / 3});
  far.insert(far.end(), {std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), T(1e19),
                         T(-1e19), T(3e13), T(-3e13)});
  (check_far<Op, T>(far), ...);
}

}  // namespace

TEST_CASE_TEMPLATE("edges: no derivative is NaN where the value is finite", T, float, double) {
  check_far<T>(pointwise_ops{});
}

TEST_CASE("edges: lines of equal numbers have no deviation and no slope, whatever the number") {
  for (double v : {.1, 1 / 3., 1e8 + .1, 5.})
    for (std::size_t n : {1, 3, 7, 10}) {
      const Values x(n, v), zeros(n, 0.);
      CHECK(slopes({x}, [](auto& a) { return stddev(a[0]); })[0] == zeros);
      CHECK(slopes({x}, [](auto& a) { return var(a[0]); })[0] == zeros);
      CHECK(stddev(constant(Tensor<double>({static_cast<Size>(n)}, x))).item() == 0);
    }
  // The digits of a large offset are not lost.
  CHECK(var(constant(Tensor<double>({3}, {1e8 + 1, 1e8 + 2, 1e8 + 3}))).item() ==
        doctest::Approx(2 / 3.).epsilon(1e-15));
}

TEST_CASE_TEMPLATE("edges: a norm whose squares leave the range of its scalar type", T, float,
                   double) {
  const bool single = std::is_same_v<T, float>;
  for (T unit : {single ? T(1e30) : T(1e200), single ? T(1e-30) : T(1e-200)}) {
    const Tensor<T> x({2, 2}, {3 * unit, 4 * unit, 0, 0});
    for (bool keep : {false, true}) {
      Tape<T> tape;
      const Var<T> at = tape.input(x, {.gradient = true}), y = norm(at, 1, {.keep = keep});
      CHECK(y.shape() == (keep ? Shape{2, 1} : Shape{2}));
      CHECK(y.value().data()[0] / unit == doctest::Approx(5).epsilon(1e-6));
      CHECK(y.value().data()[1] == 0);
      const Tensor<T> g = grad(sum(y), at).value();
      CHECK(g(0, 0) == doctest::Approx(.6).epsilon(1e-6));
      CHECK(g(0, 1) == doctest::Approx(.8).epsilon(1e-6));
      CHECK(g(1, 0) == 0);
    }
  }
  const T infinite = std::numeric_limits<T>::infinity();
  CHECK(norm(constant(Tensor<T>({2}, {infinite, 1}))).item() == infinite);
  CHECK(std::isnan(norm(constant(Tensor<T>({2}, {infinite, T(NAN)}))).item()));
}

TEST_CASE("edges: Hessians of piecewise functions where the pieces meet") {
  using V = Var<double>;
  const auto at = [](const Values& x, auto f) {
    const Tensor<double> h = hessian(f, Tensor<double>({static_cast<Size>(x.size())}, x));
    return Values(h.begin(), h.end());
  };
  CHECK(at({0, 1}, [](const V& x) { return sum(square(relu(x))); }) == Values{0, 0, 0, 2});
  CHECK(at({0, 1}, [](const V& x) { return sum(abs(x)); }) == Values(4, 0.));
  CHECK(at({0, -1}, [](const V& x) { return sum(pow(abs(x), 3.)); }) == Values{0, 0, 0, 6});
  CHECK(at({1, 1}, [](const V& x) { return square(max(x)); }) == Values(4, .5));
  CHECK(at({1, 2}, [](const V& x) { return sum(square(maximum(x, 1.))); }) == Values{.5, 0, 0, 2});
  CHECK(at({0, 2}, [](const V& x) { return sum(square(clamp(x, 0., 1.))); }) == Values{2, 0, 0, 0});
  CHECK(at({0, 0}, [](const V& x) { return index(x, {0}) * index(x, {1}); }) == Values{0, 1, 1, 0});
  CHECK(at({0, -inf}, [](const V& x) { return logsumexp(x); }) == Values(4, 0.));
  CHECK(at({1}, [](const V& x) { return huber(x, V(Tensor<double>({1}, 0.))); }) == Values{1});
}

TEST_CASE("edges: |x| and |p - t| have slope 0 where they are 0") {
  CHECK(slopes({{-2, 0, 3}}, [](auto& x) { return abs(x[0]); })[0] == Values{-1, 0, 1});
  const auto g =
      slopes({{1, 2, 3}, {2, 2, 2}}, [](auto& x) { return mae(x[0], x[1], {Reduction::none}); });
  CHECK(g[0] == Values{-1, 0, 1});
  CHECK(g[1] == Values{1, 0, -1});
}

TEST_CASE("edges: binary cross-entropy has no slope where the probability is clipped") {
  const auto g = slopes({{0, 1, 1e-8, .5, 0, 1}, {1, 0, 1, 1, 0, 1}},
                        [](auto& x) { return binary_crossentropy(x[0], x[1], {Reduction::none}); });
  CHECK(g[0] == Values{0, 0, 0, -2, 0, 0});
}

TEST_CASE("edges: 0 to the power 0 has slope 0 by the exponent") {
  const auto g = slopes({{0, 0, 2}, {0, 3, 0}}, [](auto& x) { return pow(x[0], x[1]); });
  CHECK(g[0] == Values{0, 0, 0});
  CHECK(g[1][0] == 0);
  CHECK(g[1][1] == 0);
  CHECK(g[1][2] == doctest::Approx(std::log(2.)));
}

TEST_CASE("edges: a class of logit -infinity and target 0 takes no part in the cross-entropy") {
  const auto g = slopes({{-inf, 1, 1}, {0, .25, .75}},
                        [](auto& x) { return categorical_crossentropy_from_logits(x[0], x[1]); });
  CHECK(g[0] == Values{0, .25, -.25});
  CHECK(g[1][0] == 0);
  CHECK(g[1][1] == doctest::Approx(std::log(2.)));
}
