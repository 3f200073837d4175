// Gradient checks of an attention block, with and without a single attention vector.
#pragma once
#include <algorithm>
#include <iostream>

#include <fmt/core.h>

#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/attention_blocks.hpp>

namespace lesson {

struct Checked {
  double first_order = 0, second_order = 0;  // largest relative error
  bool right = true;
};

/// Checks every output of with_weights() (out, weights, scores) by the input and the parameters in
/// double at the default tolerance, 1e-6. `size` is what the block is made with, x (B,T,F) fits it.
template <class Block>
Checked check_block(axisgrad::Size size, const axisgrad::Tensor<double>& x) {
  Checked result;
  for (const bool single : {false, true}) {
    Block block(size, {.single_attention_vector = single});
    axisgrad::initialise(axisgrad::parameters(block), 1);
    const auto f = [&](const auto& v) { return block.with_weights(v); };
    const auto first = axisgrad::gradcheck(f, x), second = axisgrad::gradgradcheck(f, x);
    result.first_order = std::max(result.first_order, first.max_rel_error());
    result.second_order = std::max(result.second_order, second.max_rel_error());
    result.right = result.right && first && second;
    fmt::print("Gradient check, {}: first order {:.1e}, second order {:.1e} (allowed 1e-06)\n",
               single ? "single attention vector" : "one vector for each channel",
               first.max_rel_error(), second.max_rel_error());
    if (!first) std::cout << first;
    if (!second) std::cout << second;
  }
  return result;
}

/// Input for the checks: elements drawn from N(0,1).
inline axisgrad::Tensor<double> normal_values(const axisgrad::Shape& shape) {
  const axisgrad::RandomStream random(1);
  axisgrad::Tensor<double> x(shape);
  for (axisgrad::Size i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return x;
}

}  // namespace lesson
