// The register tile of the matrix product: rows x vectors of C stay in registers over a block of k.
#pragma once
#include <array>
#include <type_traits>
#include <utility>

#include <axisgrad/autograd/kernels/arch/vector.hpp>

namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE {
namespace {

// Per architecture: rows x vectors of the tile, rows1 of a tile one vector wide, and the next
// narrower vector, for matrices with few columns.
template <class A>
struct TileShape {  // 16 registers
  static constexpr int rows = 6, vectors = 2, rows1 = 12;
  using Narrower = void;
};
template <>
struct TileShape<xsimd::fma3<xsimd::avx2>> : TileShape<void> {
#ifdef __AVX512VL__
  static constexpr int rows = 12;  // AVX-512 gives short vectors 32 registers too
#endif
  using Narrower = xsimd::sse4_2;
};
template <>
struct TileShape<xsimd::avx512bw> {  // 32 registers; 12x2, 14x2, 8x3 and 6x4 measure alike, and 12
                                     // rows transpose best
  static constexpr int rows = 12, vectors = 2, rows1 = 12;
  using Narrower = xsimd::fma3<xsimd::avx2>;
};

template <class T, class A>
struct Tiles {
  using V = xsimd::batch<T, A>;
  using Shape = TileShape<A>;
  static constexpr Index W = V::size;

  // `count` tiles: k and the shape are common, the matrices step by sa, sb, sd, sc. The last vector
  // of a tile starts at column `last`; its first `skip` lanes are not written (they belong to the
  // neighbour on the left).
  struct Job {
    Index count, k;
    View<T> a;
    const T* b;
    Index ldb;
    View<T> d;
    T* c;
    Index ldc;
    Index sa = 0, sb = 0, sd = 0, sc = 0, last = 0, skip = 0;
  };

  template <int R, int N>
  static void tiles(const Job& job) {
    const T *a = job.a.p, *bt = job.b, *d = job.d.p;
    const Index ra = job.a.row, ca = job.a.col, ldb = job.ldb, ldd = job.d.row, ldc = job.ldc;
    const Index last = job.last;
    T* c = job.c;
    auto column = [&](int v) { return v == N - 1 ? last : v * W; };
    for (Index n = job.count; n > 0; --n, a += job.sa, bt += job.sb, c += job.sc) {
      V s[R][N];
      // Row i is row[i/3] + (i%3)*ra: few pointers, scaled addressing does the rest.
      const T *b = bt, *row[(R + 2) / 3];
#pragma GCC unroll 16
      for (int i = 0; i < R; i += 3) row[i / 3] = a + i * ra;
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        __builtin_prefetch(c + i * ldc, 1), __builtin_prefetch(c + i * ldc + last + W - 1, 1);
#pragma GCC unroll 4
        for (int v = 0; v < N; ++v) s[i][v] = V(T(0));
      }
      for (Index k = 0; k < job.k; ++k, b += ldb) {
        V bv[N];
        // B in place: its rows are too far apart for the hardware to follow.
        __builtin_prefetch(b + 8 * ldb);
        if constexpr (N * W * sizeof(T) > 64) __builtin_prefetch(b + 8 * ldb + last);
#pragma GCC unroll 4
        for (int v = 0; v < N; ++v) bv[v] = V::load_unaligned(b + column(v));
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) {
          const V av(row[i / 3][(i % 3) * ra]);
#pragma GCC unroll 4
          for (int v = 0; v < N; ++v) s[i][v] = fused(av, bv[v], s[i][v]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < R; i += 3) row[i / 3] += ca;
      }
      if (d) {  // all loads of D before any store: D may be C
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
          for (int v = 0; v < N; ++v)
            s[i][v] = V::load_unaligned(d + i * ldd + column(v)) + s[i][v];
        d += job.sd;
      }
      if (N == 1 && job.skip) {
        alignas(64) T lane[W];
        for (Index l = 0; l < W; ++l) lane[l] = T(l);
        const auto live = V::load_aligned(lane) >= V(T(job.skip));
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i)
          s[i][0] = xsimd::select(live, s[i][0], V::load_unaligned(c + i * ldc));
      }
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < N; ++v) s[i][v].store_unaligned(c + i * ldc + column(v));
    }
  }

  using Function = void (*)(const Job&);
  template <int N, int... R>
  static constexpr std::array<Function, sizeof...(R)> heights(std::integer_sequence<int, R...>) {
    return {&tiles<R + 1, N>...};
  }
  static void run(Index rows, Index vectors, const Job& job) {
    static constexpr auto narrow = heights<1>(std::make_integer_sequence<int, Shape::rows1>());
    static constexpr auto wide = heights<2>(std::make_integer_sequence<int, Shape::rows>());
    (vectors == 1 ? narrow.data()[rows - 1] : wide.data()[rows - 1])(job);
  }
};

// Lines are cut into strips of near-equal height: 64 rows by 12 are 11, 11, 11, 11, 11, 9.
inline Index strip_height(Index lines, Index most) {
  const Index n = (lines + most - 1) / most;
  return n ? (lines + n - 1) / n : 1;
}
constexpr Index least(Index a, Index b) { return a < b ? a : b; }

}  // namespace
}  // namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE
