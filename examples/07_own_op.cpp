// Lesson 7: an op of your own, outside the library.
//
// You learn the two ways: a formula applied to each element, and a structured op that computes on
// buffers and says its gradient in public ops. Both get broadcasting or batching, derivatives of
// every order and the gradient check without further work.
#include <cmath>
#include <iostream>

#include <fmt/core.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/autograd/ops.hpp>

#include "common/lesson.hpp"

namespace ag = axisgrad;

namespace {

// 1. A formula: cauchy(x, scale) = log(1 + (x / scale)^2), a loss that outliers hardly move. V is a
// plain number, or a Var when the gradient itself is differentiated, so use operators and functions
// of V only.
struct cauchy_op {
  static constexpr std::string_view name = "cauchy";
  static constexpr std::array<ag::Range, 2> samples{{{-3, 3}, {.5, 2}}};  // one for each input
  template <class V>
  static V value(const V& x, const V& scale) {
    const V r = x / scale;
    return log1p(r * r);
  }
  template <class V>  // g: what arrives from above; y: the result; then the inputs
  static std::array<V, 2> gradient(const V& g, const V&, const V& x, const V& scale) {
    const V by_x = V(2) * g * x / (scale * scale + x * x);
    return {by_x, -by_x * x / scale};
  }
};
template <ag::Scalar T>
ag::Var<T> cauchy(const ag::Var<T>& x, const ag::Var<T>& scale) {
  return ag::pointwise<cauchy_op>(x, scale);
}

// 2. A structured op: exponential smoothing along time, y_t = keep y_(t-1) + (1 - keep) x_t, y_(-1)
// = 0, on (B,T,F). It is linear, and its transpose is the same smoothing run backwards in time, so
// that the rule can be written with the op itself. That makes derivatives of any order available.
template <ag::Scalar T>
ag::Var<T> smooth(const ag::Var<T>& x, double keep);

struct smooth_op {
  static constexpr std::string_view name = "smooth";
  struct Options {
    double keep;
  };
  template <ag::Scalar T>
  static void gradient(ag::Rule<T>& r) {
    const double keep = r.template options<Options>().keep;
    r.add(0, flip(smooth(flip(r.cotangent(), ag::Axis::time), keep), ag::Axis::time));
  }
};

template <ag::Scalar T>
ag::Var<T> smooth(const ag::Var<T>& x, double keep) {
  if (x.rank() != 3) ag::fail("smooth", "expects (batch, time, feature), got ", x.shape());
  const ag::Size steps = x.shape()[1], features = x.shape()[2];
  ag::Tensor<T> y(x.shape());
  const T* from = x.value().data();
  T* to = y.mutable_data();
  for (ag::Size i = 0; i < x.size(); ++i) {
    const bool first = i / features % steps == 0;
    to[i] = static_cast<T>(first ? 0 : keep) * (first ? T(0) : to[i - features]) +
            static_cast<T>(1 - keep) * from[i];
  }
  // Nothing is saved for the rule: it needs neither x nor y.
  return ag::record<smooth_op, T>({&x}, y, {}, {keep});
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "An op of your own", [](const lesson::Options&) {
    const ag::Tensor<double> x({2, 3}, {.1, -.2, 4., 1., -2., 3.}), scale({1, 3}, {.5, 1., 2.});
    std::cout << "cauchy(x, scale), scale (1,3) broadcast over the rows of x (2,3)\n";
    const auto formula = [](const auto& v, const auto& s) { return cauchy(v, s); };
    const auto first = ag::gradcheck(formula, x, scale),
               second = ag::gradgradcheck(formula, x, scale);
    std::cout << first << second;

    std::cout << "\nsmooth(x, .8) along the time axis of (2,4,3)\n";
    ag::Tensor<double> series({2, 4, 3});
    for (ag::Size i = 0; i < series.size(); ++i)
      series.mutable_data()[i] = std::sin(1.3 * static_cast<double>(i));
    const auto along_time = [](const auto& v) { return smooth(v, .8); };
    const auto third = ag::gradcheck(along_time, series);
    // A linear op has no second derivative of its own; its square has one.
    const auto fourth =
        ag::gradgradcheck([](const auto& v) { return square(smooth(v, .8)); }, series);
    std::cout << third << fourth << '\n';

    // A value by hand: an impulse of 1 at step 0 decays as .2, .16, .128.
    const auto impulse = ag::constant(ag::Tensor<double>({1, 3, 1}, {1., 0., 0.}));
    const auto y = smooth(impulse, .8).value();
    const bool value = std::abs(y(0, 0, 0) - .2) < 1e-15 && std::abs(y(0, 2, 0) - .128) < 1e-15;

    bool all = lesson::claim(first && second, "the formula's gradient is right to second order");
    all &= lesson::claim(third && fourth, "the structured op's gradient is right to second order");
    all &= lesson::claim(value, "an impulse of 1 decays as .2, .16, .128");
    return all;
  });
}
