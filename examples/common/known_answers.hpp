// Data of lessons 20 and 22, made so that the answer is known.
#pragma once
#include <axisgrad/nn/data/dataset.hpp>

namespace lesson {

/// Six variables over `steps` steps, N(0,1): 0 and 1 with a correlation of r, 2 and 3 of -r, 4 and
/// 5 by themselves. x (N,steps,6), y (N,6,6) that matrix, the same for every sample.
axisgrad::Dataset<float> correlated_pairs(axisgrad::Size samples, axisgrad::Size steps, double r,
                                          std::uint64_t seed);

/// Variables 0 to 2 are 1 or -1 at each step; variable 3 is 1 at one step, -1 at another, else 0;
/// variable 4 is noise, N(0,1). A variable that is 1 asks for the noise of the step marked 1, one
/// that is -1 for that of the step marked -1.
struct AskedSteps {
  axisgrad::Dataset<float> data;  // x (N,T,5), y (N,T,1,3)
  axisgrad::Tensor<float> right;  // (N,3,T,T): 1 at the step that is to be looked at, else 0
};
AskedSteps asked_steps(axisgrad::Size samples, axisgrad::Size steps, std::uint64_t seed);

}  // namespace lesson
