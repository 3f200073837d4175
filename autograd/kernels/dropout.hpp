// Dropout by counter: whether an element is kept is a function of (key, sample, index within the
// sample), of nothing else. So its factor need not be kept for backward: it can be drawn again, any
// part of it by itself.
#pragma once
#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {

/// What is dropped of a tensor whose samples, of `per_sample` elements, follow each other.
struct Dropout {
  double rate = 0;
  std::uint64_t key = 0, first_sample = 0;
  Index per_sample = 1;
};

/// The factors, 0 with probability `rate`, else 1 / (1 - rate), of the elements begin ... begin + n
/// of the tensor. Serial.
template <class T>
void dropout_factors(const Dropout&, Index begin, Index n, T* to);

}  // namespace axisgrad::kernels
