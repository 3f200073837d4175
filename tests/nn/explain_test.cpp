// Scores, importances and plain statistics against values worked out by hand.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/data/planted_dependency.hpp>
#include <axisgrad/nn/explain/dependence.hpp>
#include <axisgrad/nn/explain/importance.hpp>
#include <axisgrad/nn/explain/score.hpp>

using namespace axisgrad;

namespace {

bool close(const Tensor<double>& got, const Tensor<double>& expected, double tolerance = 1e-12) {
  if (got.shape() != expected.shape()) return false;
  for (Size i = 0; i < got.size(); ++i)
    if (!(std::abs(got.data()[i] - expected.data()[i]) <= tolerance)) return false;
  return true;
}

Tensor<double> noise(const Shape& shape, std::uint64_t seed) {
  Tensor<double> x(shape);
  for (Size i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = RandomStream(seed).normal(static_cast<std::uint64_t>(i));
  return x;
}

// y (N,1,2) = the sum over time of x (N,T,3) W; variable 2 is not used.
const Tensor<double> w({3, 2}, {2, 0, -1, 3, 0, 0});
Var<double> linear(const Var<double>& x) {
  return sum(matmul(x, constant(w)), Axis::time, {.keep = true});
}

}  // namespace

TEST_CASE("attention_score: pairs counted by hand, ties by halves") {
  const Tensor<double> matrix({3, 3}, {9, .5, .2, .4, 9, .4, .1, .4, 9});
  const Tensor<double> truth({3, 3}, {0, 1, 0, 0, 0, 1, 0, 0, 0});
  // Off the diagonal .5 beats four false pairs; .4 beats two and ties with two: 4 + 2 + 1 of 8.
  const auto off = attention_score(matrix, truth);
  CHECK(off.auroc == 7. / 8);
  CHECK(off.k == 2);
  CHECK(off.pairs == 6);
  CHECK(off.true_pairs == 2);
  // .5, and one of the three .4, of which one is true.
  CHECK(std::abs(off.precision_at_k - (1 + 1. / 3) / 2) < 1e-15);
  CHECK(attention_score(matrix, truth, {.k = 1}).precision_at_k == 1);
  CHECK(attention_score(matrix, truth, {.k = 4}).precision_at_k == 2. / 4);
  CHECK(attention_score(matrix, truth, {.k = 6}).precision_at_k == 2. / 6);
  // With the diagonal three false pairs lie above all: 7 of 14, and none of the first two is true.
  const auto all = attention_score(matrix, truth, {.diagonal = true});
  CHECK(all.auroc == .5);
  CHECK(all.precision_at_k == 0);
  CHECK(attention_score(Tensor<float>(matrix), truth).auroc == 7. / 8);
}

TEST_CASE("attention_score: best, worst, none, the first rows of a larger map") {
  const Tensor<double> truth({2, 3}, {0, 1, 0, 0, 0, 1});
  CHECK(attention_score(truth, truth).auroc == 1);
  CHECK(attention_score(truth, truth).precision_at_k == 1);
  CHECK(attention_score(Tensor<double>({2, 3}, {0, -1, 0, 0, 0, -1}), truth).auroc == 0);
  CHECK(attention_score(Tensor<double>({2, 3}, .3), truth).auroc == .5);
  CHECK(attention_score(Tensor<double>({2, 3}, .3), truth).precision_at_k == .5);
  CHECK(attention_score(truth, truth).pairs == 4);
}

TEST_CASE("attention_score: errors") {
  const Tensor<double> truth({2, 2}, {0, 1, 0, 0});
  CHECK_THROWS_WITH((void)attention_score(Tensor<double>({2, 3}, 0.), truth),
                    "[attention_score] expects a matrix and a truth of the same shape (R,C), got "
                    "(2,3) and (2,2)");
  CHECK_THROWS_WITH((void)attention_score(Tensor<double>({2, 2}, {0, 1, std::nan(""), 0}), truth),
                    "[attention_score] the matrix holds NaN at (1,0)");
  CHECK_THROWS_WITH((void)attention_score(truth, Tensor<double>({2, 2}, {0, .5, 0, 0})),
                    "[attention_score] the truth must be 0 or 1, got 0.5 at (0,1)");
  CHECK_THROWS_WITH((void)attention_score(truth, Tensor<double>({2, 2}, {1, 0, 0, 1})),
                    "[attention_score] needs pairs that are true and pairs that are not, got 0 "
                    "true of 2");
  CHECK_THROWS_WITH((void)attention_score(truth, truth, {.k = 3}),
                    "[attention_score] k = 3 is not within the 2 pairs");
}

TEST_CASE("rank_correlation: midranks") {
  const Tensor<double> a({4}, {1, 2, 2, 4}), b({4}, {3, 1, 2, 4});
  // Ranks 1, 2.5, 2.5, 4 and 3, 1, 2, 4: 1.5 / sqrt(4.5 * 5).
  CHECK(std::abs(rank_correlation(a, b) - 1.5 / std::sqrt(22.5)) < 1e-15);
  CHECK(rank_correlation(b, b) == 1);
  CHECK(rank_correlation(b, Tensor<float>({4}, {-3, -1, -2, -400})) == -1);
  CHECK(std::isnan(rank_correlation(a, Tensor<double>({4}, 1.))));
  CHECK_THROWS_WITH((void)rank_correlation(a, Tensor<double>({1}, 0.)),
                    "[rank_correlation] expects two tensors of one shape with at least two "
                    "elements, got (4) and (1)");
  CHECK_THROWS_WITH((void)rank_correlation(a, Tensor<double>({4}, {0, 1, 2, std::nan("")})),
                    "[rank_correlation] cannot rank a tensor of shape (4) that holds NaN");
}

TEST_CASE("attention_rollout: the first layer is applied first") {
  const Tensor<double> first({2, 2}, {1, 0, 1, 0}), second({2, 2}, {.5, .5, 0, 1});
  // (A + I) / 2: (1 0; .5 .5) and (.75 .25; 0 1).
  CHECK(close(attention_rollout({first}), Tensor<double>({2, 2}, {1, 0, .5, .5})));
  CHECK(close(attention_rollout({first, second}), Tensor<double>({2, 2}, {.875, .125, .5, .5})));
  CHECK_THROWS_WITH((void)attention_rollout({}),
                    "[attention_rollout] needs the map of at least one layer");
  CHECK_THROWS_WITH((void)attention_rollout({first, Tensor<double>({3, 3}, 1.)}),
                    "[attention_rollout] expects maps (N,N) of one size, got (2,2) and (3,3)");
  CHECK_THROWS_WITH((void)attention_rollout({Tensor<double>({2, 2}, {1, 0, 0, 0})}),
                    "[attention_rollout] row 1 of a map sums to 0");
}

TEST_CASE("input_gradients of a linear model are its coefficients") {
  const Tensor<double> x = noise({7, 4, 3}, 1);
  const Dataset<double> data(x, linear(constant(x)).value());
  // Summed over four steps.
  CHECK(close(input_gradients(linear, data, {.batch_size = 3}),
              Tensor<double>({2, 3}, {8, 4, 0, 0, 12, 0})));
  // By step: |2| + |-1| and 3.
  CHECK(close(input_gradients(linear, data, {.axis = Axis::time}),
              Tensor<double>({2, 4}, {3, 3, 3, 3, 3, 3, 3, 3})));
  const auto times = input_gradients(linear, data, {.times_input = true, .batch_size = 2});
  double first = 0;
  for (Size n = 0; n < 7; ++n)
    for (Size t = 0; t < 4; ++t) first += std::abs(2 * x(n, t, 0)) / 7;
  CHECK(std::abs(times(0, 0) - first) < 1e-12);
  CHECK(times(1, 0) == 0);
}

TEST_CASE("input_gradients: absolute before the mean, mean over the steps of the output") {
  // y (N,2,1) = x^2 and 3 x, of x (N,1,1): |2 x| and 3.
  const auto model = [](const Var<double>& x) {
    return concat(std::vector{square(x), 3. * x}, Axis::time);
  };
  const Dataset<double> data(Tensor<double>({2, 1, 1}, {-1, 5}), Tensor<double>({2, 2, 1}, 0.));
  CHECK(close(input_gradients(model, data), Tensor<double>({1, 1}, (6. + 3.) / 2)));
}

TEST_CASE("permutation_importance of a linear model is w^2 times a mean squared difference") {
  const Tensor<double> x = noise({50, 1, 3}, 2);
  Tensor<double> y = linear(constant(x)).value();
  // A constant error of 1 in target 0: (1 + w d)^2 - 1 = w^2 d^2 + 2 w d, and the d sum to 0.
  for (Size n = 0; n < 50; ++n) y.set({n, 0, 0}, y(n, 0, 0) - 1);
  const Dataset<double> data(x, y);
  const auto order = shuffled(50, mix_keys(9, 0));
  Tensor<double> expected({2, 3}, 0.);
  for (Size n = 0; n < 50; ++n)
    for (Size f = 0; f < 3; ++f) {
      const double d = x(n, 0, f) - x(order[static_cast<std::size_t>(n)], 0, f);
      for (Size k = 0; k < 2; ++k)
        expected.set({k, f}, expected(k, f) + w(f, k) * w(f, k) * d * d / 50);
    }
  const auto got = permutation_importance(linear, data, {.seed = 9, .batch_size = 8});
  CHECK(close(got, expected, 1e-10));
  CHECK(got(0, 2) == 0);
  CHECK(got(0, 0) > 4);  // about 2 w^2
  // Repeats are averaged.
  const auto once = permutation_importance(linear, data, {.seed = 9}),
             twice = permutation_importance(linear, data, {.repeats = 2, .seed = 9});
  CHECK(std::abs(once(1, 1) - expected(1, 1)) < 1e-10);
  CHECK(std::abs(twice(1, 1) - once(1, 1)) > 1e-3);
}

TEST_CASE("importances by time step, and of one of two inputs") {
  // y (N) = the last step of b, plus a.
  const auto model = [](const Var<double>& a, const Var<double>& b) {
    return squeeze(index(b, {every, -1, every}), 1) + squeeze(a, 1);
  };
  const Tensor<double> a = noise({30, 1}, 3), b = noise({30, 4, 1}, 4);
  const Dataset<double, 2> data({a, b}, model(constant(a), constant(b)).value());
  const auto by_step = permutation_importance(model, data, {.axis = Axis::time, .input = 1});
  CHECK(by_step.shape() == Shape{1, 4});
  for (Size t = 0; t < 3; ++t) CHECK(by_step(0, t) == 0);
  CHECK(by_step(0, 3) > 1);
  CHECK(close(input_gradients(model, data, {.axis = Axis::time, .input = 1}),
              Tensor<double>({1, 4}, {0, 0, 0, 1})));
  CHECK(close(input_gradients(model, data, {.axis = 1, .input = 0}), Tensor<double>({1, 1}, 1.)));
}

TEST_CASE("errors of the importances") {
  const Dataset<double> data(Tensor<double>({2, 4, 3}, 0.), Tensor<double>({2, 1, 2}, 0.));
  CHECK_THROWS_WITH((void)permutation_importance(linear, data, {.axis = Axis::batch}),
                    "[permutation_importance] axis 0 of an input (2,4,3) is the batch: choose one "
                    "behind it");
  CHECK_THROWS_WITH((void)input_gradients(linear, data, {.input = 1}),
                    "[input_gradients] there is no input 1 among 1 (counted from 0)");
  CHECK_THROWS_WITH((void)permutation_importance(linear, data, {.repeats = 0}),
                    "[permutation_importance] needs at least one permutation, got 0");
  CHECK_THROWS_WITH((void)input_gradients(linear, data, {.batch_size = 0}),
                    "[input_gradients] batch_size must be at least 1, got 0");
  const Dataset<double> none(Tensor<double>({2, 0, 3}, 0.), Tensor<double>({2, 1, 2}, 0.));
  CHECK_THROWS_WITH((void)input_gradients(linear, none),
                    "[input_gradients] an input of shape (2,0,3) has nothing to explain");
  const auto total = [](const Var<double>& x) { return sum(x); };
  CHECK_THROWS_WITH((void)input_gradients(total, data),
                    "[input_gradients] the model gave the shape () for 2 samples");
  CHECK_THROWS_WITH((void)permutation_importance(total, data),
                    "[permutation_importance] the model gave the shape () for targets (2,1,2)");
}

TEST_CASE("lagged_correlation: who is ahead of whom") {
  // a = 1, 0, -1, 0 and b the same one step later.
  const Tensor<double> table({4, 2}, {1, 0, 0, 1, -1, 0, 0, -1});
  CHECK(close(lagged_correlation(table, {.first = 1, .last = 1}),
              Tensor<double>({2, 2}, {0, .5, 1, 0})));
  CHECK(close(lagged_correlation(table, {.first = 1, .last = 2}),
              Tensor<double>({2, 2}, {.5, .5, 1, .5})));
  CHECK(close(lagged_correlation(table, {.first = 0, .last = 0}),
              Tensor<double>({2, 2}, {1, 0, 0, 1})));
  CHECK(std::isnan(lagged_correlation(Tensor<double>({5, 1}, 3.))(0, 0)));
  CHECK_THROWS_WITH((void)lagged_correlation(table, {.first = 2, .last = 4}),
                    "[lagged_correlation] lags 2 to 4 are none that 4 rows have");
  CHECK_THROWS_WITH((void)lagged_correlation(Tensor<double>({4}, 0.)),
                    "[lagged_correlation] expects a table (rows, series), got the shape (4)");
  CHECK_THROWS_WITH((void)lagged_correlation(
                        Tensor<double>({2, 1}, {1, std::numeric_limits<double>::infinity()})),
                    doctest::Contains("[lagged_correlation] the table of shape (2,1) holds inf"));
}

TEST_CASE("vector_autoregression recovers what made the series") {
  // x(t) = 2 + 1.5 x(t-1) - .9 x(t-2), without noise.
  std::vector<double> x{1, 2};
  while (x.size() < 14) x.push_back(2 + 1.5 * x[x.size() - 1] - .9 * x[x.size() - 2]);
  CHECK(close(vector_autoregression(Tensor<double>({14, 1}, x), {.lags = 2}),
              Tensor<double>({2, 1, 1}, {1.5, -.9}), 1e-9));

  const auto planted = planted_dependency<float>({.points = 20'000, .seed = 4});
  const auto found = vector_autoregression(planted.values);
  Tensor<double> expected({3, 8, 8}, 0.);
  for (const auto& e : planted.edges) expected.set({e.lag - 1, e.child, e.parent}, e.coefficient);
  CHECK(close(found, expected, 5 / std::sqrt(20'000.)));
  // A ridge makes them smaller.
  const auto smaller = vector_autoregression(planted.values, {.ridge = 1e5});
  const auto& e = planted.edges[0];
  CHECK(std::abs(smaller(e.lag - 1, e.child, e.parent)) < .5 * std::abs(e.coefficient));
}

TEST_CASE("errors of vector_autoregression") {
  CHECK_THROWS_WITH((void)vector_autoregression(noise({3, 2}, 1)),
                    "[vector_autoregression] needs at least one lag, more rows than lags and no "
                    "negative ridge, got 3 lags, 3 rows and the ridge 0");
  CHECK_THROWS_WITH((void)vector_autoregression(Tensor<double>({9, 1}, 1.)),
                    "[vector_autoregression] the data does not determine the solution (pivot 0 is "
                    "0): give a larger ridge");
}
