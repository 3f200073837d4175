// Input of the tests of which_axis().
#pragma once
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/autograd/tensor.hpp>

namespace explained {

/// Elements drawn from N(0,1).
inline axisgrad::Tensor<double> input(const axisgrad::Shape& shape) {
  const axisgrad::RandomStream random(11);
  axisgrad::Tensor<double> x(shape);
  for (axisgrad::Size i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return x;
}

}  // namespace explained
