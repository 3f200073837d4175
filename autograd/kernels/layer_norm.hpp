// Layer normalisation of the rows of a matrix.
#pragma once
#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {

/// y = (x - mean) inverse gamma + beta for each row of x (rows,n), inverse = 1/sqrt(var + epsilon).
/// mean and inverse (rows) are kept for the way back.
template <class T>
void layer_norm(Index rows, Index n, const T* x, const T* gamma, const T* beta, T epsilon, T* y,
                T* mean, T* inverse);

/// The gradients dx (rows,n), dgamma (n), dbeta (n) for the cotangent g of y. Their bits do not
/// depend on the number of threads.
template <class T>
void layer_norm_backward(Index rows, Index n, const T* x, const T* gamma, const T* mean,
                         const T* inverse, const T* g, T* dx, T* dgamma, T* dbeta);

}  // namespace axisgrad::kernels
