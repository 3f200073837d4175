#include <algorithm>

#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/lstm.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/kernels/reduce.hpp>
#include <axisgrad/autograd/kernels/scratch.hpp>

namespace axisgrad::kernels {
namespace {

constexpr double parallel_work = 8e6;  // multiply-adds from which a second thread pays

// The samples of a batch do not see each other, so each thread takes some of them through all
// steps. How many it takes changes no bit: see gemm.hpp.
template <class T>
Index samples_per_thread(const Lstm<T>& l) {
  const double work =
      double(l.batch) * double(l.steps) * double(l.inputs + l.units) * double(8 * l.units);
  if (work < parallel_work || in_parallel()) return l.batch;
  return std::max<Index>(1, (l.batch + threads() - 1) / threads());
}

template <class T>
void add(Index n, const T* x, T* y) {
  for (Index i = 0; i < n; ++i) y[i] += x[i];
}
template <class T>
void multiply(Index n, const T* x, const T* y, T* out) {
  for (Index i = 0; i < n; ++i) out[i] = x[i] * y[i];
}

// Samples first..first+count of an LSTM, step by step.
template <class T>
struct Part {
  const Lstm<T>& l;
  const LstmTrace<T>& trace;
  Index first, count;
  const Index units = l.units, all = l.batch * units, size = count * units;
  const LstmKernels<T>& kernels = table<T>().lstm;
  Scratch<T> zeros{size}, masked{l.recurrent_mask ? size : 0};

  Part(const Lstm<T>& lstm, const LstmTrace<T>& tr, Index begin, Index end)
      : l(lstm), trace(tr), first(begin), count(end - begin) {
    std::fill_n(zeros.get(), size, T(0));
  }

  Index original(Index t) const { return l.reverse ? l.steps - 1 - t : t; }
  bool uses(Index b, Index t) const {
    return !l.mask || l.mask[(first + b) * l.steps + original(t)] != T(0);
  }
  // Row `first` of step t in an array of `width` columns.
  T* at(T* array, Index t, Index width) const {
    return array + ((trace.keep ? t * l.batch : 0) + first) * width;
  }
  T* x(Index t) const { return trace.x + (t * l.batch + first) * l.inputs; }
  T* h(Index t) const { return trace.h + t * all + first * units; }
  T* gates(Index t) const { return at(trace.gates, t, 4 * units); }
  T* c(Index t) const { return at(trace.c, t, units); }
  T* tanh_c(Index t) const { return at(trace.tanh_c, t, units); }
  const T* own(const T* state) const { return state ? state + first * units : zeros.get(); }
  const T* h_before(Index t) const { return t ? h(t - 1) : own(l.h0); }
  const T* c_before(Index t) const { return t ? c(t - 1) : own(l.c0); }
  // What the recurrent kernel sees of h(t-1).
  const T* fed_back(Index t) const {
    if (!l.recurrent_mask) return h_before(t);
    multiply(size, h_before(t), l.recurrent_mask + first * units, masked.get());
    return masked.get();
  }

  void copy_inputs() const {
    for (Index t = 0; t < l.steps; ++t)
      for (Index b = 0; b < count; ++b)
        std::copy_n(l.x + ((first + b) * l.steps + original(t)) * l.inputs, l.inputs,
                    x(t) + b * l.inputs);
  }
  void input_products(Index t, Index steps) const {
    gemm<T>(1, steps * count, 4 * units, l.inputs, {x(t), l.inputs}, {l.kernel, 4 * units},
            {l.bias, 0}, gates(t), 4 * units);
  }

  void forward() const {
    copy_inputs();
    // All input products at once while the gates stay in the cache, else each just before its step.
    const bool at_once = trace.keep && count == l.batch && 4 * all * l.steps <= Index(1) << 19;
    if (at_once) input_products(0, l.steps);
    for (Index t = 0; t < l.steps; ++t) {
      if (!at_once) input_products(t, 1);
      T* g = gates(t);
      if (t || l.h0)
        gemm<T>(1, count, 4 * units, units, {fed_back(t), units}, {l.recurrent, 4 * units},
                {g, 4 * units}, g, 4 * units);
      if (l.mask)
        step_masked(t);
      else
        kernels.cell(count, units, g, c_before(t), c(t), tanh_c(t), h(t));
    }
  }
  // Where the mask is 0 the state is carried over.
  void step_masked(Index t) const {
    for (Index b = 0; b < count; ++b) {
      const Index o = b * units;
      if (uses(b, t)) {
        kernels.cell(1, units, gates(t) + 4 * o, c_before(t) + o, c(t) + o, tanh_c(t) + o,
                     h(t) + o);
        continue;
      }
      std::copy_n(c_before(t) + o, units, c(t) + o);
      std::copy_n(h_before(t) + o, units, h(t) + o);
    }
  }

