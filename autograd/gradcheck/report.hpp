// What a gradient check found: one row for each input and parameter, and sentences.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include <axisgrad/autograd/shape.hpp>

namespace axisgrad {

enum class GradcheckVerdict {
  passed,
  failed,
  kink,         // the elements sit on kinks, with the slope of a side or one between
  hidden,       // nothing is wrong, and nothing is shown: the gradient is zero everywhere
  not_checked,  // frozen, or without elements
};

struct GradcheckRow {
  std::string name;  // "input 0", or the parameter's name
  Shape shape;
  GradcheckVerdict verdict = GradcheckVerdict::passed;
  Size checked = 0, wrong = 0, kinks = 0;  // elements; projections in fast mode
  double max_abs_error = 0, max_rel_error = 0;
  /// Where the relative error is largest (empty in fast mode), at which point, and both values
  /// there.
  std::vector<Size> worst_index{};
  std::string worst_point{};
  double analytic = 0, numeric = 0;
  std::vector<std::string> remarks{};
};

struct GradcheckReport {
  std::vector<GradcheckRow> rows;
  std::vector<std::string>
      failures;  // of the function as a whole: a wrong shape, two equal calls that differ
  std::vector<std::string> remarks;
  bool hidden = false;  // the gradient is zero everywhere, so a wrong rule would not show
  double tolerance = 0;

  /// Whether the gradient was checked and found right.
  explicit operator bool() const;
  double max_rel_error() const;
  double max_abs_error() const;
};

/// A table, then what there is to say in sentences.
std::ostream& operator<<(std::ostream& out, const GradcheckReport& report);

namespace gradchecking {
/// The index of the element that stands at this position in memory; empty for -1.
[[nodiscard]] std::vector<Size> index_of(const Shape& shape, Size at);
}  // namespace gradchecking

}  // namespace axisgrad
