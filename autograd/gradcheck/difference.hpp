// Numeric derivatives along a line, with what they are worth.
#pragma once
#include <array>

#include <axisgrad/autograd/gradcheck/problem.hpp>

namespace axisgrad::gradchecking {

/// Differences at the steps t, t/2, t/4 to both sides, extrapolated to t = 0 (Richardson).
class Differences {
 public:
  /// Evaluates the first two steps: four calls of f.
  Differences(Problem& problem, Direction d, double t, double noise);
  /// The third: two calls more.
  void refine();

  /// All values finite, on both sides.
  bool finite() const { return finite_; }
  /// The derivative; of order t^4 after two steps, t^6 after three.
  double value() const { return refined_ ? (16 * fourth(1) - fourth(0)) / 15 : fourth(0); }
  /// How far the last two estimates are apart.
  double spread() const;
  /// What round-off alone may do to the value.
  double floor() const { return 32 * (noise_ + 1.2e-16 * moved_) / t_; }
  /// No sign of a kink: the second difference falls with t, as it does for a smooth function.
  bool looks_smooth() const;
  /// Both one-sided slopes are stable, and differ.
  bool kink() const;
  /// Whether a is the slope of a side of the kink, or lies between.
  bool between_sides(double a, double rtol) const;
  double left() const { return side(left_); }
  double right() const { return side(right_); }
  double moved() const { return moved_; }

 private:
  using Slopes = std::array<double, 3>;
  void evaluate(int level);
  double central(int level) const { return (left_[u(level)] + right_[u(level)]) / 2; }
  double fourth(int level) const { return (4 * central(level + 1) - central(level)) / 3; }
  static double second(const Slopes& s, int level) { return 2 * s[u(level + 1)] - s[u(level)]; }
  static double side(const Slopes& s) { return (4 * second(s, 1) - second(s, 0)) / 3; }
  double side_spread() const;
  static unsigned u(int i) { return static_cast<unsigned>(i); }

  Problem& problem_;
  Direction direction_;
  double t_, noise_, moved_ = 0;
  bool finite_ = true, refined_ = false;
  Slopes left_{}, right_{};  // (f(x) - f(x - t)) / t and (f(x + t) - f(x)) / t
};

/// The size of f's round-off near the point: fourth differences over steps so small that everything
/// smooth cancels (Hamming; More and Wild, "Estimating computational noise", 2011). At least that
/// of the outputs' last bit.
double measure_noise(Problem& problem);

}  // namespace axisgrad::gradchecking
