// Least squares by normal equations.
#pragma once
#include <string_view>

#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

/// Solves a w = b for a symmetric positive definite a (n, n) and b (n, k), in place: b becomes w, a
/// its Cholesky factor. Error, naming the pivot, when a is not positive definite: the data does not
/// determine w, and a ridge would.
void solve_positive_definite(Tensor<double>& a, Tensor<double>& b, std::string_view where);

}  // namespace axisgrad
