// What the gradcheck program checks: named functions at given points, callable in both precisions.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <axisgrad/autograd/var.hpp>

namespace checks {

namespace ag = axisgrad;

template <ag::Scalar T>
using Function = std::function<std::vector<ag::Var<T>>(std::span<const ag::Var<T>>)>;

struct Case {
  std::string title;                         // what is special about it
  std::vector<ag::Tensor<double>> inputs{};  // values that a float holds exactly
  Function<double> in_double;
  Function<float> in_float;
  bool differentiable = true;  // false: the result has to be a constant
  bool other_points = true;    // whether it means something at -x and near x as well
  std::size_t parameters = 0;  // that have to be checked beside the inputs
  ag::RecordingOptions recording{};
};

struct Check {
  std::string name;
  std::string kind;                          // op, module or model
  std::function<std::vector<Case>()> cases;  // made when they are run
};

/// Every op of the catalogue, a case for each of its samples.
std::vector<Check> op_checks();
/// The registry: registry.cpp and registry_models.cpp, where one is added by one line.
std::vector<Check> module_checks();
std::vector<Check> model_checks();
/// All of these.
std::vector<Check> all_checks();

}  // namespace checks
