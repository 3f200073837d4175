// Gradient checks of what a lesson is about, to first and second order.
#pragma once
#include <algorithm>
#include <iostream>

#include <fmt/core.h>

#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/module.hpp>

namespace lesson {

struct Checked {
  double first_order = 0, second_order = 0;  // largest relative error
  bool right = true;

  Checked& operator+=(const Checked& other) {
    first_order = std::max(first_order, other.first_order);
    second_order = std::max(second_order, other.second_order);
    right = right && other.right;
    return *this;
  }
};

/// Checks all that f returns by its inputs and the parameters that it uses, in double at the
/// default tolerance, 1e-6; prints one line, and the whole report when something is wrong.
template <class F, class... X>
Checked check_gradients(const std::string& what, const F& f, const X&... x) {
  const auto first = axisgrad::gradcheck(f, x...), second = axisgrad::gradgradcheck(f, x...);
  fmt::print("Gradient check, {}: first order {:.1e}, second order {:.1e} (allowed 1e-06)\n", what,
             first.max_rel_error(), second.max_rel_error());
  if (!first) std::cout << first;
  if (!second) std::cout << second;
  return {first.max_rel_error(), second.max_rel_error(), first && second};
}

/// The same of all outputs of a module's with_weights(x...), its parameters initialised.
template <axisgrad::Module M, class... X>
Checked check_module(const std::string& what, M module, const X&... x) {
  axisgrad::initialise(axisgrad::parameters(module), 1);
  return check_gradients(
      what, [&](const auto&... v) { return module.with_weights(v...); }, x...);
}

/// The same for a block that is made with `size` and BlockOptions, x (B,T,F) fitting it: with and
/// without a single attention vector.
template <class Block>
Checked check_block(axisgrad::Size size, const axisgrad::Tensor<double>& x) {
  auto checked = check_module("one vector for each channel", Block(size), x);
  checked +=
      check_module("single attention vector", Block(size, {.single_attention_vector = true}), x);
  return checked;
}

/// Elements drawn from N(0,1), other ones for each seed.
template <axisgrad::Scalar T = double>
axisgrad::Tensor<T> normal_values(const axisgrad::Shape& shape, std::uint64_t seed = 1) {
  const axisgrad::RandomStream random(seed);
  axisgrad::Tensor<T> x(shape);
  for (axisgrad::Size i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = static_cast<T>(random.normal(static_cast<std::uint64_t>(i)));
  return x;
}

}  // namespace lesson
