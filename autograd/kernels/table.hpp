// What an architecture offers: plain functions on plain buffers, chosen once at run time. No
// containers, no threads here.
#pragma once
#include <array>
#include <cstddef>

namespace axisgrad::kernels {

using Index = std::ptrdiff_t;

/// One run of a pointwise op: rows x n elements. Input k advances by step[k] (0 or 1) within a row
/// and by row_step[k] from row to row; the output, the cotangent g and the gradients are
/// contiguous.
template <class T>
struct Run {
  Index rows = 1, n = 0;
  std::array<const T*, 4> in{};
  std::array<Index, 4> row_step{}, step{};
  T* out = nullptr;
};

template <class T>
struct Pointwise {
  void (*value)(const Run<T>&);
  // dx[k] receives the gradient of input k over all rows x n elements; null where it is not wanted.
  // y is null when not kept.
  void (*gradient)(const Run<T>&, const T* g, const T* y, const std::array<T*, 4>& dx);
};

}  // namespace axisgrad::kernels
