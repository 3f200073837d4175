// Sums and maxima over one axis of a tensor.
#pragma once
#include <axisgrad/autograd/kernels/extent.hpp>

namespace axisgrad::kernels {

/// y(o,i) = sum over k of x(o,k,i); zeros when the axis is empty. Added up as a tree whose shape
/// depends on the extent and the architecture only: the error grows with log n, and the bits do not
/// depend on the number of threads.
template <class T>
void sum(Extent, const T* x, T* y);

/// y(o,i) = largest of x(o,k,i); NaN when one is NaN; -infinity when the axis is empty.
template <class T>
void max(Extent, const T* x, T* y);

}  // namespace axisgrad::kernels