  // Fills dgates (steps, batch, 4 units) and the gradients of the initial state.
  void backward(const LstmCotangents<T>& g, const T* packed, T* dgates,
                const LstmGradients<T>& d) const {
    const Scratch<T> dc(size), dh(size), next(size);
    T *up = dh.get(), *down = next.get();
    start(g.last_c, dc.get()), start(g.last_h, up);
    for (Index t = l.steps; t-- > 0;) {
      T* dg = dgates + (t * l.batch + first) * 4 * units;
      if (g.h && (t == l.steps - 1 || l.recurrent_mask))
        add(size, g.h + t * all + first * units, up);
      if (l.mask)
        backward_masked(t, up, dc.get(), dg);
      else
        kernels.cell_backward(count, units, gates(t), c_before(t), tanh_c(t), up, dc.get(), dg);
      if (t || d.h0) {
        const T* before =
            t && g.h && !l.recurrent_mask ? g.h + (t - 1) * all + first * units : nullptr;
        gemm_packed<T>(count, units, 4 * units, {dg, 4 * units}, packed, {before, units}, down,
                       units);
        if (l.recurrent_mask) multiply(size, down, l.recurrent_mask + first * units, down);
        if (l.mask) carry(t, up, down);
        std::swap(up, down);
      }
    }
    if (d.h0) std::copy_n(up, size, d.h0 + first * units);
    if (d.c0) std::copy_n(dc.get(), size, d.c0 + first * units);
  }
  void start(const T* from, T* to) const {
    if (from)
      std::copy_n(from + first * units, size, to);
    else
      std::fill_n(to, size, T(0));
  }
  void backward_masked(Index t, const T* up, T* dc, T* dg) const {
    for (Index b = 0; b < count; ++b) {
      const Index o = b * units;
      if (uses(b, t))
        kernels.cell_backward(1, units, gates(t) + 4 * o, c_before(t) + o, tanh_c(t) + o, up + o,
                              dc + o, dg + 4 * o);
      else
        std::fill_n(dg + 4 * o, 4 * units, T(0));
    }
  }
  void carry(Index t, const T* up, T* down) const {
    for (Index b = 0; b < count; ++b)
      if (!uses(b, t)) add(units, up + b * units, down + b * units);
  }
};

// d recurrent = sum over t of h(t-1)^T dgates(t), the first step apart since its h is the initial
// state.
template <class T>
void recurrent_gradient(const Lstm<T>& l, const LstmTrace<T>& trace, const T* dgates, T* d) {
  const Index units = l.units, rows = (l.steps - 1) * l.batch, all = l.batch * units;
  const Scratch<T> masked(l.recurrent_mask ? std::max<Index>(l.steps - 1, 1) * all : 0);
  auto fed_back = [&](const T* h, Index steps) {
    if (!l.recurrent_mask) return h;
    for (Index t = 0; t < steps; ++t)
      multiply(all, h + t * all, l.recurrent_mask, masked.get() + t * all);
    return static_cast<const T*>(masked.get());
  };
  auto product = [&](const T* h, Index n, const T* dg, const T* sum) {
    gemm<T>(1, units, 4 * units, n, {h, 1, units}, {dg, 4 * units}, {sum, 4 * units}, d, 4 * units);
  };
  product(fed_back(trace.h, l.steps - 1), rows, dgates + 4 * all, nullptr);
  if (l.h0) product(fed_back(l.h0, 1), l.batch, dgates, d);
}

}  // namespace

template <class T>
void lstm_forward(const Lstm<T>& l, const LstmTrace<T>& trace) {
  if (l.steps == 0) return;
  parallel_chunks(l.batch, std::max<Index>(samples_per_thread(l), 1),
                  [&](Index begin, Index end) { Part<T>(l, trace, begin, end).forward(); });
}

template <class T>
void lstm_backward(const Lstm<T>& l, const LstmTrace<T>& trace, const LstmCotangents<T>& g,
                   const LstmGradients<T>& d) {
  const Index units = l.units, rows = l.steps * l.batch;
  const Scratch<T> dgates(rows * 4 * units), packed(packed_size<T>(units, 4 * units));
  pack_b<T>(units, 4 * units, {l.recurrent, 1, 4 * units}, packed.get());
  parallel_chunks(l.batch, std::max<Index>(samples_per_thread(l), 1), [&](Index begin, Index end) {
    Part<T>(l, trace, begin, end).backward(g, packed.get(), dgates.get(), d);
  });
  const T* dg = dgates.get();
  if (d.kernel)
    gemm<T>(1, l.inputs, 4 * units, rows, {trace.x, 1, l.inputs}, {dg, 4 * units}, {}, d.kernel,
            4 * units);
  if (d.recurrent) {
    if (l.steps)
      recurrent_gradient(l, trace, dg, d.recurrent);
    else
      std::fill_n(d.recurrent, 4 * units * units, T(0));
  }
  if (d.bias) sum<T>({1, rows, 4 * units}, dg, d.bias);
  if (d.x) {
    const Scratch<T> dx(rows * l.inputs);
    gemm<T>(1, rows, l.inputs, 4 * units, {dg, 4 * units}, {l.kernel, 1, 4 * units}, {}, dx.get(),
            l.inputs);
    for (Index t = 0; t < l.steps; ++t)
      for (Index b = 0; b < l.batch; ++b) {
        const Index original = l.reverse ? l.steps - 1 - t : t;
        std::copy_n(dx.get() + (t * l.batch + b) * l.inputs, l.inputs,
                    d.x + (b * l.steps + original) * l.inputs);
      }
  }
}

template void lstm_forward(const Lstm<float>&, const LstmTrace<float>&);
template void lstm_forward(const Lstm<double>&, const LstmTrace<double>&);
template void lstm_backward(const Lstm<float>&, const LstmTrace<float>&,
                            const LstmCotangents<float>&, const LstmGradients<float>&);
template void lstm_backward(const Lstm<double>&, const LstmTrace<double>&,
                            const LstmCotangents<double>&, const LstmGradients<double>&);

}  // namespace axisgrad::kernels
