// Activations by name.
#pragma once
#include <axisgrad/autograd/ops.hpp>

namespace axisgrad {

enum class Activation {
  none,
  relu,
  leaky_relu,  // slope .01 below 0
  elu,
  gelu,
  gelu_tanh,
  softplus,
  tanh,
  sigmoid,
  softmax,
  log_softmax
};

/// Applied to each element, names and constants as in Keras; softmax and log_softmax along an axis.
/// x of any shape -> the same shape. Error for an axis that x has not.
template <Scalar T>
[[nodiscard]] Var<T> activate(const Var<T>& x, Activation activation, Axis axis = -1) {
  switch (activation) {
    case Activation::relu:
      return relu(x);
    case Activation::leaky_relu:
      return leaky_relu(x);
    case Activation::elu:
      return elu(x);
    case Activation::gelu:
      return gelu(x);
    case Activation::gelu_tanh:
      return gelu_tanh(x);
    case Activation::softplus:
      return softplus(x);
    case Activation::tanh:
      return tanh(x);
    case Activation::sigmoid:
      return sigmoid(x);
    case Activation::softmax:
      return softmax(x, axis);
    case Activation::log_softmax:
      return log_softmax(x, axis);
    case Activation::none:
      break;
  }
  return x;
}

/// The same as a layer: Activate{Activation::relu}, Activate{Activation::softmax, Axis::time}.
struct Activate {
  Activation activation;
  Axis axis = -1;

  template <Scalar T>
  [[nodiscard]] Var<T> operator()(const Var<T>& x) const {
    return activate(x, activation, axis);
  }
};

}  // namespace axisgrad
