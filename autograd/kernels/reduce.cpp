#include <axisgrad/autograd/kernels/reduce.hpp>
#include <axisgrad/autograd/kernels/scratch.hpp>

namespace axisgrad::kernels {
namespace {

constexpr Index grain = 1 << 17;           // elements a task: about 50 us of reading
constexpr Index block_elements = 1 << 14;  // what a block of a long axis holds, if columns allow

// A long axis is cut into blocks, each reduced to one line; then the lines are. So one long row is
// work for many threads, and a tall matrix is read block by block rather than column by column.
template <class T, class Rows, class Columns>
void reduce(const Extent& e, const T* x, T* y, Rows rows, Columns columns) {
  const Index block =
      std::clamp<Index>(block_elements / std::max<Index>(e.inner, 1), 32, block_elements);
  if (e.n <= block) {
    for_each_line(
        e, grain, [&](Index o, Index m) { rows(m, e.n, x + o * e.n, y + o); },
        [&](Index o, Index c, Index m) {
          columns(e.n, e.inner, m, x + o * e.n * e.inner + c, y + o * e.inner + c);
        });
    return;
  }
  const Index blocks = (e.n + block - 1) / block, size = e.outer * blocks;
  const Scratch<T> part(size * e.inner);
  const Index work = block * e.inner;
  const Index chunk = e.outer * e.n * e.inner < 2 * grain ? size : std::max<Index>(1, grain / work);
  parallel_chunks(size, chunk, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index o = i / blocks, k = i % blocks * block, n = std::min(block, e.n - k);
      const T* from = x + (o * e.n + k) * e.inner;
      if (e.inner == 1)
        rows(Index(1), n, from, part.get() + i);
      else
        columns(n, e.inner, e.inner, from, part.get() + i * e.inner);
    }
  });
  reduce(Extent{e.outer, blocks, e.inner}, static_cast<const T*>(part.get()), y, rows, columns);
}

}  // namespace

template <class T>
void sum(Extent e, const T* x, T* y) {
  const RowKernels<T>& k = table<T>().rows;
  reduce(e, x, y, k.sum_rows, k.sum_columns);
}

template <class T>
void max(Extent e, const T* x, T* y) {
  const RowKernels<T>& k = table<T>().rows;
  reduce(e, x, y, k.max_rows, k.max_columns);
}

template void sum(Extent, const float*, float*);
template void sum(Extent, const double*, double*);
template void max(Extent, const float*, float*);
template void max(Extent, const double*, double*);

}  // namespace axisgrad::kernels
