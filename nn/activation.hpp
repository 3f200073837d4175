// Activations by name.
#pragma once
#include <axisgrad/autograd/ops.hpp>

namespace axisgrad {

enum class Activation { none, relu, tanh, sigmoid, softmax };

/// Applied to each element; softmax along the last axis.
template <Scalar T>
[[nodiscard]] Var<T> activate(const Var<T>& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return relu(x);
    case Activation::tanh:
      return tanh(x);
    case Activation::sigmoid:
      return sigmoid(x);
    case Activation::softmax:
      return softmax(x, -1);
    case Activation::none:
      break;
  }
  return x;
}

}  // namespace axisgrad
