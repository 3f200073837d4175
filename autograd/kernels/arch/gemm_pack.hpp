// Copies of pieces of A and B in the order in which the tiles read them.
#pragma once
#include <axisgrad/autograd/kernels/arch/vector.hpp>

namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE {
namespace {

template <class T>
using Quad = xsimd::batch<T, xsimd::sse2>;

// p[k*ldp + l] = x[l*ldx + k], in 128-bit squares (xsimd's zip_* act within 128-bit lanes on AVX),
// 8 lines at a time.
template <class T>
void transpose(Index lines, Index depth, const T* x, Index ldx, T* p, Index ldp) {
  using Q = Quad<T>;
  constexpr Index w = Q::size;
  Index l0 = 0;
  for (; l0 + w <= lines; l0 += 8) {
    const Index end = (l0 + 8 < lines ? l0 + 8 : lines) / w * w;
    Index k = 0;
    for (; k + w <= depth; k += w)
      for (Index l = l0; l < end; l += w) {
        Q r[w], t[w];
#pragma GCC unroll 4
        for (Index i = 0; i < w; ++i) r[i] = Q::load_unaligned(x + (l + i) * ldx + k);
#pragma GCC unroll 2
        for (Index s = 1; s < w; s *= 2) {
#pragma GCC unroll 2
          for (Index i = 0; i < w / 2; ++i) {
            t[2 * i] = xsimd::zip_lo(r[i], r[i + w / 2]);
            t[2 * i + 1] = xsimd::zip_hi(r[i], r[i + w / 2]);
          }
#pragma GCC unroll 4
          for (Index i = 0; i < w; ++i) r[i] = t[i];
        }
#pragma GCC unroll 4
        for (Index i = 0; i < w; ++i) r[i].store_unaligned(p + (k + i) * ldp + l);
      }
    for (; k < depth; ++k)
      for (Index l = l0; l < end; ++l) p[k * ldp + l] = x[l * ldx + k];
  }
  for (Index l = lines / w * w; l < lines; ++l)
    for (Index k = 0; k < depth; ++k) p[k * ldp + l] = x[l * ldx + k];
}

// p[k*lines + l] = x[l*line + k*step], l < n; lines n.. are zeros.
template <class T>
void pack(Index lines, Index n, Index depth, const T* x, Index line, Index step, T* p) {
  using V = Vec<T>;
  using Q = Quad<T>;
  constexpr Index w = V::size, q = Q::size;
  if (n < lines)
    for (Index i = 0; i < lines * depth; ++i) p[i] = T(0);
  if (line == 1 && n == 2 * w && lines == n) {  // a whole strip of B
    for (Index k = 0; k < depth; ++k, p += n, x += step) {
      const V a = V::load_unaligned(x), b = V::load_unaligned(x + w);
      a.store_unaligned(p), b.store_unaligned(p + w);
    }
  } else if (step == 1) {
    transpose(n, depth, x, line, p, lines);
  } else if (line == 1 && n >= q) {  // a strip of A: 128-bit copies, the last one overlapping
    for (Index k = 0; k < depth; ++k, p += lines, x += step) {
      for (Index l = 0; l + q < n; l += q) Q::load_unaligned(x + l).store_unaligned(p + l);
      Q::load_unaligned(x + n - q).store_unaligned(p + n - q);
    }
  } else {
    for (Index k = 0; k < depth; ++k)
      for (Index l = 0; l < n; ++l) p[k * lines + l] = x[l * line + k * step];
  }
}

}  // namespace
}  // namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE
