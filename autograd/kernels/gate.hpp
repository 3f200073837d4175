// A gate over the middle axis: y = x softmax(kernel^T x + bias), what an attention block over time
// steps computes, sample by sample while it is in the first cache.
#pragma once
#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {

/// x (samples, n, columns), kernel (n, n), bias (n).
template <class T>
struct Gate {
  Index samples, n, columns;
  const T *x, *kernel, *bias;
};

/// weights and y of x's shape; the weights sum to 1 over the middle axis.
template <class T>
void gate(const Gate<T>& gate, T* weights, T* y);

/// g_y and g_weights: the cotangents, null for zeros. dx (samples, n, columns), dkernel (n, n),
/// dbias (n) are written.
template <class T>
void gate_backward(const Gate<T>& gate, const T* weights, const T* g_y, const T* g_weights, T* dx,
                   T* dkernel, T* dbias);

}  // namespace axisgrad::kernels
