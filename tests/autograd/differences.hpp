// Small tools for tests of one op or module: numbers without a pattern, the largest difference of
// two tensors, derivatives by central differences.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/random.hpp>

namespace axisgrad::tests {

template <Scalar T>
Tensor<T> noise(const Shape& shape, std::uint64_t seed) {
  const RandomStream stream(seed);
  Tensor<T> x(shape);
  for (Size i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = static_cast<T>(stream.normal(static_cast<std::uint64_t>(i)));
  return x;
}

/// max |a - b|; infinity when shapes differ or one is NaN.
template <Scalar A, Scalar B>
double distance(const Tensor<A>& a, const Tensor<B>& b) {
  if (a.shape() != b.shape()) return INFINITY;
  double most = 0;
  for (Size i = 0; i < a.size(); ++i) {
    const double d = std::abs(double(a.data()[i]) - double(b.data()[i]));
    if (!(d <= most)) most = std::isnan(d) ? INFINITY : d;
  }
  return most;
}

using Inputs64 = std::vector<Tensor<double>>;
using Function64 = std::function<Var<double>(const std::vector<Var<double>>&)>;

inline std::vector<Var<double>> on(Tape<double>& tape, const Inputs64& xs) {
  std::vector<Var<double>> vars;
  for (const auto& x : xs) vars.push_back(tape.input(x, {.gradient = true}));
  return vars;
}

/// Gradient of f, which gives one number, by the fast rules or by the recorded ones.
inline Inputs64 gradient(const Function64& f, const Inputs64& xs, bool create_graph = false) {
  Tape<double> tape;
  const auto vars = on(tape, xs);
  Inputs64 result;
  for (const auto& g : grad(f(vars), vars, {.create_graph = create_graph}))
    result.push_back(g.value());
  return result;
}

/// (f(x + h) - f(x - h)) / 2h for every element of every input.
inline Inputs64 by_differences(const Function64& f, Inputs64 xs, double h = 1e-5) {
  Inputs64 result;
  for (auto& x : xs) {
    Tensor<double> g(x.shape());
    for (Size i = 0; i < x.size(); ++i) {
      const double kept = x.data()[i];
      double value[2];
      for (int side = 0; side < 2; ++side) {
        x.mutable_data()[i] = kept + (side ? h : -h);
        value[side] = f(std::vector<Var<double>>(xs.begin(), xs.end())).item();
      }
      x.mutable_data()[i] = kept;
      g.mutable_data()[i] = (value[1] - value[0]) / (2 * h);
    }
    result.push_back(g);
  }
  return result;
}

/// Checks first and second order: fast rule and recorded rule against differences of the value,
/// Hessian times a vector against differences of the fast rule.
inline void check_derivatives(const Function64& f, const Inputs64& xs) {
  const Inputs64 fast = gradient(f, xs), recorded = gradient(f, xs, true),
                 numeric = by_differences(f, xs);
  double largest = 0;
  for (std::size_t k = 0; k < xs.size(); ++k) {
    CAPTURE(k);
    CHECK(distance(fast[k], recorded[k]) < 1e-11);
    CHECK(distance(fast[k], numeric[k]) < 1e-7);
    largest = std::max(largest, distance(fast[k], Tensor<double>(xs[k].shape(), 0.)));
  }
  CHECK(largest > 1e-3);  // else nothing was checked

  Inputs64 vs;
  for (std::size_t k = 0; k < xs.size(); ++k) vs.push_back(noise<double>(xs[k].shape(), 90 + k));
  Tape<double> tape;
  const auto vars = on(tape, xs);
  const auto product = hvp(f(vars), vars, std::vector<Var<double>>(vs.begin(), vs.end()));
  const double h = 1e-5;
  Inputs64 sides[2];
  for (int side = 0; side < 2; ++side) {
    Inputs64 moved = xs;
    for (std::size_t k = 0; k < xs.size(); ++k)
      for (Size i = 0; i < xs[k].size(); ++i)
        moved[k].mutable_data()[i] += (side ? h : -h) * vs[k].data()[i];
    sides[side] = gradient(f, moved);
  }
  for (std::size_t k = 0; k < xs.size(); ++k) {
    CAPTURE(k);
    Tensor<double> numeric(xs[k].shape());
    for (Size i = 0; i < numeric.size(); ++i)
      numeric.mutable_data()[i] = (sides[1][k].data()[i] - sides[0][k].data()[i]) / (2 * h);
    CHECK(distance(product[k].value(), numeric) < 1e-6);
  }
}

}  // namespace axisgrad::tests
