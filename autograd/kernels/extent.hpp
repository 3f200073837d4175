// The view that reductions and softmax have of a tensor: axes before, the axis, axes behind.
#pragma once
#include <algorithm>

#include <axisgrad/autograd/kernels/parallel.hpp>

namespace axisgrad::kernels {

struct Extent {
  Index outer = 1, n = 0, inner = 1;
};

// Columns a task takes at least: whole cache lines, and enough of them in a row for the prefetcher.
inline constexpr Index column_block = 256;

/// rows(o, m): the rows o .. o+m of a tensor with inner = 1. columns(o, c, m): the columns
/// c .. c+m of slice o. In parallel when there is work for it: `grain` elements a task.
template <class Rows, class Columns>
void for_each_line(const Extent& e, Index grain, Rows rows, Columns columns) {
  if (e.outer == 0 || e.inner == 0) return;
  const Index n = std::max<Index>(e.n, 1);
  const bool small = e.outer * n * e.inner < 2 * grain;
  if (e.inner == 1) {
    const Index chunk = small ? e.outer : std::max<Index>(1, grain / n);
    parallel_chunks(e.outer, chunk, [&](Index o, Index end) { rows(o, end - o); });
    return;
  }
  const Index width = small ? e.inner : std::min(e.inner, column_block);
  const Index pieces = (e.inner + width - 1) / width;
  const Index chunk = small ? e.outer * pieces : std::max<Index>(1, grain / (n * width));
  parallel_chunks(e.outer * pieces, chunk, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index c = i % pieces * width;
      columns(i / pieces, c, std::min(width, e.inner - c));
    }
  });
}

}  // namespace axisgrad::kernels
