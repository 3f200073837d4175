// planted_dependency: that the series are made as the truth says, by undoing it.
#include <cmath>
#include <set>

#include <doctest/doctest.h>

#include <axisgrad/nn/data/planted_dependency.hpp>

using namespace axisgrad;

namespace {

using Planted = PlantedDependency<double>;

// x_i(t) less what its past explains: of the kinds without a hidden factor it is the noise.
Tensor<double> innovations(const Planted& p, PlantedKind kind) {
  Tensor<double> e = p.values;
  const auto entered = [&](double u) {
    return kind == PlantedKind::abs ? 2 * (std::min(std::abs(u), 3.) - .8) : u;
  };
  const Size rows = e.shape()[0], v = e.shape()[1];
  double* const to = e.mutable_data();
  for (Size t = 3; t < rows; ++t) {
    for (const PlantedEdge& edge : p.edges)
      to[t * v + edge.child] -= edge.coefficient * entered(p.values(t - edge.lag, edge.parent));
    for (Size i = 0; i < 8; ++i) to[t * v + i] -= p.own_past * p.values(t - 1, i);
  }
  Tensor<double> rest({rows - 3, v});
  std::copy_n(e.data() + 3 * v, rest.size(), rest.mutable_data());
  return rest;
}

double product(const Tensor<double>& x, Size i, Size j,
               Size lag = 0) {  // mean of x_i(t) x_j(t-lag)
  double sum = 0;
  for (Size t = lag; t < x.shape()[0]; ++t) sum += x(t, i) * x(t - lag, j);
  return sum / static_cast<double>(x.shape()[0] - lag);
}

}  // namespace

TEST_CASE("planted_dependency: who depends on whom") {
  std::set<Size> lags, parents;
  bool negative = false, shrunk = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto p = planted_dependency<double>({.points = 10, .seed = seed});
    CHECK(p.values.shape() == Shape{10, 8});
    CHECK(p.truth.shape() == Shape{8, 8});
    REQUIRE(p.edges.size() == 16);
    Tensor<double> truth({8, 8}, 0.), lag_matrices({3, 8, 8}, 0.);
    double least = 1, most = 0;
    for (const PlantedEdge& e : p.edges) {
      CHECK(e.parent != e.child);
      CHECK((e.lag >= 1 && e.lag <= 3));
      CHECK(truth(e.child, e.parent) == 0);  // two different parents
      truth.set({e.child, e.parent}, 1);
      lag_matrices.set({e.lag - 1, e.child, e.parent}, e.coefficient);
      least = std::min(least, std::abs(e.coefficient));
      most = std::max(most, std::abs(e.coefficient));
      negative = negative || e.coefficient < 0;
      lags.insert(e.lag), parents.insert(e.parent);
    }
    CHECK(same_bits(p.truth, truth));
    CHECK(most <= .6);
    CHECK(most <= 1.5 * least);  // .6 / .4: all are shrunk together
    shrunk = shrunk || least < .4;
    CHECK(spectral_radius(lag_matrices) <= .9);
    double rows = 0;
    for (Size j = 0; j < 8; ++j) rows += truth(3, j);
    CHECK(rows == 2);
  }
  CHECK(lags.size() == 3);
  CHECK(parents.size() == 8);
  CHECK((negative && shrunk));
}

TEST_CASE("planted_dependency: what the past does not explain is N(0,1), independent") {
  constexpr Size points = 20'000;
  for (const auto kind :
       {PlantedKind::linear, PlantedKind::self, PlantedKind::abs, PlantedKind::noise}) {
    CAPTURE(static_cast<int>(kind));
    const auto p = planted_dependency<double>({.kind = kind, .points = points, .seed = 5});
    const Size v = kind == PlantedKind::noise ? 10 : 8;
    CHECK((p.own_past > 0) == (kind == PlantedKind::self));
    CHECK(p.values.shape() == Shape{points, v});
    CHECK(p.truth.shape() == Shape{v, v});
    const auto e = innovations(p, kind);
    const double n = points - 3, five = 5 / std::sqrt(n);
    for (Size i = 0; i < v; ++i) {
      CHECK(p.noise_variance(i) == 1);
      CHECK(std::abs(product(e, i, i) - 1) < five * std::sqrt(2));
      for (Size j = 0; j < v; ++j) {
        if (i != j) CHECK(std::abs(product(e, i, j)) < five);
        CHECK(std::abs(product(e, i, j, 1)) < five);
      }
    }
    // Of the series of pure noise nothing depends on anything.
    for (Size i = 8; i < v; ++i)
      for (Size j = 0; j < v; ++j) CHECK(p.truth(i, j) + p.truth(j, i) == 0);
  }
}

