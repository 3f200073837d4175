#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include <doctest/doctest.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/random.hpp>

using namespace axisgrad;
using Words = std::array<std::uint32_t, 4>;

TEST_CASE("philox gives the vectors of its authors' Random123 library") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint32_t f = 0xffffffff;
  CHECK(philox({f, f, f, f}, {f, f}) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a stream is philox at its counter, two numbers to a block, and has random access") {
  const RandomStream s(0x299f31d0a4093822);
  CHECK(RandomStream(0).bits(0) == 0xe169c58d6627e8d5);
  CHECK(RandomStream(0).bits(1) == 0x9b00dbd8bc57ac4c);
  const std::uint64_t block = 0x0370734413198a2e, i = 0x05a308d3243f6a88;
  const Words words =
      philox({0x243f6a88, 0x05a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0});
  CHECK(s.bits(block, 2 * i) == (words[0] | std::uint64_t{words[1]} << 32));
  CHECK(s.bits(block, 2 * i + 1) == (words[2] | std::uint64_t{words[3]} << 32));
  CHECK(s.bits(0, 7) == s.bits(7));
  CHECK(s.uniform(0, 7) == s.uniform(7));
  CHECK(s.normal(0, 7) == s.normal(7));
  std::set<std::uint64_t> seen;
  for (std::uint64_t b = 0; b < 10; ++b)
    for (std::uint64_t k = 0; k < 1000; ++k) seen.insert(s.bits(b, k));
  CHECK(seen.size() == 10'000);
}

TEST_CASE(
    "the bits of uniform and normal numbers are pinned: they may not depend on compiler or CPU") {
  const RandomStream s(mix_keys(7, key_of("dense.kernel")));
  CHECK(key_of("") == 0xcbf29ce484222325);   // FNV-1a, published
  CHECK(key_of("a") == 0xaf63dc4c8601ec8c);  // FNV-1a, published
  CHECK(mix_keys(1, 2) != mix_keys(2, 1));
  std::uint64_t h = 0;  // over 100,000 numbers, tails included
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    h = mix_keys(h, std::bit_cast<std::uint64_t>(s.uniform(i)));
    h = mix_keys(h, std::bit_cast<std::uint64_t>(s.normal(i)));
  }
  CHECK(h == 0x37353afd3ab43080);
  CHECK(s.uniform(0) == 0x1.23bde0d0417fep-1);
  CHECK(s.normal(0) == 0x1.6836a10c59cb9p-3);
}

TEST_CASE("normal_quantile inverts the normal distribution function") {
  double worst = 0;
  const auto check = [&](double p) {
    const double back = 0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0));
    worst = std::max(worst, std::abs(back - p) / p);
  };
  for (int k = 1; k < 10'000; ++k) check(k / 10'000.0);
  for (double p = 0.4; p > 1e-300; p *= 0.7) check(p);
  CHECK(worst < 1e-11);  // erfc magnifies a relative error of z by z^2, 1,400 at the end
  CHECK(normal_quantile(0.5) == 0);
  CHECK(normal_quantile(0.975) == doctest::Approx(1.959963984540054).epsilon(1e-15));
  CHECK(normal_quantile(0x1p-53) == -normal_quantile(1 - 0x1p-53));
  for (double p : {0.0, 1.0, -0.5, std::nan("")}) CHECK_THROWS_AS((void)normal_quantile(p), Error);
  CHECK_THROWS_WITH((void)normal_quantile(1.5),
                    "[normal_quantile] needs a probability between 0 and 1, got 1.5");
}

namespace {
// Kolmogorov-Smirnov statistic sqrt(n) max |F_n - F|; it exceeds 1.95 with probability .001.
double kolmogorov(std::vector<double> x, double (*distribution)(double)) {
  std::sort(x.begin(), x.end());
  const double n = static_cast<double>(x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = distribution(x[i]), at = static_cast<double>(i);
    worst = std::max({worst, std::abs(f - at / n), std::abs(f - (at + 1) / n)});
  }
  return std::sqrt(n) * worst;
}
}  // namespace

TEST_CASE("uniform and normal numbers are distributed as they should be") {
  constexpr int n = 200'000;
  const RandomStream s(42);
  std::vector<double> u(n), z(n);
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0, lag = 0;
  int beyond = 0;
  for (std::size_t i = 0; i < n; ++i) {
    u[i] = s.uniform(i), z[i] = s.normal(i);
    m1 += z[i] / n, m2 += z[i] * z[i] / n, m3 += z[i] * z[i] * z[i] / n,
        m4 += z[i] * z[i] * z[i] * z[i] / n;
    if (i) lag += z[i] * z[i - 1] / n;
    beyond += std::abs(z[i]) > 3;
  }
  CHECK(*std::min_element(u.begin(), u.end()) >= 0);
  CHECK(*std::max_element(u.begin(), u.end()) < 1);
  CHECK(kolmogorov(u, [](double x) { return x; }) < 1.95);
  CHECK(kolmogorov(z, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }) < 1.95);
  const double deviation = 1 / std::sqrt(double{n});  // four standard errors each
  CHECK(std::abs(m1) < 4 * deviation);
  CHECK(std::abs(m2 - 1) < 4 * std::sqrt(2.0) * deviation);
  CHECK(std::abs(m3) < 4 * std::sqrt(15.0) * deviation);
  CHECK(std::abs(m4 - 3) < 4 * std::sqrt(96.0) * deviation);
  CHECK(std::abs(lag) < 4 * deviation);
  CHECK(std::abs(beyond - 0.0026998 * n) < 4 * std::sqrt(0.0027 * n));
}

TEST_CASE("shuffled gives every order equally often, and the same one for the same key") {
  CHECK(shuffled(0, 1).empty());
  CHECK(shuffled(1, 1) == std::vector<Size>{0});
  CHECK(shuffled(10, 7) == std::vector<Size>{4, 5, 8, 1, 7, 3, 6, 9, 0, 2});
  CHECK(shuffled(1000, 7) != shuffled(1000, 8));
  std::vector<Size> sorted = shuffled(1000, 7);
  std::sort(sorted.begin(), sorted.end());
  for (Size i = 0; i < 1000; ++i) CHECK(sorted[static_cast<std::size_t>(i)] == i);
  int seen[27] = {};
  constexpr int n = 60'000;
  for (std::uint64_t key = 0; key < n; ++key) {
    const auto p = shuffled(3, key);
    ++seen[p[0] * 9 + p[1] * 3 + p[2]];
  }
  double chi_squared = 0;
  for (int code : {5, 7, 11, 15, 19, 21})
    chi_squared += std::pow(seen[code] - n / 6.0, 2) / (n / 6.0);
  CHECK(chi_squared < 20.5);  // probability .001 with 5 degrees of freedom
  CHECK_THROWS_WITH((void)shuffled(-1, 0), "[shuffled] needs a number of elements >= 0, got -1");
}
