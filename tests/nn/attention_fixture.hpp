// A MultiHeadAttention with values in all its parameters, and inputs.
#pragma once
#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>

#include "../autograd/differences.hpp"

namespace axisgrad::tests {

template <Scalar T = double>
MultiHeadAttention<T> made(const MultiHeadAttentionOptions& options) {
  MultiHeadAttention<T> attention(options);
  initialise(parameters(attention), 3);
  // Biases that are not zero, so that a forgotten one is seen.
  for (auto* p : parameters(attention))
    if (p->shape().rank() == 1 || p->init() == Init::zeros) p->set_value(noise<T>(p->shape(), 11));
  return attention;
}

inline Var<double> input(const Shape& shape, std::uint64_t seed = 1) {
  return Var<double>(noise<double>(shape, seed));
}

}  // namespace axisgrad::tests
