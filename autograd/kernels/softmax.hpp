// Softmax over one axis of a tensor.
#pragma once
#include <axisgrad/autograd/kernels/extent.hpp>

namespace axisgrad::kernels {

/// y = e^(x - max x) / sum e^(x - max x) over the middle axis. y may be x. A line of nothing but
/// -infinity (all masked) gives zeros; a NaN or +infinity makes its line NaN.
template <class T>
void softmax(Extent, const T* x, T* y);

/// dx = y (g - sum(y g)), g the cotangent of y. dx may be y or g.
template <class T>
void softmax_backward(Extent, const T* y, const T* g, T* dx);

/// y = (x - max x) - log sum e^(x - max x). y may be x. A line of nothing but -infinity stays so; a
/// NaN or +infinity makes its line NaN.
template <class T>
void log_softmax(Extent, const T* x, T* y);

/// dx = g - e^y sum(g), and 0 on a line of nothing but -infinity. dx may be g.
template <class T>
void log_softmax_backward(Extent, const T* y, const T* g, T* dx);

}  // namespace axisgrad::kernels
