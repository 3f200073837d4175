// Ops from outside the library, of each kind, through public headers only.
#include <cmath>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/tape.hpp>

using namespace axisgrad;

namespace {

// Pointwise: one formula.
struct softsign_op {  // x / (1 + |x|)
  static constexpr std::string_view name = "softsign";
  static constexpr std::array<Range, 1> samples{{{-3, 3, .1}}};
  template <class V>
  static V value(const V& x) {
    return x / (V(1) + abs(x));
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    const V d = V(1) + abs(x);
    return {g / (d * d)};
  }
};

// Structured: forward on buffers, gradient in public ops. With options.
struct power_op {
  static constexpr std::string_view name = "power";
  struct Options {
    int exponent;
  };
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const int n = r.template options<Options>().exponent;
    Var<T> slope = static_cast<T>(n);
    for (int i = 1; i < n; ++i) slope = slope * r.input(0);
    r.add(0, r.cotangent() * slope);
  }
};
template <Scalar T>
Var<T> power(const Var<T>& x, int exponent) {
  Tensor<T> y(x.shape());
  std::transform(x.value().begin(), x.value().end(), y.mutable_data(),
                 [&](T v) { return std::pow(v, T(exponent)); });
  return record<power_op, T>({&x}, y, {.inputs = 1}, {exponent});
}

// Two outputs: x and its negative part apart, max(x,0) and min(x,0).
struct parts_op {
  static constexpr std::string_view name = "parts";
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const Var<T> x = r.input(0);
    if (r.has_cotangent(0)) r.add(0, where(greater(x, T(0)), r.cotangent(0), T(0)));
    if (r.has_cotangent(1)) r.add(0, where(less(x, T(0)), r.cotangent(1), T(0)));
  }
};
template <Scalar T>
std::array<Var<T>, 2> parts(const Var<T>& x) {
  Tensor<T> high(x.shape()), low(x.shape());
  std::transform(x.value().begin(), x.value().end(), high.mutable_data(),
                 [](T v) { return std::max(v, T(0)); });
  std::transform(x.value().begin(), x.value().end(), low.mutable_data(),
                 [](T v) { return std::min(v, T(0)); });
  return record<parts_op, T, 2>({&x}, {high, low}, {.inputs = 1});
}

// Fused: the gradient works on raw buffers, so a reference serves higher orders.
struct soft_plus_op {  // log(1 + e^x)
  static constexpr std::string_view name = "soft_plus";
  static inline int raw_gradients = 0, references = 0;
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    ++raw_gradients;
    const Tensor<T> x = r.input(0).value(), g = r.cotangent().value();
    Tensor<T> dx(x.shape());
    for (Size i = 0; i < x.size(); ++i)
      dx.mutable_data()[i] = g.data()[i] / (1 + std::exp(-x.data()[i]));
    r.add(0, Var<T>(dx));
  }
  template <Scalar T>
  static std::vector<Var<T>> reference(Rule<T>& r) {
    ++references;
    return {log1p(exp(r.input(0)))};
  }
};
template <Scalar T>
Var<T> soft_plus(const Var<T>& x) {
  Tensor<T> y(x.shape());
  std::transform(x.value().begin(), x.value().end(), y.mutable_data(),
                 [](T v) { return std::log1p(std::exp(v)); });
  return record<soft_plus_op, T>({&x}, y, {.inputs = 1});
}

// A rule that gives a gradient of the wrong shape.
struct forgetful_op {
  static constexpr std::string_view name = "forgetful";
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(0, sum(r.cotangent()));
  }
};

// A step, so never recorded.
struct step_op {
  static constexpr std::string_view name = "step";
  static constexpr std::array<Range, 1> samples{};
  static constexpr bool differentiable = false;
  template <class V>
  static V value(const V& x) {
    return select(x > V(0), V(1), V(0));
  }
  template <class V>
  static std::array<V, 1> gradient(const V&, const V&, const V&) {
    return {V(0)};
  }
};

// A rule that reads what was not saved.
struct greedy_op {
  static constexpr std::string_view name = "greedy";
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(0, r.cotangent() * r.input(1));
  }
};
// One that was told to save more than there is.
struct generous_op {
  static constexpr std::string_view name = "generous";
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(0, r.cotangent() * r.output());
  }
};

}  // namespace

