#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/module.hpp>

using namespace axisgrad;

namespace {

template <Scalar T = double>
Tensor<T> first_values(const Shape& shape, Init init, Fans fans = {}, std::uint64_t seed = 7,
                       const std::string& name = "p") {
  Parameter<T> p(shape, init, fans);
  p.set_name(name);
  initialise<T>({&p}, seed);
  return p.value();
}

void check_uniform(const Tensor<double>& x, double limit) {
  double squares = 0, largest = 0, sum = 0;
  for (double v : x) squares += v * v, sum += v, largest = std::max(largest, std::abs(v));
  const auto n = static_cast<double>(x.size());
  CHECK(largest <= limit);
  CHECK(largest > limit * (1 - 20 / n));  // fails with probability e^-20
  CHECK(std::abs(sum / n) < 4 * limit / std::sqrt(3 * n));
  CHECK(squares / n == doctest::Approx(limit * limit / 3).epsilon(4 * std::sqrt(0.8 / n)));
}

// Largest deviation of the Gram matrix of columns (or rows) from the identity.
double not_orthonormal(const Tensor<double>& x, Size rows, Size cols) {
  const bool wide = rows < cols;
  double worst = 0;
  for (Size a = 0; a < std::min(rows, cols); ++a)
    for (Size b = 0; b < std::min(rows, cols); ++b) {
      double dot = 0;
      for (Size i = 0; i < std::max(rows, cols); ++i)
        dot += wide ? x.data()[a * cols + i] * x.data()[b * cols + i]
                    : x.data()[i * cols + a] * x.data()[i * cols + b];
      worst = std::max(worst, std::abs(dot - (a == b)));
    }
  return worst;
}

}  // namespace

TEST_CASE("initial values depend on seed, full name and shape, and on nothing else") {
  const auto x = first_values({4, 6}, Init::glorot_uniform);
  CHECK(same_bits(x, first_values({4, 6}, Init::glorot_uniform)));
  CHECK_FALSE(same_bits(x, first_values({4, 6}, Init::glorot_uniform, {}, 8)));
  CHECK_FALSE(same_bits(x, first_values({4, 6}, Init::glorot_uniform, {}, 7, "q")));
  // The same number of elements and the same fans: only the shape's own part of the key can tell
  // them apart.
  CHECK_FALSE(same_bits(x, first_values({6, 4}, Init::glorot_uniform).reshaped({4, 6})));
  CHECK_FALSE(same_bits(x, first_values({1, 4, 6}, Init::glorot_uniform).reshaped({4, 6})));

  Parameter<double> a(Shape{4, 6}), b(Shape{9});
  a.set_name("p"), b.set_name("other");
  initialise<double>({&b, &a}, 7);  // neither order nor company matters
  CHECK(same_bits(a.value(), x));
}

TEST_CASE("a float parameter starts from the rounded values of its double twin") {
  for (Init init : {Init::glorot_uniform, Init::torch_uniform, Init::orthogonal})
    CHECK(same_bits(first_values<float>({12, 7}, init),
                    Tensor<float>(first_values<double>({12, 7}, init))));
}

TEST_CASE("glorot_uniform has the limits of Keras") {
  check_uniform(first_values({200, 300}, Init::glorot_uniform), std::sqrt(6.0 / 500));
  check_uniform(first_values({20, 10, 30}, Init::glorot_uniform),
                std::sqrt(6.0 / (10 * 20 + 30 * 20)));
  check_uniform(first_values({5000}, Init::glorot_uniform), std::sqrt(6.0 / 10000));
  check_uniform(first_values({200, 300}, Init::glorot_uniform, {.in = 8, .out = 16}), 0.5);
  check_uniform(first_values({200, 300}, Init::glorot_uniform, {.out = 100}), std::sqrt(6.0 / 300));
}

TEST_CASE("torch_uniform has the limits of PyTorch") {
  check_uniform(first_values({200, 300}, Init::torch_uniform), 1 / std::sqrt(200.0));
  check_uniform(first_values({3000}, Init::torch_uniform, {.in = 25}), 0.2);
  CHECK_THROWS_WITH(
      (void)first_values({3}, Init::torch_uniform),
      "[initialise] 'p' of shape (3) has no fan in of its own for torch_uniform: give Fans{.in}");
}

