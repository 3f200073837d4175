// Correlation of variables against its definition, at constant variables and at the ends of the
// range of float.
#include <axisgrad/nn/correlated_attention.hpp>

#include "module_fixture.hpp"

using namespace axisgrad;
using namespace axisgrad::tests;

namespace {

// Of two rows of length n, by the definition.
double pearson(const double* a, const double* b, Size n) {
  double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
  for (Size i = 0; i < n; ++i) mean_a += a[i] / double(n), mean_b += b[i] / double(n);
  for (Size i = 0; i < n; ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a), bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / (std::sqrt(aa) * std::sqrt(bb));
}

// x (1,3,7) whose row 1 is seven times 0.1, whose mean is not 0.1 in double.
Tensor<double> with_constant_row() {
  Tensor<double> x = noise<double>({1, 3, 7}, 4);
  for (Size i = 0; i < 7; ++i) x.set({0, 1, i}, .1);
  return x;
}

}  // namespace

TEST_CASE("pearson_correlation: by the definition, over either axis") {
  const Size B = 2, V = 3, E = 7;
  const Var<double> x = values({B, V, E});
  const auto r = pearson_correlation(x, 1);
  REQUIRE(r.shape() == Shape{B, V, V});
  for (Size b = 0; b < B; ++b)
    for (Size i = 0; i < V; ++i)
      for (Size j = 0; j < V; ++j) {
        const double* rows = x.value().data() + b * V * E;
        CHECK(r.value()(b, i, j) == doctest::Approx(pearson(rows + i * E, rows + j * E, E)));
        CHECK(r.value()(b, i, j) == r.value()(b, j, i));
      }
  for (Size i = 0; i < V; ++i) CHECK(r.value()(0, i, i) == doctest::Approx(1).epsilon(1e-14));
  CHECK(off(pearson_correlation(swap_axes(x, 1, 2), Axis::feature), r) < 1e-15);
  // Further axes are batch axes: here (2,2,3,7) with the variables on axis 1.
  const Var<double> y = values({2, 3, 2, 7});
  const auto each = pearson_correlation(y, 1);
  CHECK(each.shape() == Shape{2, 2, 3, 3});
  CHECK(off(index(each, {every, 1}), pearson_correlation(index(y, {every, every, 1}), 1)) < 1e-15);
  check_gradients([](auto v) { return pearson_correlation(v, 1); }, x);
  check_gradients([](auto v) { return pearson_correlation(v, Axis::feature); }, values({2, 4, 3}));
}

TEST_CASE("pearson_correlation: a constant variable has none, and no gradient") {
  const Tensor<double> x = with_constant_row();
  const Var<double> cotangent = values({1, 3, 3}, 9);
  std::vector<Tensor<double>> gradients;
  for (auto constant : {Constant::nan, Constant::zero}) {
    Tape<double> tape;
    const auto leaf = tape.input(x, {.gradient = true});
    const auto r = pearson_correlation(leaf, 1, {.constant = constant});
    for (Size i = 0; i < 3; ++i)
      for (Size j = 0; j < 3; ++j) {
        const double value = r.value()(0, i, j);
        if (i != 1 && j != 1)
          CHECK(std::abs(value) <= 1 + 1e-15);
        else if (constant == Constant::nan)
          CHECK(std::isnan(value));
        else
          CHECK(value == 0);
      }
    const auto g = grad(sum(r * cotangent), leaf, {.create_graph = true});
    for (Size i = 0; i < 7; ++i) CHECK(g.value()(0, 1, i) == 0);
    gradients.push_back(g.value());
    // Second order: of the square of the gradient, and of the correlations themselves.
    for (const auto& loss : {sum(square(g)), sum(square(r))}) {
      const auto h = grad(loss, leaf, {.create_graph = true});
      for (double v : h.value()) CHECK(std::isfinite(v));
      for (Size i = 0; i < 7; ++i) CHECK(h.value()(0, 1, i) == 0);
    }
  }
  CHECK(distance(gradients[0], gradients[1]) == 0);
  // The other variables' gradient is what it is without the constant one.
  const Var<double> two = take(Var<double>(x), {0, 2}, 1),
                    weights = take(take(cotangent, {0, 2}, 1), {0, 2}, 2);
  Tape<double> tape;
  const auto leaf = tape.input(two.value(), {.gradient = true});
  const auto g = grad(sum(pearson_correlation(leaf, 1) * weights), leaf);
  CHECK(off(g, take(Var<double>(gradients[0]), {0, 2}, 1)) < 1e-15);
}

TEST_CASE("pearson_correlation: neither small nor large values change it") {
  const Tensor<float> x = noise<float>({2, 3, 7}, 5);
  const Var<float> r = pearson_correlation(Var<float>(x), 1);
  for (float scale : {1e-30f, 1e30f}) {
    const Var<float> scaled = pearson_correlation(Var<float>(x) * scale, 1);
    CHECK(distance(scaled.value(), r.value()) < 1e-5);
  }
  // NaN is no constant: it stays NaN where zero is asked for.
  Tensor<double> y = noise<double>({1, 2, 3}, 1);
  y.set({0, 0, 1}, NAN);
  const auto with_nan = pearson_correlation(Var<double>(y), 1, {.constant = Constant::zero});
  CHECK(std::isnan(with_nan.value()(0, 0, 1)));
  CHECK(with_nan.value()(0, 1, 1) == doctest::Approx(1));
}

TEST_CASE("pearson_correlation: what does not fit is refused") {
  CHECK_THROWS_WITH_AS(
      (void)pearson_correlation(values({3, 4}), 1),
      "[pearson_correlation] expects rank 3 or more with the batch in front, got (3,4)", Error);
  CHECK_THROWS_WITH_AS((void)pearson_correlation(values({2, 3, 4}), 0),
                       "[pearson_correlation] axis 0 is the batch, its positions are no variables",
                       Error);
  CHECK_THROWS_WITH_AS((void)pearson_correlation(values({2, 3, 4}), 3),
                       "[pearson_correlation] axis 3 is out of range for a tensor of rank 3",
                       Error);
  CHECK_THROWS_WITH_AS(
      (void)pearson_correlation(Var<double>(Tensor<double>(Shape{2, 3, 0})), 1),
      "[pearson_correlation] axis 2 has no positions to correlate over, got (2,3,0)", Error);
}

TEST_CASE("CorrelatedAttention: the correlation of the attended variables") {
  auto module = filled(CorrelatedAttention<double>(
      {.num_heads = 2, .key_dim = 3, .embed_size = 5, .output_dim = 6}));
  CHECK(listed(module).starts_with("query.kernel (5,2,3), query.bias (2,3), key.kernel"));
  const Var<double> x = values({2, 5, 4});
  const auto y = module.with_weights(x);
  CHECK(y.attended.shape() == Shape{2, 6, 4});
  CHECK(y.weights.shape() == Shape{2, 2, 4, 4});
  CHECK(y.out.shape() == Shape{2, 4, 4});
  CHECK(off_one(y.weights, -1) < 1e-14);
  CHECK(off(y.out, pearson_correlation(module.attention(x), Axis::feature)) < 1e-14);
  CHECK(off(module(x), y.out) < 1e-14);
  CHECK(off(y.out, swap_axes(y.out, 1, 2)) == 0);
  check_gradients([&](auto v) { return module.with_weights(v); }, x);
}
