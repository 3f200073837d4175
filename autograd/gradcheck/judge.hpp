// One analytic derivative against differences of the function.
#pragma once
#include <limits>

#include <axisgrad/autograd/gradcheck/problem.hpp>

namespace axisgrad::gradchecking {

/// What one element (or, in fast mode, one projection) came to.
struct Finding {
  enum Verdict {
    right,
    wrong,
    kink,       // on a kink, with the slope of a side or one between
    edge,       // not finite on one side at any step
    unsettled,  // the estimates agree at no step
  } verdict = unsettled;
  double numeric = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::infinity();  // relative
  double floor = 0;                                        // what round-off may do to `numeric`
  bool zero = false, constant = false;  // both values are 0 within the floor; no output moved
};

struct Limits {
  double eps, rtol, atol;
};

/// |a - n| / max(|a|, |n|, floor / rtol): at most rtol exactly when |a - n| <= max(rtol |a|, rtol
/// |n|, floor). atol is taken off |a - n| first.
double relative_error(double a, double n, double floor, const Limits& limits);

/// Shrinks the step until the estimates agree. `noise` is the round-off of f; `rounds` at most are
/// tried, each at 1/16 of the step.
Finding judge(Problem& problem, Direction d, double a, double noise, const Limits& limits,
              int rounds);

/// PyTorch's test: |a - n| <= atol + rtol |n| at the one step eps.
Finding judge_by_two_points(Problem& problem, Direction d, double a, const Limits& limits);

}  // namespace axisgrad::gradchecking
