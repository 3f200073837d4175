// Dropout as a layer (Srivastava et al. 2014).
#pragma once
#include <axisgrad/autograd/ops.hpp>

namespace axisgrad {

/// In a training recording each element is 0 with probability `rate`, else x / (1 - rate);
/// elsewhere x itself. x of any shape. Along the axes of .shared one decision holds for all:
/// {.shared = Axis::time} drops whole channels. What is dropped depends on the recording, see
/// dropout(). Error for a rate outside [0, 1].
class Dropout {
 public:
  explicit Dropout(double rate, const DropoutOptions& options = {})
      : rate_(rate), options_(options) {
    if (!(rate >= 0 && rate <= 1)) fail("Dropout", "the rate must lie in [0, 1], got ", rate);
  }

  template <Scalar T>
  [[nodiscard]] Var<T> operator()(const Var<T>& x) const {
    return dropout(x, rate_, options_);
  }

 private:
  double rate_;
  DropoutOptions options_;
};

}  // namespace axisgrad
