// The serial pieces of the matrix product; gemm.hpp has the definition of the result.
#include <axisgrad/autograd/kernels/arch/gemm_pack.hpp>
#include <axisgrad/autograd/kernels/arch/gemm_tiles.hpp>

namespace axisgrad::kernels {
namespace AXISGRAD_ARCH_SPACE {
namespace {

template <class T, class A = xsimd::default_arch>
struct Gemm {
  using V = xsimd::batch<T, A>;
  using Shape = TileShape<A>;
  using Narrower = Gemm<T, typename Shape::Narrower>;
  using Mat = View<T>;
  static constexpr Index W = V::size, MR = Shape::rows, NR = Shape::vectors * W;
  static constexpr Index KC = GemmKernels<T>::block_depth;  // KC x NR of B fits L1
  static constexpr Index MB = 96, MC = 20 * MR;             // rows at a time
  static constexpr bool narrower = !std::is_void_v<typename Shape::Narrower>;

  static constexpr Index narrowest() {
    if constexpr (narrower)
      return Narrower::narrowest();
    else
      return W;
  }

  // W <= n <= NR columns, k <= KC. With skip, n is W and the first `skip` columns are left alone.
  static void column(const Steps& steps, Index m, Index n, Index k, Mat a, const T* b, Index ldb,
                     Mat d, T* c, Index ldc, Index skip = 0) {
    const Index vectors = (n + W - 1) / W;
    const Index h = strip_height(m, vectors == 1 ? Shape::rows1 : MR), full = m / h * h;
    typename Tiles<T, A>::Job job{0, k, a, b, ldb, d, c, ldc};
    job.last = n - W, job.skip = skip;
    auto strips = [&](Index i, Index rows, Index count) {
      job.count = count, job.a = a.at(i, 0), job.d = d.at(i, 0), job.c = c + i * ldc;
      Tiles<T, A>::run(rows, vectors, job);
    };
    // Strips of one product and equal strips of many are the same thing: tiles at equal steps.
    if (steps.count == 1) {
      job.sa = h * a.row, job.sd = h * d.row, job.sc = h * ldc;
      strips(0, h, full / h);
    } else {
      job.sa = steps.a, job.sb = steps.b, job.sd = steps.d, job.sc = steps.c;
      for (Index i = 0; i < full; i += h) strips(i, h, steps.count);
    }
    if (full < m) strips(full, m - full, steps.count);
  }

  // B in place, with unit column stride: up to the size of L2 this beats packing it (no copy, and
  // strips of it come from L2 fast enough).
  static void direct(const Steps& steps, Index M, Index N, Index K, Mat a, Mat b, Mat d, T* c,
                     Index ldc, T* scratch) {
    if (N < W) {
      if constexpr (narrower)
        return Narrower::direct(steps, M, N, K, a, b, d, c, ldc, scratch);
      else
        return padded(steps, M, N, K, a, b, d, c, ldc, scratch);
    }
    for (Index i = 0, m; i < M; i += m) {
      m = M - i < MB + MR ? M - i : MB;
      for (Index k = 0; k == 0 || k < K; k += KC) {
        const Index kc = least(KC, K - k);
        const Mat ak = a.at(i, k), dk = k ? Mat{c + i * ldc, ldc, 1} : d.at(i, 0);
        const Steps step{steps.count, steps.a, steps.b, k ? steps.c : steps.d, steps.c};
        for (Index j = 0; j < N; j += NR) {
          const Index n = least(NR, N - j), skip = n < W && j ? W - n : 0, j0 = j - skip;
          column(step, m, n + skip, kc, ak, b.p + k * b.row + j0, b.row, dk.at(0, j0),
                 c + i * ldc + j0, ldc, skip);
        }
      }
    }
  }

