// Choice of path, scratch and threads for the matrix product. All paths give the same bits, so the
// choices are free: they look at sizes, at the cache and at the number of threads.
#include <algorithm>

#include <unistd.h>

#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/kernels/scratch.hpp>

namespace axisgrad::kernels {
namespace {

constexpr double parallel_work = 8e6;  // 2 m n k: about 100 us, what waking the workers is worth
constexpr Index small_matrix = 4096;   // elements that stay in L1 beside the others

Index l2_bytes() {
  static const Index bytes = [] {
    const long n = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    return n > 0 ? Index(n) : Index(512 * 1024);
  }();
  return bytes;
}

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

bool wants_threads(double work) { return work >= parallel_work && threads() > 1 && !in_parallel(); }

template <class T>
View<T> view(const Matrix<T>& x, Index q = 0) {
  return {x.p ? x.p + q * x.batch : x.p, x.row, x.col};
}

// One product C = D + A B.
template <class T>
struct Product {
  static constexpr Index KC = GemmKernels<T>::block_depth;
  const GemmKernels<T>& kernels = table<T>().gemm;
  Index m, n, k;
  View<T> a, b, d;
  T* c;
  Index ldc;

  // What D is for the block that begins at k0: C, but for the first.
  View<T> added(Index k0, Index i, Index j) const {
    return k0 ? View<T>{c + i * ldc + j, ldc, 1} : d.at(i, j);
  }

  void direct(const View<T>& b_in_place) const {
    const Scratch<T> s(kernels.direct_scratch(m, n, k));
    kernels.direct({}, m, n, k, a, b_in_place, d, c, ldc, s.get());
  }

  // B in place, the longer side of C dealt out in pieces.
  void direct_parallel() const {
    const bool by_columns = n > m;
    const Index unit = by_columns ? kernels.columns : kernels.rows;
    const Index chunk = ceil_div(ceil_div(by_columns ? n : m, 8), unit) * unit;
    parallel_chunks(by_columns ? n : m, chunk, [&](Index begin, Index end) {
      Product part = *this;
      const Index i = by_columns ? 0 : begin, j = by_columns ? begin : 0;
      (by_columns ? part.n : part.m) = end - begin;
      part.a = a.at(i, 0), part.d = d.at(i, j), part.c = c + i * ldc + j;
      part.direct(b.at(0, j));
    });
  }

  // B transposed and small, or used once only: copied as it would lie if it were not transposed.
  void direct_copy() const {
    const Scratch<T> s(k * n);
    kernels.pack(n, n, k, b.p, b.col, b.row, s.get());
    direct({s.get(), n, 1});
  }

  // B in strips of `columns` within blocks of KC rows.
  void pack_block(Index k0, Index j0, Index columns, T* p, bool parallel) const {
    const Index strip = kernels.columns, depth = std::min(KC, k - k0);
    const Index strips = ceil_div(columns, strip);
    parallel_chunks(strips, parallel ? 2 : std::max<Index>(strips, 1), [&](Index s, Index end) {
      for (; s < end; ++s) {
        const View<T> from = b.at(k0, j0 + s * strip);
        kernels.pack(strip, std::min(strip, columns - s * strip), depth, from.p, from.col, from.row,
                     p + s * strip * depth);
      }
    });
  }
  Index packed_columns(Index columns) const {
    return ceil_div(columns, kernels.columns) * kernels.columns;
  }

