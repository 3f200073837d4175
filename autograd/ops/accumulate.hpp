// Sums that backward makes of what several uses of a value give it.
#pragma once
#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

/// sum += g, in place where nobody else holds the sum.
template <Scalar T>
void accumulate(Tensor<T>& sum, const Tensor<T>& g);

}  // namespace axisgrad