TEST_CASE("planted_dependency: a series' own past shrinks with its parents") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto plain = planted_dependency<double>({.points = 10, .seed = seed});
    const auto p =
        planted_dependency<double>({.kind = PlantedKind::self, .points = 10, .seed = seed});
    const double factor = p.own_past / .5;
    CHECK((factor > .5 && factor <= 1));
    Tensor<double> lag_matrices({3, 8, 8}, 0.);
    for (std::size_t k = 0; k < p.edges.size(); ++k) {
      const PlantedEdge &a = p.edges[k], &b = plain.edges[k];
      CHECK((a.child == b.child && a.parent == b.parent && a.lag == b.lag));
      CHECK(std::abs(a.coefficient) <= std::abs(b.coefficient));
      CHECK(std::abs(a.coefficient) < .6 * factor + 1e-12);
      CHECK(std::abs(a.coefficient) > .4 * factor - 1e-12);
      lag_matrices.set({a.lag - 1, a.child, a.parent}, a.coefficient);
    }
    for (Size i = 0; i < 8; ++i) lag_matrices.set({0, i, i}, p.own_past);
    CHECK(spectral_radius(lag_matrices) <= .9);
  }
}

TEST_CASE("planted_dependency: the hidden factor makes up half of each variance") {
  constexpr Size points = 40'000;
  const auto plain = planted_dependency<double>({.points = points, .seed = 2});
  const auto with =
      planted_dependency<double>({.kind = PlantedKind::factor, .points = points, .seed = 2});
  CHECK(same_bits(plain.truth, with.truth));
  Tensor<double> f({points, 8});  // what was added
  for (Size k = 0; k < f.size(); ++k)
    f.mutable_data()[k] = with.values.data()[k] - plain.values.data()[k];
  // An AR(1) with .8 has the variance 1 / .36, whose estimate from n points has the relative
  // deviation sqrt(2 (1 + .64) / (1 - .64) / n), about .015.
  CHECK(std::abs(product(f, 0, 0, 1) / product(f, 0, 0) - .8) < .02);
  for (Size i = 0; i < 8; ++i) {
    CHECK(std::abs(product(f, i, i) / product(plain.values, i, i) - 1) < .15);
    CHECK(std::abs(product(f, i, 0) * product(f, i, 0) / (product(f, i, i) * product(f, 0, 0)) -
                   1) < 1e-9);  // one series, in other sizes
    const double loading_squared = .36 * product(f, i, i);
    CHECK(std::abs(with.noise_variance(i) - 1 - loading_squared) < .08 * loading_squared);
  }
}

TEST_CASE("planted_dependency: seed and number decide, float is double rounded") {
  for (const auto kind : {PlantedKind::linear, PlantedKind::noise, PlantedKind::factor}) {
    const auto longer = planted_dependency<double>({.kind = kind, .points = 100, .seed = 7});
    const auto shorter = planted_dependency<double>({.kind = kind, .points = 10, .seed = 7});
    const Size n = shorter.values.size();
    CHECK(std::equal(shorter.values.begin(), shorter.values.end(), longer.values.begin()));
    const auto single = planted_dependency<float>({.kind = kind, .points = 10, .seed = 7});
    CHECK(same_bits(single.values, Tensor<float>(shorter.values)));
    const auto other = planted_dependency<double>({.kind = kind, .points = 10, .seed = 8});
    CHECK_FALSE(std::equal(other.values.begin(), other.values.begin() + n, longer.values.begin()));
  }
}

TEST_CASE("spectral_radius") {
  const auto of = [](const Shape& shape, const std::vector<double>& a) {
    return spectral_radius(Tensor<double>(shape, a));
  };
  CHECK(std::abs(of({1, 1, 1}, {-.5}) - .5) < 1e-12);
  CHECK(std::abs(of({2, 1, 1}, {1.5, -.56}) - .8) < 1e-5);  // roots .7 and .8
  CHECK(std::abs(of({2, 1, 1}, {0, -.81}) - .9) < 1e-5);    // +-.9 i
  CHECK(of({1, 2, 2}, {0, 1, 0, 0}) == 0);                  // nilpotent
  CHECK(std::abs(of({1, 2, 2}, {.5, 1, 0, .5}) - .5) < 1e-4);
  CHECK(std::abs(of({1, 2, 2}, {.3, .4, .2, .1}) - .5) < 1e-5);  // eigenvalues .5 and -.1
  CHECK_THROWS_WITH((void)spectral_radius(Tensor<double>({2, 2}, 0.)),
                    "[spectral_radius] expects lag matrices (lags, V, V), got (2,2)");
}

TEST_CASE("errors of planted_dependency") {
  CHECK_THROWS_WITH((void)planted_dependency<float>({.points = 0}),
                    "[planted_dependency] points, series, parents, max_lag and noise_series must "
                    "be at least 1, got 0, 8, 2, 3 and 2");
  CHECK_THROWS_WITH((void)planted_dependency<float>({.series = 3, .parents = 3}),
                    "[planted_dependency] 3 parents of each series are more than the 2 others "
                    "there are");
}