  // N < W and no narrower vector: B padded to W columns. scratch: (M + K) * W.
  static void padded(const Steps& steps, Index M, Index N, Index K, Mat a, Mat b, Mat d, T* c,
                     Index ldc, T* scratch) {
    T *p = scratch, *t = p + K * W;
    for (Index q = 0; q < steps.count; ++q, a.p += steps.a, b.p += steps.b, c += steps.c) {
      for (Index k = 0; k < K; ++k)
        for (Index j = 0; j < W; ++j) p[k * W + j] = j < N ? b.p[k * b.row + j * b.col] : T(0);
      for (Index k = 0; k == 0 || k < K; k += KC) {
        column({}, M, W, least(KC, K - k), a.at(0, k), p + k * W, W, {}, t, W);
        add(M, N, t, W, k ? Mat{c, ldc, 1} : d, c, ldc);
      }
      if (d.p) d.p += steps.d;
    }
  }
  static void add(Index m, Index n, const T* t, Index ldt, Mat d, T* c, Index ldc) {
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j)
        c[i * ldc + j] = d.p ? d.p[i * d.row + j] + t[i * ldt + j] : t[i * ldt + j];
  }

  // Rows of A times strips of packed B. A is packed too, unless its rows are contiguous and do not
  // fall on the same lines of L1 (a distance that is a multiple of 4096 bytes).
  static void block(Index M, Index N, Index K, Mat a, const T* packed, Mat d, T* c, Index ldc,
                    T* scratch) {
    const Index h = strip_height(M, MR);
    const bool copy = a.col != 1 || (a.row * Index(sizeof(T)) % 4096 == 0 && N >= 4 * NR);
    if (copy)
      for (Index i = 0; i < M; i += h)
        pack(h, least(h, M - i), K, a.p + i * a.row, a.row, a.col, scratch + i * K);
    for (Index j = 0; j < N; j += NR, packed += NR * K) {
      const Index n = least(NR, N - j), vectors = (n + W - 1) / W;
      const bool whole = n == vectors * W;
      for (Index i = 0; i < M; i += h) {
        const Index m = least(h, M - i);
        alignas(64) T t[MR * NR];
        typename Tiles<T, A>::Job job{
            1, K, copy ? Mat{scratch + i * K, 1, h} : a.at(i, 0), packed, NR, {}, t, NR};
        job.last = (vectors - 1) * W;
        if (whole) job.d = d.at(i, j), job.c = c + i * ldc + j, job.ldc = ldc;
        Tiles<T, A>::run(m, vectors, job);
        if (!whole) add(m, n, t, NR, d.at(i, j), c + i * ldc + j, ldc);
      }
    }
  }

  // One column: dot products, four rows at a time.
  static void dot(Index M, Index K, Mat a, const T* b, Mat d, T* c, Index ldc) {
    for (Index i = 0; i < M; i += 4) {
      const Index m = least(4, M - i);
      V s[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))};
      T rest[4] = {};
      Index k = 0;
      for (; k + W <= K; k += W)
        for (Index r = 0; r < m; ++r)
          s[r] =
              fused(V::load_unaligned(a.p + (i + r) * a.row + k), V::load_unaligned(b + k), s[r]);
      for (; k < K; ++k)
        for (Index r = 0; r < m; ++r) rest[r] += a.p[(i + r) * a.row + k] * b[k];
      for (Index r = 0; r < m; ++r) {
        const T sum = xsimd::hadd(s[r]) + rest[r];
        c[(i + r) * ldc] = d.p ? d.p[(i + r) * d.row] + sum : sum;
      }
    }
  }
};

template <class T>
constexpr GemmKernels<T> kernels = {
    .rows = Gemm<T>::MR,
    .columns = Gemm<T>::NR,
    .narrowest = Gemm<T>::narrowest(),
    .wide = Gemm<T>::W,
    .row_block = Gemm<T>::MC,
    .direct = &Gemm<T>::direct,
    .block = &Gemm<T>::block,
    .pack = &pack<T>,
    .dot = &Gemm<T>::dot,
};

}  // namespace
}  // namespace AXISGRAD_ARCH_SPACE

template <>
const GemmKernels<float>& gemm_kernels<Arch::AXISGRAD_ARCH_NAME, float>() {
  return AXISGRAD_ARCH_SPACE::kernels<float>;
}
template <>
const GemmKernels<double>& gemm_kernels<Arch::AXISGRAD_ARCH_NAME, double>() {
  return AXISGRAD_ARCH_SPACE::kernels<double>;
}

}  // namespace axisgrad::kernels
