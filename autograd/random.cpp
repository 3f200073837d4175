#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/random.hpp>

namespace axisgrad {
namespace {

// c[0] + c[1] x + c[2] x^2 + ...
template <std::size_t N>
double polynomial(const double (&c)[N], double x) {
  double y = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) y = y * x + c[i];
  return y;
}

// log of a positive normal number: with x = m 2^e, sqrt(1/2) <= m < sqrt(2) and s = (m-1)/(m+1) it
// is e log 2 + 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172. std::log would differ between C libraries.
double portable_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u);
  if (m >= 1.4142135623730951) m *= 0.5, ++exponent;
  const double s = (m - 1) / (m + 1);
  static constexpr double odd[] = {1.,      1. / 3,  1. / 5,  1. / 7,  1. / 9, 1. / 11,
                                   1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21};
  return exponent * 0.6931471805599453 + 2 * s * polynomial(odd, s * s);
}

// AS 241, routine PPND16: a ratio of polynomials for the middle and for each of two tails.
constexpr double middle_above[] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                   1.9715909503065514427e3, 1.3731693765509461125e4,
                                   4.5921953931549871457e4, 6.7265770927008700853e4,
                                   3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double middle_below[] = {1.0,
                                   4.2313330701600911252e1,
                                   6.8718700749205790830e2,
                                   5.3941960214247511077e3,
                                   2.1213794301586595867e4,
                                   3.9307895800092710610e4,
                                   2.8729085735721942674e4,
                                   5.2264952788528545610e3};
constexpr double near_above[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double near_below[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
constexpr double far_above[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double far_below[] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};

// Uniform in 0 <= k < n without bias: draws as many bits as n - 1 has until they are below n, fewer
// than two draws on average.
std::uint64_t below(std::uint64_t n, const RandomStream& stream, std::uint64_t& next) {
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(n - 1);
  for (;;)
    if (const std::uint64_t k = stream.bits(next++) & mask; k < n) return k;
}

}  // namespace

double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) fail("normal_quantile", "needs a probability between 0 and 1, got ", p);
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(middle_above, r) / polynomial(middle_below, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double z = r <= 5 ? polynomial(near_above, r - 1.6) / polynomial(near_below, r - 1.6)
                          : polynomial(far_above, r - 5) / polynomial(far_below, r - 5);
  return q < 0 ? -z : z;
}

void shuffle(std::span<Size> elements, std::uint64_t key) {
  const RandomStream stream(key);
  std::uint64_t next = 0;
  for (std::size_t n = elements.size(); n > 1; --n)
    std::swap(elements[n - 1], elements[below(n, stream, next)]);
}

std::vector<Size> shuffled(Size n, std::uint64_t key) {
  if (n < 0) fail("shuffled", "needs a number of elements >= 0, got ", n);
  std::vector<Size> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Size{0});
  shuffle(order, key);
  return order;
}

}  // namespace axisgrad
