// Derivatives of functions: f takes a Var and returns a Var, x is a Tensor. Each call records on a
// tape of its own and leaves nothing behind. Parameters that f uses are constants here.
#pragma once
#include <utility>

#include <axisgrad/autograd/backward.hpp>

namespace axisgrad {

template <class F, class T>
concept Differentiable = requires(F f, const Var<T>& x) {
  { f(x) } -> std::convertible_to<Var<T>>;
};

/// The value f(x), and a product with its Jacobian.
template <Scalar T>
struct ValueAndProduct {
  Tensor<T> value, product;
};

/// Vector-Jacobian product v^T J, of x's shape; v has the shape of f(x).
template <Scalar T, Differentiable<T> F>
[[nodiscard]] ValueAndProduct<T> vjp(F f, const Tensor<T>& x,
                                     const std::type_identity_t<Tensor<T>>& v) {
  Tape<T> tape;
  const Var<T> at = tape.input(x, {.gradient = true}), y = f(at);
  if (v.shape() != y.shape())
    fail("vjp", "v must have the shape of f(x): got ", v.shape(), " and ", y.shape());
  return {y.value(), grad<T>(y, at, {.cotangents = {Var<T>(v)}, .allow_constant = true}).value()};
}

/// Jacobian-vector product J v, of the shape of f(x); v has x's shape. Reverse mode twice: u^T J is
/// linear in u, and its own vector-Jacobian product with v is J v.
template <Scalar T, Differentiable<T> F>
[[nodiscard]] ValueAndProduct<T> jvp(F f, const Tensor<T>& x,
                                     const std::type_identity_t<Tensor<T>>& v) {
  if (v.shape() != x.shape())
    fail("jvp", "v must have the shape of x: got ", v.shape(), " and ", x.shape());
  Tape<T> tape;
  const Var<T> at = tape.input(x, {.gradient = true}), y = f(at);
  const Var<T> u = tape.input(Tensor<T>(y.shape(), T(0)), {.gradient = true});
  const Var<T> product =
      grad<T>(y, at, {.create_graph = true, .cotangents = {u}, .allow_constant = true});
  return {y.value(),
          grad<T>(product, u, {.cotangents = {Var<T>(v)}, .allow_constant = true}).value()};
}

namespace detail {

// The gradient of each element of y by x, one below the other: y's axes, then x's.
template <Scalar T>
Tensor<T> rows_of_jacobian(const Var<T>& y, const Var<T>& x) {
  Shape shape = y.shape();
  for (Size n : x.shape()) shape = shape.inserted(shape.rank(), n);
  Tensor<T> rows(shape);
  T* to = rows.mutable_data();
  for (Size i = 0; i < y.size(); ++i, to += x.size()) {
    Tensor<T> one(y.shape(), T(0));
    one.mutable_data()[i] = 1;
    const Tensor<T> row =
        grad<T>(y, x, {.cotangents = {Var<T>(one)}, .allow_constant = true}).value();
    std::copy_n(row.data(), row.size(), to);
  }
  return rows;
}

}  // namespace detail

/// All derivatives of f(x): y's axes, then x's, at most 8 together. One backward pass for each
/// element of y.
template <Scalar T, Differentiable<T> F>
[[nodiscard]] Tensor<T> jacobian(F f, const Tensor<T>& x) {
  Tape<T> tape;
  const Var<T> at = tape.input(x, {.gradient = true});
  return detail::rows_of_jacobian<T>(f(at), at);
}

/// All second derivatives of f(x), which has one element: x's axes twice, at most 8 together. One
/// backward pass for each element of x.
template <Scalar T, Differentiable<T> F>
[[nodiscard]] Tensor<T> hessian(F f, const Tensor<T>& x) {
  Tape<T> tape;
  const Var<T> at = tape.input(x, {.gradient = true}), y = f(at);
  if (y.size() != 1) fail("hessian", "needs a function of one element, got the shape ", y.shape());
  return detail::rows_of_jacobian<T>(grad<T>(y, at, {.create_graph = true, .allow_constant = true}),
                                     at);
}

}  // namespace axisgrad