  // `ready`: all of B packed before; else it is packed piece by piece.
  void packed(const T* ready, bool parallel) const {
    const Index most = Index(4096 / sizeof(T)) / kernels.columns * kernels.columns;
    const Index width = ready ? n : std::min(n, most);
    const Index rows = parallel ? std::clamp(ceil_div(m / 4, kernels.rows) * kernels.rows,
                                             kernels.rows, kernels.row_block)
                                : kernels.row_block;
    const Index chunk = ceil_div(m, ceil_div(m, rows));  // pieces of near-equal height
    const Scratch<T> own(ready ? 0 : packed_columns(width) * std::min(KC, k));
    const Scratch<T> serial(parallel ? 0 : kernels.block_scratch(chunk, std::min(KC, k)));
    for (Index j = 0; j < n; j += width) {
      const Index w = std::min(width, n - j);
      const T* p = ready ? ready : own.get();
      for (Index k0 = 0; k0 < k; k0 += KC) {
        const Index depth = std::min(KC, k - k0);
        if (!ready) pack_block(k0, j, w, own.get(), parallel);
        auto piece = [&](Index i, Index end, T* scratch) {
          kernels.block(end - i, w, depth, a.at(i, k0), p, added(k0, i, j), c + i * ldc + j, ldc,
                        scratch);
        };
        if (parallel)
          parallel_chunks(m, chunk, [&](Index i, Index end) {
            const Scratch<T> s(kernels.block_scratch(end - i, depth));
            piece(i, end, s.get());
          });
        else
          for (Index i = 0; i < m; i += chunk) piece(i, std::min(m, i + chunk), serial.get());
        if (ready) p += packed_columns(w) * depth;
      }
    }
  }

  // Few rows and columns, long k (weight gradients): the blocks of k are dealt out, and their
  // products added in the order of the definition.
  void split_k() const {
    const Index size = m * n;
    const Scratch<T> part(ceil_div(k, KC) * size);
    parallel_chunks(k, KC, [&](Index k0, Index end) {
      Product p{kernels, m, n, end - k0, a.at(0, k0), {}, {}, part.get() + k0 / KC * size, n};
      p.direct(b.at(k0, 0));
    });
    parallel_chunks(m, ceil_div(m, 8), [&](Index i, Index end) {
      for (; i < end; ++i)
        for (Index k0 = 0; k0 < k; k0 += KC) {
          const View<T> from = added(k0, i, 0);
          const T* p = part.get() + k0 / KC * size + i * n;
          for (Index j = 0; j < n; ++j) c[i * ldc + j] = from.p ? from.p[j] + p[j] : p[j];
        }
    });
  }

  // Whether B is best read in place: each strip of rows of A comes back to it. What is half of L2
  // does for a few strips; for many of them, over a long k, the packed form is read faster by more
  // than the copy costs.
  bool stays_in_l2() const {
    const Index bytes = k * n * Index(sizeof(T));
    const bool few_strips = m <= 8 * kernels.rows || k < 128;
    return bytes <= l2_bytes() / (few_strips ? 2 : 8);
  }

  void run() const {
    const bool parallel = wants_threads(2.0 * double(m) * double(n) * double(k));
    if (n == 1 && a.col == 1 && b.row == 1) {
      parallel_chunks(m, parallel ? ceil_div(ceil_div(m, 8), 4) * 4 : m, [&](Index i, Index end) {
        kernels.dot(end - i, k, a.at(i, 0), b.p, d.at(i, 0), c + i * ldc, ldc);
      });
      return;
    }
    const bool few_rows = m <= 4 * kernels.rows;
    const bool in_place = b.col == 1 && (few_rows || (a.col == 1 && stays_in_l2()));
    if (parallel && k >= 4 * KC && m * n <= 65536 && b.col == 1) return split_k();
    if (in_place) return parallel ? direct_parallel() : direct(b);
    if (b.col != 1 && (k * n <= small_matrix || m < kernels.rows || n < kernels.wide))
      return direct_copy();
    packed(nullptr, parallel);
  }
};

// Products too small for a loop over them: tile by tile over as many as fit L1 together.
template <class T>
void many_tiny(Index count, Index m, Index n, Index k, Matrix<T> a, Matrix<T> b, Matrix<T> d, T* c,
               Index ldc, Index c_batch) {
  const GemmKernels<T>& kernels = table<T>().gemm;
  const Index chunk = std::min(count, std::max<Index>(1, 8192 / (m * k + k * n + m * n + 1)));
  const Scratch<T> copy(b.col == 1 ? 0 : chunk * k * n), s(kernels.direct_scratch(m, n, k));
  for (Index q = 0; q < count; q += chunk) {
    const Index part = std::min(chunk, count - q);
    View<T> bq = view(b, q);
    Index b_step = b.batch;
    if (b.col != 1) {
      for (Index i = 0; i < part; ++i)
        kernels.pack(n, n, k, bq.p + i * b.batch, b.col, b.row, copy.get() + i * k * n);
      bq = {copy.get(), n, 1}, b_step = k * n;
    }
    kernels.direct({part, a.batch, b_step, d.batch, c_batch}, m, n, k, view(a, q), bq, view(d, q),
                   c + q * c_batch, ldc, s.get());
  }
}

template <class T>
void copy_d(Index count, Index m, Index n, Matrix<T> d, T* c, Index ldc, Index c_batch) {
  for (Index q = 0; q < count; ++q)
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j)
        c[q * c_batch + i * ldc + j] = d.p ? d.p[q * d.batch + i * d.row + j * d.col] : T(0);
}

}  // namespace

