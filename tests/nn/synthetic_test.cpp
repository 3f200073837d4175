// Synthetic sequences whose answer is known: what they promise, to the last bit or within the
// spread that so many samples have.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <axisgrad/nn/data/synthetic.hpp>

using namespace axisgrad;

namespace {

// The positions in front of which a sample has a 0.
std::vector<Size> marked(const Tensor<double>& x, Size sample) {
  std::vector<Size> found;
  for (Size t = 0; t + 1 < x.shape()[1]; ++t)
    if (x(sample, t, 0) == 0) found.push_back(t + 1);
  return found;
}

}  // namespace

TEST_CASE("add_two_numbers: the target is the mean of the two numbers behind a zero") {
  constexpr Size samples = 5'000, steps = 20;
  const auto data = add_two_numbers<double>({.samples = samples, .time_steps = steps, .seed = 3});
  CHECK(data.x.shape() == Shape{samples, steps, 1});
  CHECK(data.y.shape() == Shape{samples, 1});
  std::vector<double> chosen(steps, 0.);
  double neighbours = 0, distance = 0;
  Size wrong = 0;
  for (Size n = 0; n < samples; ++n) {
    const auto at = marked(data.x, n);
    REQUIRE(at.size() == 2);
    for (const Size t : at) ++chosen[static_cast<std::size_t>(t)];
    const double first = data.x(n, at[0], 0), second = data.x(n, at[1], 0), y = data.y(n, 0);
    distance += std::abs(y - .5);
    if (at[1] == at[0] + 1) {  // the first number was overwritten: it is 2 y - second
      ++neighbours;
      wrong += !(first == 0 && 2 * y - second >= -1e-15 && 2 * y - second < 1);
    } else {
      wrong += y != .5 * first + .5 * second;
    }
  }
  CHECK(wrong == 0);
  // Each of 19 positions in 2/19 of the samples, 18 of 171 pairs are neighbours; 5 deviations.
  const auto expect_share = [&](double count, double share) {
    CHECK(std::abs(count - share * samples) < 5 * std::sqrt(samples * share * (1 - share)));
  };
  CHECK(chosen[0] == 0);
  for (Size t = 1; t < steps; ++t) expect_share(chosen[static_cast<std::size_t>(t)], 2. / 19);
  expect_share(neighbours, 18. / 171);
  // |y - 1/2| has the mean 1/6 and the variance 1/24 - 1/36.
  CHECK(std::abs(distance / samples - 1. / 6) < 5 * std::sqrt((1. / 24 - 1. / 36) / samples));
}

TEST_CASE("find_max: Beta(1/10, 1), whose maximum of ten is uniform") {
  constexpr Size samples = 5'000;
  const auto data = find_max<double>({.samples = samples, .seed = 3});
  CHECK(data.x.shape() == Shape{samples, 10, 1});
  double below = 0, mean = 0, squares = 0;
  bool largest = true;
  for (Size n = 0; n < samples; ++n) {
    double most = 0;
    for (Size t = 0; t < 10; ++t) {
      const double v = data.x(n, t, 0);
      largest = largest && v >= 0 && v < 1;
      most = std::max(most, v), mean += v;
      below += v < 1e-3;
    }
    largest = largest && most == data.y(n, 0);
    squares += most * most;
  }
  CHECK(largest);
  const double n = 10. * samples, p = std::pow(1e-3, .1);  // P(v < 1/1000)
  CHECK(std::abs(below - p * n) < 5 * std::sqrt(n * p * (1 - p)));
  // Mean 1/11, E v^2 = 1/21; E max^2 = 1/3, E max^4 = 1/5.
  CHECK(std::abs(mean / n - 1. / 11) < 5 * std::sqrt((1. / 21 - 1. / 121) / n));
  CHECK(std::abs(squares / samples - 1. / 3) < 5 * std::sqrt((1. / 5 - 1. / 9) / samples));
}

TEST_CASE("sequences depend on seed and number only, and float is double rounded") {
  const auto sums = add_two_numbers<double>({.samples = 100, .seed = 7});
  const auto maxima = find_max<double>({.samples = 100, .seed = 7});
  CHECK(same_bits(add_two_numbers<double>({.samples = 10, .seed = 7}).x, sums.take(0, 10).x));
  CHECK(same_bits(find_max<double>({.samples = 10, .seed = 7}).y, maxima.take(0, 10).y));
  CHECK(same_bits(add_two_numbers<float>({.samples = 100, .seed = 7}).y, Tensor<float>(sums.y)));
  CHECK(same_bits(find_max<float>({.samples = 100, .seed = 7}).x, Tensor<float>(maxima.x)));
  CHECK_FALSE(same_bits(add_two_numbers<double>({.samples = 100, .seed = 8}).x, sums.x));
  CHECK_FALSE(same_bits(find_max<double>({.samples = 100, .seed = 8}).x, maxima.x));
}

TEST_CASE("errors of the synthetic sequences") {
  CHECK_THROWS_WITH((void)add_two_numbers<float>({.samples = 5, .time_steps = 2}),
                    "[add_two_numbers] needs at least 1 sample and 3 time steps, got 5 and 2");
  CHECK_THROWS_WITH((void)find_max<float>({.samples = 5, .time_steps = 0}),
                    "[find_max] needs at least 1 sample and 1 time step, got 5 and 0");
  // The smallest: both numbers are named by their zeros.
  const auto least = add_two_numbers<double>({.samples = 20, .time_steps = 3});
  for (Size n = 0; n < 20; ++n) CHECK(marked(least.x, n) == std::vector<Size>{1, 2});
}
