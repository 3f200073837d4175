// All axes but the batch joined into one.
#pragma once
#include <axisgrad/autograd/ops.hpp>

namespace axisgrad {

/// x (B, ...) -> (B, product of the rest), as Keras's Flatten. Error for rank 0.
template <Scalar T>
[[nodiscard]] Var<T> flatten(const Var<T>& x) {
  if (x.rank() < 1) fail("flatten", "needs a batch axis, got ", x.shape());
  return reshape(x, Shape{x.shape()[0], x.shape().product(1, x.rank())});
}

/// The same as a layer.
struct Flatten {
  template <Scalar T>
  [[nodiscard]] Var<T> operator()(const Var<T>& x) const {
    return flatten(x);
  }
};

}  // namespace axisgrad