TEST_CASE("orthogonal is orthonormal to rounding, square, tall, wide and of higher rank") {
  CHECK(not_orthonormal(first_values({40, 40}, Init::orthogonal), 40, 40) < 1e-12);
  CHECK(not_orthonormal(first_values({64, 16}, Init::orthogonal), 64, 16) < 1e-12);
  CHECK(not_orthonormal(first_values({16, 64}, Init::orthogonal), 16, 64) < 1e-12);
  CHECK(not_orthonormal(first_values({4, 5, 7}, Init::orthogonal), 20, 7) < 1e-12);
  CHECK(first_values({0, 3}, Init::orthogonal).size() == 0);
  CHECK_THROWS_WITH(
      (void)first_values({3}, Init::orthogonal),
      "[initialise] 'p' is to be orthogonal, which needs rank 2 or more, got the shape (3)");
}

TEST_CASE("orthogonal is the Q of the normal matrix it is made of, with R's diagonal positive") {
  const Shape shape{6, 4};
  const auto q = first_values(shape, Init::orthogonal);
  std::uint64_t key = mix_keys(7, key_of("p"));
  for (Size n : shape) key = mix_keys(key, static_cast<std::uint64_t>(n));
  const RandomStream s(key);
  for (Size i = 0; i < 4; ++i)
    for (Size j = 0; j <= i; ++j) {  // R = Q^T A: zero below the diagonal, positive on it
      double r = 0;
      for (Size k = 0; k < 6; ++k) r += q(k, i) * s.normal(static_cast<std::uint64_t>(k * 4 + j));
      if (i == j)
        CHECK(r > 0.01);
      else
        CHECK(std::abs(r) < 1e-12);
    }
}

TEST_CASE("orthogonal leans to no sign: the mean trace of 400 matrices is near 0") {
  double trace = 0, squares = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto q = first_values({5, 5}, Init::orthogonal, {}, seed);
    double t = 0;
    for (Size i = 0; i < 5; ++i) t += q(i, i);
    trace += t / 400, squares += t * t / 400;
  }
  CHECK(std::abs(trace) <
        4 * 1.0 / 20);  // a uniform orthogonal matrix has a trace of mean 0, variance 1
  CHECK(squares == doctest::Approx(1).epsilon(0.3));
}

TEST_CASE("constant initial values") {
  CHECK(same_bits(first_values({2, 3}, Init::zeros), Tensor<double>({2, 3}, 0)));
  CHECK(same_bits(first_values({2, 3}, Init::ones), Tensor<double>({2, 3}, 1)));
  CHECK(
      same_bits(first_values({8}, Init::lstm_bias), Tensor<double>({8}, {0, 0, 1, 1, 0, 0, 0, 0})));
  CHECK_THROWS_WITH(
      (void)first_values({6}, Init::lstm_bias),
      "[initialise] 'p' is to be the bias of four gates, which needs the shape (4 units), got (6)");
}

TEST_CASE("initial values are pinned to the bit") {
  const auto hash = [](const Tensor<double>& x) {
    return std::accumulate(x.begin(), x.end(), std::uint64_t{0}, [](std::uint64_t h, double v) {
      return mix_keys(h, std::bit_cast<std::uint64_t>(v));
    });
  };
  CHECK(hash(first_values({20, 30}, Init::glorot_uniform)) == 0x39f1d624ac6f8f8a);
  CHECK(hash(first_values({20, 30}, Init::torch_uniform)) == 0x616b51fa281db271);
  CHECK(hash(first_values({20, 30}, Init::orthogonal)) == 0x5e60085b17680a64);
}

TEST_CASE("an error leaves every parameter as it was") {
  Parameter<float> good(Shape{2}, Init::ones), bad(Shape{3}, Init::orthogonal);
  CHECK_THROWS_WITH(
      initialise<float>({&good}, 1),
      "[initialise] a parameter has no name: list the parameters by parameters(model)");
  good.set_name("a"), bad.set_name("b");
  CHECK_THROWS_AS(initialise<float>({&good, &bad}, 1), Error);
  CHECK(good.value().empty());
  bad.set_name("a");
  CHECK_THROWS_WITH(
      initialise<float>({&good, &bad}, 1),
      "[initialise] two parameters are named 'a': list them by one call of parameters()");
}

namespace {
struct Half {
  using scalar = float;
  Parameter<float> kernel{Shape{3, 3}};
  void visit(auto&& visitor) { visitor("kernel", kernel); }
};
struct Whole {
  using scalar = float;
  Half first, second;
  void visit(auto&& visitor) { visitor("first", first), visitor("second", second); }
};
}  // namespace

TEST_CASE("equal parts of a model get different values, by their full names") {
  Whole model;
  initialise(parameters(model), 7);
  CHECK(model.second.kernel.name() == "second.kernel");
  CHECK_FALSE(same_bits(model.first.kernel.value(), model.second.kernel.value()));
}
