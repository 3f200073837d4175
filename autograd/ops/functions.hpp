// The pointwise ops as functions and operators of Vars.
#pragma once
#include <type_traits>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/ops/apply.hpp>
#include <axisgrad/autograd/ops/pointwise.hpp>
#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

// The gradients of broadcast inputs are summed back by this (ops.hpp, ops/reduce.cpp).
template <Scalar T>
[[nodiscard]] Var<T> sum_to(const Var<T>& x, const Shape& shape);
template <Scalar T>
[[nodiscard]] Var<T> expand(const Var<T>& x, const Shape& shape);

template <class T>
using Same = std::type_identity_t<T>;  // a parameter that takes its type from the others

// --- Pointwise. Shapes broadcast as in NumPy; gradients are summed back to the shape of each
// input.

/// a + b
template <Scalar T>
[[nodiscard]] Var<T> add(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::add_op>(a, b);
}
/// a - b
template <Scalar T>
[[nodiscard]] Var<T> subtract(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::subtract_op>(a, b);
}
/// a b
template <Scalar T>
[[nodiscard]] Var<T> multiply(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::multiply_op>(a, b);
}
/// a / b
template <Scalar T>
[[nodiscard]] Var<T> divide(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::divide_op>(a, b);
}
/// -x
template <Scalar T>
[[nodiscard]] Var<T> negate(const Var<T>& x) {
  return pointwise<formulas::negate_op>(x);
}
/// e^x
template <Scalar T>
[[nodiscard]] Var<T> exp(const Var<T>& x) {
  return pointwise<formulas::exp_op>(x);
}
/// Natural logarithm: -infinity at 0, NaN below.
template <Scalar T>
[[nodiscard]] Var<T> log(const Var<T>& x) {
  return pointwise<formulas::log_op>(x);
}
/// log(1 + x), exact for small x
template <Scalar T>
[[nodiscard]] Var<T> log1p(const Var<T>& x) {
  return pointwise<formulas::log1p_op>(x);
}
/// e^x - 1, exact for small x
template <Scalar T>
[[nodiscard]] Var<T> expm1(const Var<T>& x) {
  return pointwise<formulas::expm1_op>(x);
}
/// x^p, p a number or a Var; 0^0 is 1, with slope 0 in x. The gradient by p is NaN for negative x.
template <Scalar T>
[[nodiscard]] Var<T> pow(const Var<T>& x, const Same<Var<T>>& p) {
  return pointwise<formulas::pow_op>(x, p);
}
/// Sine
template <Scalar T>
[[nodiscard]] Var<T> sin(const Var<T>& x) {
  return pointwise<formulas::sin_op>(x);
}
/// Cosine
template <Scalar T>
[[nodiscard]] Var<T> cos(const Var<T>& x) {
  return pointwise<formulas::cos_op>(x);
}
/// Error function 2/sqrt(pi) integral of e^(-t^2) from 0 to x
template <Scalar T>
[[nodiscard]] Var<T> erf(const Var<T>& x) {
  return pointwise<formulas::erf_op>(x);
}
/// -1, 0 or 1; NaN stays NaN. A constant, no gradient: its slope is 0 wherever it has one.
template <Scalar T>
[[nodiscard]] Var<T> sign(const Var<T>& x) {
  return pointwise<formulas::sign_op>(x);
}
/// Square root; slope +infinity at 0 (choose with where() before the root, not after).
template <Scalar T>
[[nodiscard]] Var<T> sqrt(const Var<T>& x) {
  return pointwise<formulas::sqrt_op>(x);
}
/// x^2
template <Scalar T>
[[nodiscard]] Var<T> square(const Var<T>& x) {
  return pointwise<formulas::square_op>(x);
}
/// |x|, slope 0 at 0
template <Scalar T>
[[nodiscard]] Var<T> abs(const Var<T>& x) {
  return pointwise<formulas::abs_op>(x);
}
/// Hyperbolic tangent
template <Scalar T>
[[nodiscard]] Var<T> tanh(const Var<T>& x) {
  return pointwise<formulas::tanh_op>(x);
}
/// 1 / (1 + e^-x)
template <Scalar T>
[[nodiscard]] Var<T> sigmoid(const Var<T>& x) {
  return pointwise<formulas::sigmoid_op>(x);
}
/// max(x, 0), slope 0 at 0; NaN stays NaN
template <Scalar T>
[[nodiscard]] Var<T> relu(const Var<T>& x) {
  return pointwise<formulas::relu_op>(x);
}
/// log(1 + e^x), for any size of x
template <Scalar T>
[[nodiscard]] Var<T> softplus(const Var<T>& x) {
  return pointwise<formulas::softplus_op>(x);
}
/// log of sigmoid(x), for any size of x
template <Scalar T>
[[nodiscard]] Var<T> log_sigmoid(const Var<T>& x) {
  return pointwise<formulas::log_sigmoid_op>(x);
}
/// x above 0, slope x below; slope is a number or a Var
template <Scalar T>
[[nodiscard]] Var<T> leaky_relu(const Var<T>& x, const Same<Var<T>>& slope = T(.01)) {
  return pointwise<formulas::leaky_relu_op>(x, slope);
}
/// x above 0, alpha (e^x - 1) below; alpha is a number or a Var
template <Scalar T>
[[nodiscard]] Var<T> elu(const Var<T>& x, const Same<Var<T>>& alpha = T(1)) {
  return pointwise<formulas::elu_op>(x, alpha);
}
/// x Phi(x), Phi the normal distribution function
template <Scalar T>
[[nodiscard]] Var<T> gelu(const Var<T>& x) {
  return pointwise<formulas::gelu_op>(x);
}
/// The tanh approximation of gelu()
template <Scalar T>
[[nodiscard]] Var<T> gelu_tanh(const Var<T>& x) {
  return pointwise<formulas::gelu_tanh_op>(x);
}
/// The larger of a and b, NaN if either is; at a tie each gets half of the gradient
template <Scalar T>
[[nodiscard]] Var<T> maximum(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::maximum_op>(a, b);
}
/// The smaller of a and b, NaN if either is; at a tie each gets half of the gradient
template <Scalar T>
[[nodiscard]] Var<T> minimum(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::minimum_op>(a, b);
}
/// x cut to [low, high], numbers or Vars; NaN stays NaN. Slope 1 on the bounds. Error for numbers
/// with low > high.
template <Scalar T>
[[nodiscard]] Var<T> clamp(const Var<T>& x, const Same<Var<T>>& low, const Same<Var<T>>& high) {
  if (low.size() == 1 && high.size() == 1 && low.item() > high.item())
    fail("clamp", "the bounds are in the wrong order: got ", low.item(), " and ", high.item());
  return pointwise<formulas::clamp_op>(x, low, high);
}
/// a where c is not 0, else b. The side not chosen gets a gradient of exactly 0, c gets none.
template <Scalar T>
[[nodiscard]] Var<T> where(const Var<T>& c, const Same<Var<T>>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::where_op>(c, a, b);
}
/// 1 where a > b, else 0; a constant, no gradient
template <Scalar T>
[[nodiscard]] Var<T> greater(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::greater_op>(a, b);
}
/// 1 where a < b, else 0; a constant, no gradient
template <Scalar T>
[[nodiscard]] Var<T> less(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::less_op>(a, b);
}
/// 1 where a == b, else 0; a constant, no gradient
template <Scalar T>
[[nodiscard]] Var<T> equal(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::equal_op>(a, b);
}
/// 1 where a >= b, else 0; a constant, no gradient
template <Scalar T>
[[nodiscard]] Var<T> greater_equal(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::greater_equal_op>(a, b);
}
/// 1 where a <= b, else 0; a constant, no gradient
template <Scalar T>
[[nodiscard]] Var<T> less_equal(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::less_equal_op>(a, b);
}
/// 1 where a != b, else 0; a constant, no gradient
template <Scalar T>
[[nodiscard]] Var<T> not_equal(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::not_equal_op>(a, b);
}