TEST_CASE("a user's pointwise op: value, gradient, second order, broadcasting comes with it") {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({2}, {1., -3.}), {.gradient = true});
  const auto y = pointwise<softsign_op>(x);
  CHECK(y.value()(1) == -.75);
  const auto g = grad(sum(y), x, {.create_graph = true});
  CHECK(g.value()(0) == .25);
  CHECK(g.value()(1) == 1. / 16);
  const auto h = grad(sum(g), x);  // -2 sign(x) / (1 + |x|)^3
  CHECK(h.value()(0) == doctest::Approx(-.25));
  CHECK(h.value()(1) == doctest::Approx(2. / 64));
  CHECK(pointwise<softsign_op>(Var<float>(1.f)).item() == .5f);
}

TEST_CASE("a user's structured op: options reach the rule, second order comes with the first") {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({}, 2.), {.gradient = true});
  const auto g = grad(power(x, 5), x, {.create_graph = true});
  CHECK(g.item() == 80);
  CHECK(grad(g, x).item() == 160);
}

TEST_CASE("a user's op with two outputs: each may be used or not") {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({3}, {1., -2., 3.}), {.gradient = true});
  const auto [high, low] = parts(x);
  const auto slope = [&](const Var<double>& y) {
    const auto g = grad(y, x).value();
    return std::vector<double>(g.begin(), g.end());
  };
  CHECK(slope(sum(high)) == std::vector<double>{1, 0, 1});
  CHECK(slope(sum(low)) == std::vector<double>{0, 1, 0});
  CHECK(slope(sum(high) + 10 * sum(low)) == std::vector<double>{1, 10, 1});
  CHECK(slope(sum(high * low + x)) == std::vector<double>{1 + 0, 1 + 0, 1 + 0});
}

TEST_CASE("a fused op: its own gradient at first order, its reference above") {
  soft_plus_op::raw_gradients = soft_plus_op::references = 0;
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({}, .4), {.gradient = true});
  const double s = 1 / (1 + std::exp(-.4));
  const auto y = soft_plus(x * 2 - x);
  CHECK(grad(y, x).item() == doctest::Approx(s).epsilon(1e-14));
  CHECK(soft_plus_op::raw_gradients == 1);
  CHECK(soft_plus_op::references == 0);
  const auto g = grad(y, x, {.create_graph = true});
  CHECK(g.item() == doctest::Approx(s).epsilon(1e-14));
  CHECK(soft_plus_op::raw_gradients == 1);
  CHECK(soft_plus_op::references == 1);
  const auto h = grad(g, x, {.create_graph = true});
  CHECK(h.item() == doctest::Approx(s * (1 - s)).epsilon(1e-13));
  CHECK(grad(h, x).item() == doctest::Approx(s * (1 - s) * (1 - 2 * s)).epsilon(1e-12));
}

TEST_CASE("a rule whose gradient has the wrong shape is caught, not broadcast") {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({2, 3}, 1.), {.gradient = true});
  const auto y = record<forgetful_op, double>({&x}, x.value());
  CHECK_THROWS_WITH_AS((void)grad(sum(y), x),
                       "[forgetful] the gradient has the shape (), its input has (2,3)", Error);
}

TEST_CASE("a user's op that is not differentiable is not recorded") {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({2}, {1., -3.}), {.gradient = true});
  const auto y = pointwise<step_op>(x);
  CHECK(y.value()(0) == 1);
  CHECK(!y.has_gradient());
  CHECK(tape.nodes() == 0);
}

TEST_CASE("a rule sees what was saved, and nothing else") {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({2}, {3., 4.}), {.gradient = true});
  CHECK_THROWS_WITH_AS(
      (void)grad(sum(record<greedy_op, double>({&x, &x}, x.value(), {.inputs = 1})), x),
      "[greedy] its gradient rule reads input 1, which record() was not told to save", Error);
  const auto y =
      record<generous_op, double>({&x}, Tensor<double>({2}, {5., 6.}), {.inputs = 7, .outputs = 3});
  CHECK(grad(sum(y), x).value()(1) == 6);
}

TEST_CASE("an op may have more inputs than can be saved") {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({1}, 2.), {.gradient = true});
  std::vector<Var<double>> parts;
  for (int k = 0; k < 70; ++k) parts.push_back(x * k);
  CHECK(grad(sum(concat(parts, 0)), x).item() == 69 * 70 / 2);
}
