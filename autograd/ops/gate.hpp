// The gate of an attention block over time steps as one op.
#pragma once
#include <axisgrad/autograd/ops/functions.hpp>

namespace axisgrad {

template <Scalar T>
struct GatedByTime {
  Var<T> out, weights;
};
/// x (B,T,F), kernel (T,T), bias (T) -> weights (B,T,F), for each feature softmax over time of
/// x[b,:,f] kernel + bias, and out = x * weights. Error for other shapes.
template <Scalar T>
[[nodiscard]] GatedByTime<T> time_gate(const Var<T>& x, const Same<Var<T>>& kernel,
                                       const Same<Var<T>>& bias);

}  // namespace axisgrad