template <class T>
void gemm(Index count, Index m, Index n, Index k, Matrix<T> a, Matrix<T> b, Matrix<T> d, T* c,
          Index ldc, Index c_batch) {
  if (count <= 0 || m <= 0 || n <= 0) return;
  if (k <= 0) return copy_d(count, m, n, d, c, ldc, c_batch);
  if (n == 1) b.col = 1;
  auto serve = [&](Index q, Index end) {
    const bool dots = n == 1 && a.col == 1 && b.row == 1;
    const bool tiny = m * n <= small_matrix && k * n <= small_matrix &&
                      k <= GemmKernels<T>::block_depth && !dots && end - q > 1;
    if (tiny)
      return many_tiny(end - q, m, n, k, {a.p + q * a.batch, a.row, a.col, a.batch},
                       {b.p + q * b.batch, b.row, b.col, b.batch},
                       {d.p ? d.p + q * d.batch : d.p, d.row, d.col, d.batch}, c + q * c_batch, ldc,
                       c_batch);
    for (; q < end; ++q) {
      Product<T> p{.m = m,
                   .n = n,
                   .k = k,
                   .a = view(a, q),
                   .b = view(b, q),
                   .d = view(d, q),
                   .c = c + q * c_batch,
                   .ldc = ldc};
      p.run();
    }
  };
  // Many products go to the threads whole; a few large ones are each divided.
  const double each = 2.0 * double(m) * double(n) * double(k);
  const bool divide = count < 8 && each >= parallel_work;
  if (count > 1 && !divide && wants_threads(double(count) * each)) {
    const Index chunk =
        std::max<Index>(1, std::min(ceil_div(count, 8), Index(parallel_work / each)));
    parallel_chunks(count, chunk, serve);
  } else {
    serve(0, count);
  }
}

template <class T>
Index packed_size(Index n, Index k) {
  const Index strip = table<T>().gemm.columns;
  return ceil_div(n, strip) * strip * k;
}

template <class T>
void pack_b(Index n, Index k, Matrix<T> b, T* packed) {
  const Product<T> p{
      .m = 0, .n = n, .k = k, .a = {}, .b = view(b), .d = {}, .c = nullptr, .ldc = 0};
  for (Index k0 = 0; k0 < k; k0 += p.KC)
    p.pack_block(k0, 0, n, packed + p.packed_columns(n) * k0, false);
}

template <class T>
void gemm_packed(Index m, Index n, Index k, Matrix<T> a, const T* packed, Matrix<T> d, T* c,
                 Index ldc) {
  if (m <= 0 || n <= 0) return;
  if (k <= 0) return copy_d(1, m, n, d, c, ldc, 0);
  const Product<T> p{
      .m = m, .n = n, .k = k, .a = view(a), .b = {}, .d = view(d), .c = c, .ldc = ldc};
  p.packed(packed, wants_threads(2.0 * double(m) * double(n) * double(k)));
}

template void gemm(Index, Index, Index, Index, Matrix<float>, Matrix<float>, Matrix<float>, float*,
                   Index, Index);
template void gemm(Index, Index, Index, Index, Matrix<double>, Matrix<double>, Matrix<double>,
                   double*, Index, Index);
template Index packed_size<float>(Index, Index);
template Index packed_size<double>(Index, Index);
template void pack_b(Index, Index, Matrix<float>, float*);
template void pack_b(Index, Index, Matrix<double>, double*);
template void gemm_packed(Index, Index, Index, Matrix<float>, const float*, Matrix<float>, float*,
                          Index);
template void gemm_packed(Index, Index, Index, Matrix<double>, const double*, Matrix<double>,
                          double*, Index);

}  // namespace axisgrad::kernels
