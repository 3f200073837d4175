#include <algorithm>
#include <cmath>
#include <limits>

#include <axisgrad/autograd/gradcheck/difference.hpp>

namespace axisgrad::gradchecking {

Differences::Differences(Problem& problem, Direction d, double t, double noise)
    : problem_(problem), direction_(d), t_(t), noise_(noise) {
  evaluate(0);
  if (finite_) evaluate(1);
}

void Differences::refine() {
  evaluate(2);
  refined_ = true;
}

// Steps are powers of two where x is not much smaller, so x + t is exact.
void Differences::evaluate(int level) {
  const double t = std::ldexp(t_, -level);
  double moved = 0;
  for (const double signed_t : {-t, t}) {
    const double slope = problem_.change(direction_, signed_t, moved) / signed_t;
    finite_ = finite_ && std::isfinite(slope);
    if (!finite_) return;
    (signed_t < 0 ? left_ : right_)[u(level)] = slope;
    moved_ = std::max(moved_, moved);
  }
}

double Differences::spread() const {
  return refined_ ? std::abs(value() - fourth(1)) : std::abs(value() - central(1));
}

// q(t) = right - left = t f'' + t^3 f''''/12 + ..., so 2 q(t/2) - q(t) is of order t^3; a kink adds
// its jump in slope.
bool Differences::looks_smooth() const {
  const double jump = second(right_, 0) - second(left_, 0);
  return std::abs(jump) <= 1e-3 * std::max(std::abs(left_[0]), std::abs(right_[0])) + 4 * floor();
}

double Differences::side_spread() const {
  return std::max(std::abs(left() - second(left_, 1)), std::abs(right() - second(right_, 1)));
}

bool Differences::kink() const {
  const double jump = std::abs(right() - left());
  return jump > 1e-4 * std::max(std::abs(left()), std::abs(right())) + 8 * floor() &&
         side_spread() <= .05 * jump;
}

bool Differences::between_sides(double a, double rtol) const {
  const double low = std::min(left(), right()), high = std::max(left(), right());
  const double slack =
      2 * side_spread() + rtol * std::max(std::abs(low), std::abs(high)) + 4 * floor();
  return low - slack <= a && a <= high + slack;
}

double measure_noise(Problem& problem) {
  constexpr double step = 0x1p-20;
  double smallest = std::numeric_limits<double>::infinity();
  for (const double side : {-step, step}) {  // a kink disturbs one side at most
    std::array<double, 7> f{};
    double moved = 0;
    for (int i = 1; i < 7; ++i) f[static_cast<unsigned>(i)] = problem.change({}, i * side, moved);
    double sum = 0;
    for (unsigned i = 0; i < 3; ++i)
      sum += std::pow(f[i] - 4 * f[i + 1] + 6 * f[i + 2] - 4 * f[i + 3] + f[i + 4], 2);
    // Independent errors of size e give fourth differences of size sqrt(70) e.
    if (std::isfinite(sum)) smallest = std::min(smallest, std::sqrt(sum / 3 / 70));
  }
  const double last_bit = 1.2e-16 * problem.magnitude();
  return std::isfinite(smallest) ? std::max(smallest, last_bit) : last_bit;
}

}  // namespace axisgrad::gradchecking
