#include <algorithm>

#include <axisgrad/autograd/kernels/gate.hpp>
#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/kernels/scratch.hpp>

namespace axisgrad::kernels {
namespace {

constexpr double grain = 4e6;  // multiply-adds a task, 50 us and more

// Samples a task: by sizes only, since their sums of gradients are added task by task.
template <class T>
Index chunk_of(const Gate<T>& p) {
  const double each = double(p.n) * double(p.n + 8) * double(p.columns) + 1;
  return std::max<Index>(1, Index(grain / each));
}

template <class Op, class T>
void apply(Index n, const T* a, const T* b, T* to) {
  Run<T> run;
  run.n = n, run.in = {a, b}, run.step = {1, 1}, run.out = to;
  pointwise<Op, T>().value(run);
}

// One sample's share of the gradients; dkernel and dbias are added to.
template <class T>
struct Backward {
  const Gate<T>& p;
  const Index size = p.n * p.columns;
  const Table<T>& kernels = table<T>();
  Scratch<T> scores{size}, turned{size}, sums{p.n};

  // With u = g_y x + g_weights:  dscores = w (u - sum(w u)),  dx = g_y w + kernel dscores,
  // dkernel += x dscores^T,  dbias += dscores.
  void sample(const T* x, const T* w, const T* g_y, const T* g_weights, T* dx, T* dkernel,
              T* dbias) const {
    T* ds = scores.get();
    if (g_y) {
      apply<formulas::multiply_op>(size, g_y, x, ds);
      apply<formulas::multiply_op>(size, g_y, w, dx);
      if (g_weights) apply<formulas::add_op>(size, static_cast<const T*>(ds), g_weights, ds);
    } else {
      std::fill_n(dx, size, T(0));
      if (g_weights) std::copy_n(g_weights, size, ds);
      if (!g_weights) std::fill_n(ds, size, T(0));
    }
    kernels.rows.softmax_backward_columns(p.n, p.columns, p.columns, w, ds, ds);
    gemm<T>(1, p.n, p.columns, p.n, {p.kernel, p.n}, {ds, p.columns}, {dx, p.columns}, dx,
            p.columns);
    kernels.gemm.pack(p.n, p.n, p.columns, ds, p.columns, 1, turned.get());  // (columns, n)
    gemm<T>(1, p.n, p.n, p.columns, {x, p.columns}, {turned.get(), p.n}, {dkernel, p.n}, dkernel,
            p.n);
    kernels.rows.sum_rows(p.n, p.columns, ds, sums.get());
    for (Index i = 0; i < p.n; ++i) dbias[i] += sums.get()[i];
  }
};

}  // namespace

template <class T>
void gate(const Gate<T>& p, T* weights, T* y) {
  const Index size = p.n * p.columns;
  parallel_chunks(p.samples, chunk_of(p), [&](Index begin, Index end) {
    const T* from = p.x + begin * size;
    T* scores = weights + begin * size;
    gemm<T>(end - begin, p.n, p.columns, p.n, {p.kernel, 1, p.n, 0}, {from, p.columns, 1, size}, {},
            scores, p.columns, size);
    for (Index b = begin; b < end; ++b) {
      T* w = weights + b * size;
      Run<T> run;
      run.rows = p.n, run.n = p.columns, run.in = {w, p.bias}, run.out = w;
      run.row_step = {p.columns, 1}, run.step = {1, 0};
      pointwise<formulas::add_op, T>().value(run);
      table<T>().rows.softmax_columns(p.n, p.columns, p.columns, w, w);
      apply<formulas::multiply_op>(size, p.x + b * size, static_cast<const T*>(w), y + b * size);
    }
  });
}

template <class T>
void gate_backward(const Gate<T>& p, const T* weights, const T* g_y, const T* g_weights, T* dx,
                   T* dkernel, T* dbias) {
  const Index size = p.n * p.columns, chunk = chunk_of(p), part = p.n * p.n + p.n,
              parts = std::max<Index>(1, (p.samples + chunk - 1) / chunk);
  const Scratch<T> sums(parts * part);
  std::fill_n(sums.get(), parts * part, T(0));
  parallel_chunks(p.samples, chunk, [&](Index begin, Index end) {
    const Backward<T> backward{p};
    T* own = sums.get() + begin / chunk * part;
    for (Index b = begin; b < end; ++b) {
      const Index at = b * size;
      backward.sample(p.x + at, weights + at, g_y ? g_y + at : nullptr,
                      g_weights ? g_weights + at : nullptr, dx + at, own, own + p.n * p.n);
    }
  });
  for (Index k = 1; k < parts; ++k)
    for (Index i = 0; i < part; ++i) sums.get()[i] += sums.get()[k * part + i];
  std::copy_n(sums.get(), p.n * p.n, dkernel);
  std::copy_n(sums.get() + p.n * p.n, p.n, dbias);
}

template void gate(const Gate<float>&, float*, float*);
template void gate(const Gate<double>&, double*, double*);
template void gate_backward(const Gate<float>&, const float*, const float*, const float*, float*,
                            float*, float*);
template void gate_backward(const Gate<double>&, const double*, const double*, const double*,
                            double*, double*, double*);

}  // namespace axisgrad::kernels
