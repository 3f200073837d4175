// One check done: what was found.
#pragma once
#include <optional>

#include "check.hpp"

namespace checks {

struct Worst {
  std::string where;  // "input 0 (axis 1)", "kernel"
  std::vector<ag::Size> index;
  double analytic = 0, numeric = 0;
};

struct Result {
  std::string name, kind;
  int order = 1;
  double max_rel_error = 0;
  std::optional<Worst> worst{};
  bool passed = true;
  double seconds = 0;
  std::string text{};  // what is wrong, for people
};

struct RunOptions {
  int order = 1;
  /// In addition the gradients in float, against those in double at the same values.
  bool single_precision = false;
  bool first_case_only = false;
};

/// Allowed in single precision, where an error is relative to the largest gradient of its input or
/// parameter, or to a hundredth of the largest of all: what cancels within a sum (the gradient of a
/// key's bias is zero, but for round-off) has no digits of its own.
inline constexpr double single_precision_tolerance = 1e-4;

/// Checks all cases. An Error that a case throws is a failure with its text.
Result run(const Check& check, const RunOptions& options);

}  // namespace checks
