// The activations that reference files name.
#pragma once
#include <axisgrad/nn/activation.hpp>

#include "options.hpp"

namespace axisgrad::reference {

inline const Choices<Activation>& activations() {
  static const Choices<Activation> all{{"relu", Activation::relu},
                                       {"gelu", Activation::gelu},
                                       {"gelu_tanh", Activation::gelu_tanh},
                                       {"tanh", Activation::tanh},
                                       {"sigmoid", Activation::sigmoid},
                                       {"softmax", Activation::softmax},
                                       {"log_softmax", Activation::log_softmax}};
  return all;
}

}  // namespace axisgrad::reference
