#include <algorithm>

#include <axisgrad/autograd/kernels/extent.hpp>
#include <axisgrad/autograd/kernels/layer_norm.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/kernels/reduce.hpp>
#include <axisgrad/autograd/kernels/scratch.hpp>

namespace axisgrad::kernels {
namespace {
constexpr Index grain = 1 << 16;  // elements a task
}

template <class T>
void layer_norm(Index rows, Index n, const T* x, const T* gamma, const T* beta, T epsilon, T* y,
                T* mean, T* inverse) {
  const RowKernels<T>& k = table<T>().rows;
  const Index chunk =
      rows * n < 2 * grain ? std::max<Index>(1, rows) : std::max<Index>(1, grain / n);
  parallel_chunks(rows, chunk, [&](Index r, Index end) {
    k.layer_norm(end - r, n, x + r * n, gamma, beta, epsilon, y + r * n, mean + r, inverse + r);
  });
}

// dgamma and dbeta are summed over at most 256 rows one after the other, then as a tree.
template <class T>
void layer_norm_backward(Index rows, Index n, const T* x, const T* gamma, const T* mean,
                         const T* inverse, const T* g, T* dx, T* dgamma, T* dbeta) {
  const RowKernels<T>& k = table<T>().rows;
  const Index block = std::clamp<Index>(grain / std::max<Index>(n, 1), 1, 256);
  const Index blocks = (rows + block - 1) / block;
  const Scratch<T> parts(2 * blocks * n);
  T* const of_gamma = parts.get();
  T* const of_beta = of_gamma + blocks * n;
  std::fill_n(of_gamma, 2 * blocks * n, T(0));
  const Index chunk =
      rows * n < 2 * grain ? std::max<Index>(1, blocks) : std::max<Index>(1, grain / (block * n));
  parallel_chunks(blocks, chunk, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const Index r = b * block, m = std::min(block, rows - r);
      k.layer_norm_backward(m, n, x + r * n, gamma, mean + r, inverse + r, g + r * n, dx + r * n,
                            of_gamma + b * n, of_beta + b * n);
    }
  });
  sum(Extent{1, blocks, n}, static_cast<const T*>(of_gamma), dgamma);
  sum(Extent{1, blocks, n}, static_cast<const T*>(of_beta), dbeta);
}

template void layer_norm(Index, Index, const float*, const float*, const float*, float, float*,
                         float*, float*);
template void layer_norm(Index, Index, const double*, const double*, const double*, double, double*,
                         double*, double*);
template void layer_norm_backward(Index, Index, const float*, const float*, const float*,
                                  const float*, const float*, float*, float*, float*);
template void layer_norm_backward(Index, Index, const double*, const double*, const double*,
                                  const double*, const double*, double*, double*, double*);

}  // namespace axisgrad::kernels
