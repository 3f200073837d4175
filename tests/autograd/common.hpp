// What the tests of ops share.
#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>

namespace axisgrad::test {

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline const double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::vector<T> values_of(const Tensor<T>& x) {
  return {x.begin(), x.end()};
}
template <class T>
std::vector<T> values_of(const Var<T>& x) {
  return values_of(x.value());
}

/// The gradient of sum(f(x)) at x.
template <class T, class F>
std::vector<T> slope(const Tensor<T>& x, F f) {
  Tape<T> tape;
  const Var<T> at = tape.input(x, {.gradient = true});
  return values_of(grad(sum(f(at)), at));
}
template <class F>
std::vector<double> slope(const std::vector<double>& x, F f) {
  return slope(Tensor<double>({static_cast<Size>(x.size())}, x), f);
}

/// The second derivative of sum(f(x)) in the direction (1, ..., 1).
template <class F>
std::vector<double> second_slope(const std::vector<double>& x, F f) {
  Tape<double> tape;
  const auto at = tape.input(Tensor<double>({static_cast<Size>(x.size())}, x), {.gradient = true});
  return values_of(grad(sum(grad(sum(f(at)), at, {.create_graph = true})), at));
}

inline Var<double> row(const std::vector<double>& x) {
  return constant(Tensor<double>({static_cast<Size>(x.size())}, x));
}

/// Equal to the precision of the digits that are written down.
inline bool near(const std::vector<double>& got, const std::vector<double>& expected,
                 double tolerance = 1e-8) {
  if (got.size() != expected.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - expected[i]) <= tolerance * (1 + std::abs(expected[i])))) return false;
  return true;
}

/// What f says when it refuses; "" when it does not.
inline std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace axisgrad::test