// --- Operators. A number takes the scalar type of the Var beside it.

template <Scalar T>
[[nodiscard]] Var<T> operator-(const Var<T>& x) {
  return negate(x);
}
template <Scalar T>
[[nodiscard]] Var<T> operator+(const Var<T>& a, const Var<T>& b) {
  return add(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator+(const Var<T>& a, Same<T> b) {
  return add(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator+(Same<T> a, const Var<T>& b) {
  return add(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator-(const Var<T>& a, const Var<T>& b) {
  return subtract(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator-(const Var<T>& a, Same<T> b) {
  return subtract(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator-(Same<T> a, const Var<T>& b) {
  return subtract(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator*(const Var<T>& a, const Var<T>& b) {
  return multiply(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator*(const Var<T>& a, Same<T> b) {
  return multiply(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator*(Same<T> a, const Var<T>& b) {
  return multiply(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator/(const Var<T>& a, const Var<T>& b) {
  return divide(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator/(const Var<T>& a, Same<T> b) {
  return divide(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator/(Same<T> a, const Var<T>& b) {
  return divide(Var<T>(a), b);
}

// --- What the formulas of pointwise ops use when their values are Vars

template <Scalar T>
[[nodiscard]] Var<T> operator>(const Var<T>& a, const Var<T>& b) {
  return greater(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator>(const Var<T>& a, Same<T> b) {
  return greater(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator>(Same<T> a, const Var<T>& b) {
  return greater(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator<(const Var<T>& a, const Var<T>& b) {
  return less(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator<(const Var<T>& a, Same<T> b) {
  return less(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator<(Same<T> a, const Var<T>& b) {
  return less(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator>=(const Var<T>& a, const Var<T>& b) {
  return greater_equal(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator>=(const Var<T>& a, Same<T> b) {
  return greater_equal(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator>=(Same<T> a, const Var<T>& b) {
  return greater_equal(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator<=(const Var<T>& a, const Var<T>& b) {
  return less_equal(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator<=(const Var<T>& a, Same<T> b) {
  return less_equal(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator<=(Same<T> a, const Var<T>& b) {
  return less_equal(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator==(const Var<T>& a, const Var<T>& b) {
  return equal(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator==(const Var<T>& a, Same<T> b) {
  return equal(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator==(Same<T> a, const Var<T>& b) {
  return equal(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator!=(const Var<T>& a, const Var<T>& b) {
  return not_equal(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator!=(const Var<T>& a, Same<T> b) {
  return not_equal(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator!=(Same<T> a, const Var<T>& b) {
  return not_equal(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> select(const Var<T>& c, const Var<T>& a, const Var<T>& b) {
  return where(c, a, b);
}

}  // namespace axisgrad
