// Gradients in float, which differences are too coarse to check, against those in double.
#pragma once
#include "check.hpp"

namespace checks {

struct SingleFinding {
  double error = 0;  // the largest difference, by the largest gradient of its row
  std::string row;   // input or parameter
  std::vector<ag::Size> index{};
  double single = 0, twice = 0;  // both values there
};

/// The gradients of sum(c y) by all inputs and parameters, c random, in both precisions; at order 2
/// those of sum(v g) with g the first ones, by inputs, parameters and c.
SingleFinding compare_single(const Case& c, int order);

}  // namespace checks
