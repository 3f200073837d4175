#include <algorithm>

#include <axisgrad/autograd/kernels/dual_stage.hpp>
#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/kernels/reduce.hpp>

namespace axisgrad::kernels {
namespace {

// q = W [h; c], W (size, 2 units), h in rows that lie apart.
template <class T>
struct StateQuery {
  Index size, units;
  const T* W;
  Scratch<T> of_h{packed_size<T>(size, units)}, of_c{packed_size<T>(size, units)};

  StateQuery(Index rows, Index columns, const T* weight) : size(rows), units(columns), W(weight) {
    pack_b<T>(size, units, {W, 1, 2 * units}, of_h.get());
    pack_b<T>(size, units, {W + units, 1, 2 * units}, of_c.get());
  }
  void product(Index rows, const T* h, Index h_row, const T* c, T* q) const {
    gemm_packed<T>(rows, size, units, {h, h_row}, of_h.get(), {}, q, size);
    gemm_packed<T>(rows, size, units, {c, units}, of_c.get(), {q, size}, q, size);
  }
  // Adds to the cotangents of h and c.
  void backward(Index rows, const T* dq, T* dh, T* dc) const {
    gemm<T>(1, rows, units, size, {dq, size}, {W, 2 * units}, {dh, units}, dh, units);
    gemm<T>(1, rows, units, size, {dq, size}, {W + units, 2 * units}, {dc, units}, dc, units);
  }
  void gradient(Index rows, const T* dq, const T* h, Index h_row, const T* c, T* dW) const {
    gemm<T>(1, size, units, rows, {dq, 1, size}, {h, h_row}, {}, dW, 2 * units);
    gemm<T>(1, size, units, rows, {dq, 1, size}, {c, units}, {}, dW + units, 2 * units);
  }
};

// What both recurrences do with samples first..first+count.
template <class T, class Problem>
struct Part {
  const Problem& p;
  const AttendingTrace<T>& trace;
  Index first, count;
  const Index units = p.gates.units, inputs = p.gates.inputs, width = p.gates.width(),
              size = count * units;
  const Table<T>& kernels = table<T>();
  Scratch<T> zeros{size};

  Part(const Problem& problem, const AttendingTrace<T>& tr, Index begin, Index end)
      : p(problem), trace(tr), first(begin), count(end - begin) {
    std::fill_n(zeros.get(), size, T(0));
  }

  // Row `first` of step t in an array of `columns`.
  T* at(T* array, Index t, Index columns) const {
    return array + ((trace.keep ? t * p.batch : 0) + first) * columns;
  }
  T* fed(Index t) const { return at(trace.fed, t, width); }
  T* gates(Index t) const { return at(trace.gates, t, 4 * units); }
  T* c(Index t) const { return at(trace.c, t, units); }
  T* tanh_c(Index t) const { return at(trace.tanh_c, t, units); }
  T* query(Index t) const { return at(trace.query, t, p.size); }
  const T* c_before(Index t) const { return t ? c(t - 1) : zeros.get(); }

  void ask(const StateQuery<T>& W, Index t) const {
    if (t)
      W.product(count, fed(t), width, c(t - 1), query(t));
    else
      std::fill_n(query(t), count * p.size, T(0));
  }
  // The LSTM's step, once its input is in fed(t).
  void step(const Stack<T>& stack, Index t, T* h, Index h_row) const {
    if (p.gates.bias)
      for (Index b = 0; b < count; ++b) fed(t)[b * width + width - 1] = T(1);
    stack.product(count, fed(t), t == 0, gates(t));
    kernels.lstm.cell({.rows = count,
                       .units = units,
                       .gates = gates(t),
                       .c_before = c_before(t),
                       .c = c(t),
                       .tanh_c = tanh_c(t),
                       .h = h,
                       .h_row = h_row,
                       .next = t + 1 < p.steps ? fed(t + 1) : nullptr,
                       .next_row = width,
                       .factors = nullptr});
  }
  void step_backward(Index t, const T* up, T* dc, T* dgates) const {
    kernels.lstm.cell_backward(count, units, gates(t), c_before(t), tanh_c(t), up, dc, dgates);
  }
};

template <class T>
double work(const GateWeights<T>& w, Index batch, Index steps) {
  return double(batch) * double(steps) * double(w.units + w.inputs) * double(8 * w.units);
}

// The gradients of what all steps share, from what each sample and step has of them.
template <class T, class Problem>
void shared_gradients(const Problem& p, const AttendingTrace<T>& trace, const StateQuery<T>& W,
                      const T* dgates, const T* dq, const T* dv, T* to_W, T* to_v,
                      const GateGradients<T>& to_gates) {
  StackGradient<T> sum_of_gates(p.gates);
  sum_of_gates.add_steps(0, p.steps, p.batch, trace.fed, true, dgates);
  sum_of_gates.give(to_gates);
  const Index width = p.gates.width();
  W.gradient((p.steps - 1) * p.batch, dq + p.batch * p.size, trace.fed + p.batch * width, width,
             trace.c, to_W);
  sum<T>({1, p.batch, p.size}, dv, to_v);
}

template <class T>
Additive<T> attention_of(const Part<T, InputAttention<T>>& part, Index t, T* weights) {
  const InputAttention<T>& p = part.p;
  const Index series = p.gates.inputs, row = p.steps * series, at = part.first * row + t * series;
  return {.rows = part.count,
          .size = p.size,
          .positions = series,
          .width = 0,
          .keys = p.keys + part.first * p.size * series,
          .query = part.query(t),
          .v = p.v,
          .values = p.x + at,
          .values_row = row,
          .weights = weights + at,
          .weights_row = row};
}
template <class T>
Additive<T> attention_of(const Part<T, TemporalAttention<T>>& part, Index t, T* weights) {
  const TemporalAttention<T>& p = part.p;
  return {.rows = part.count,
          .size = p.size,
          .positions = p.positions,
          .width = p.width,
          .keys = p.keys + part.first * p.positions * p.size,
          .query = part.query(t),
          .v = p.v,
          .values = p.values + part.first * p.positions * p.width,
          .values_row = p.positions * p.width,
          .weights = weights + (part.first * p.steps + t) * p.positions,
          .weights_row = p.steps * p.positions};
}

}  // namespace

template <class T>
void input_attention(const InputAttention<T>& p, const AttendingTrace<T>& trace, T* h, T* weights) {
  const Stack<T> stack(p.gates);
  const StateQuery<T> W(p.size, p.gates.units, p.W);
  const Index chunk = samples_per_thread(p.batch, work(p.gates, p.batch, p.steps));
  parallel_chunks(p.batch, chunk, [&](Index begin, Index end) {
    const Part<T, InputAttention<T>> part(p, trace, begin, end);
    const Index row = p.steps * part.units;
    for (Index t = 0; t < p.steps; ++t) {
      part.ask(W, t);
      part.kernels.additive.gate(attention_of(part, t, weights), part.fed(t) + part.units,
                                 part.width);
      part.step(stack, t, h + begin * row + t * part.units, row);
    }
  });
}

template <class T>
void input_attention_backward(const InputAttention<T>& p, const AttendingTrace<T>& trace,
                              const T* weights, const T* g_h, const T* g_weights,
                              const InputAttentionGradients<T>& d) {
  const Index units = p.gates.units, series = p.gates.inputs, rows = p.steps * p.batch;
  const StateQuery<T> W(p.size, units, p.W);
  const Transposed<T> recurrent(units, 4 * units, p.gates.recurrent, 4 * units),
      kernel(series, 4 * units, p.gates.kernel, 4 * units);
  const Scratch<T> dgates(rows * 4 * units), dq(rows * p.size), dv(p.batch * p.size);
  std::fill_n(d.keys, p.batch * p.size * series, T(0));
  std::fill_n(dv.get(), p.batch * p.size, T(0));
  const Index chunk = samples_per_thread(p.batch, work(p.gates, p.batch, p.steps));
  parallel_chunks(p.batch, chunk, [&](Index begin, Index end) {
    const Part<T, InputAttention<T>> part(p, trace, begin, end);
    const Index count = part.count, row = p.steps * units;
    const Scratch<T> dc(part.size), dh(part.size), next(part.size), driven(count * series),
        scratch(series);
    std::fill_n(dc.get(), part.size, T(0));
    T *up = dh.get(), *down = next.get();
    const auto of_output = [&](Index t) { return g_h ? g_h + begin * row + t * units : nullptr; };
    for (Index b = 0; b < count; ++b)
      if (g_h)
        std::copy_n(of_output(p.steps - 1) + b * row, units, up + b * units);
      else
        std::fill_n(up + b * units, units, T(0));
    for (Index t = p.steps; t-- > 0;) {
      T *dg = dgates.get() + (t * p.batch + begin) * 4 * units,
        *dquery = dq.get() + (t * p.batch + begin) * p.size;
      part.step_backward(t, up, dc.get(), dg);
      kernel.product(count, dg, 4 * units, nullptr, 0, driven.get(), series);
      const Index of_step = (begin * p.steps + t) * series;
      part.kernels.additive.gate_backward(attention_of(part, t, const_cast<T*>(weights)),
                                          {.out = driven.get(),
                                           .out_row = series,
                                           .weights = g_weights ? g_weights + of_step : nullptr,
                                           .weights_row = p.steps * series,
                                           .keys = d.keys + begin * p.size * series,
                                           .query = dquery,
                                           .v = dv.get() + begin * p.size,
                                           .values = d.x ? d.x + of_step : nullptr,
                                           .values_row = p.steps * series,
                                           .scratch = scratch.get()});
      if (t == 0) break;
      recurrent.product(count, dg, 4 * units, of_output(t - 1), row, down, units);
      W.backward(count, dquery, down, dc.get());
      std::swap(up, down);
    }
  });
  shared_gradients(p, trace, W, dgates.get(), dq.get(), dv.get(), d.W, d.v, d.gates);
}

template <class T>
void temporal_attention(const TemporalAttention<T>& p, const AttendingTrace<T>& trace,
                        const TemporalAttentionOutputs<T>& out) {
  const Stack<T> stack(p.gates);
  const StateQuery<T> W(p.size, p.gates.units, p.W);
  const Index chunk = samples_per_thread(p.batch, work(p.gates, p.batch, p.steps));
  parallel_chunks(p.batch, chunk, [&](Index begin, Index end) {
    const Part<T, TemporalAttention<T>> part(p, trace, begin, end);
    const Scratch<T> driven(part.count);
    for (Index t = 0; t < p.steps; ++t) {
      T* context = part.at(out.context, t, p.width);
      part.ask(W, t);
      if (t)
        gemm<T>(1, part.count, 1, p.width, {part.at(out.context, t - 1, p.width), p.width},
                {p.mix + 1, 1}, {}, driven.get(), 1);
      for (Index b = 0; b < part.count; ++b)
        part.fed(t)[b * part.width + part.units] = p.mix[0] * p.past[(begin + b) * p.steps + t] +
                                                   *p.mix_bias + (t ? driven.get()[b] : T(0));
      part.kernels.additive.attend(attention_of(part, t, out.weights), context, p.width);
      part.step(stack, t, t + 1 == p.steps ? out.h + begin * part.units : nullptr, part.units);
    }
  });
}

template <class T>
void temporal_attention_backward(const TemporalAttention<T>& p, const AttendingTrace<T>& trace,
                                 const TemporalAttentionOutputs<const T>& out,
                                 const TemporalAttentionCotangents<T>& g,
                                 const TemporalAttentionGradients<T>& d) {
  const Index units = p.gates.units, rows = p.steps * p.batch, width = p.width;
  const StateQuery<T> W(p.size, units, p.W);
  const Transposed<T> recurrent(units, 4 * units, p.gates.recurrent, 4 * units);
  const Scratch<T> dgates(rows * 4 * units), dq(rows * p.size), dv(p.batch * p.size), driven(rows);
  std::fill_n(d.keys, p.batch * p.positions * p.size, T(0));
  std::fill_n(d.values, p.batch * p.positions * width, T(0));
  std::fill_n(dv.get(), p.batch * p.size, T(0));
  const Index chunk = samples_per_thread(p.batch, work(p.gates, p.batch, p.steps));
  parallel_chunks(p.batch, chunk, [&](Index begin, Index end) {
    const Part<T, TemporalAttention<T>> part(p, trace, begin, end);
    const Index count = part.count;
    const Scratch<T> dc(part.size), dh(part.size), next(part.size), dcontext(count * width),
        scratch(p.positions);
    std::fill_n(dc.get(), part.size, T(0));
    T *up = dh.get(), *down = next.get();
    const auto start = [&](const T* from, Index columns, T* to) {
      if (from)
        std::copy_n(from + begin * columns, count * columns, to);
      else
        std::fill_n(to, count * columns, T(0));
    };
    start(g.h, units, up), start(g.context, width, dcontext.get());
    for (Index t = p.steps; t-- > 0;) {
      const Index at = t * p.batch + begin;
      T *dg = dgates.get() + at * 4 * units, *dquery = dq.get() + at * p.size,
        *ddriven = driven.get() + at;
      part.kernels.additive.attend_backward(
          attention_of(part, t, const_cast<T*>(out.weights)),
          {.out = dcontext.get(),
           .out_row = width,
           .weights = g.weights ? g.weights + (begin * p.steps + t) * p.positions : nullptr,
           .weights_row = p.steps * p.positions,
           .keys = d.keys + begin * p.positions * p.size,
           .query = dquery,
           .v = dv.get() + begin * p.size,
           .values = d.values + begin * p.positions * width,
           .values_row = p.positions * width,
           .scratch = scratch.get()});
      part.step_backward(t, up, dc.get(), dg);
      gemm<T>(1, count, 1, 4 * units, {dg, 4 * units}, {p.gates.kernel, 1}, {}, ddriven, 1);
      for (Index b = 0; b < count; ++b) d.past[(begin + b) * p.steps + t] = ddriven[b] * p.mix[0];
      if (t == 0) break;
      gemm<T>(1, count, width, 1, {ddriven, 1}, {p.mix + 1, width}, {}, dcontext.get(), width);
      recurrent.product(count, dg, 4 * units, nullptr, 0, down, units);
      W.backward(count, dquery, down, dc.get());
      std::swap(up, down);
    }
  });
  shared_gradients(p, trace, W, dgates.get(), dq.get(), dv.get(), d.W, d.v, d.gates);
  // mix . [past(t); context(t-1)] + mix_bias
  gemm<T>(1, 1, width, rows - p.batch, {driven.get() + p.batch, 1}, {out.context, width}, {},
          d.mix + 1, width);
  T of_past = 0, of_bias = 0;
  for (Index t = 0; t < p.steps; ++t)
    for (Index b = 0; b < p.batch; ++b) {
      const T slope = driven.get()[t * p.batch + b];
      of_past += slope * p.past[b * p.steps + t], of_bias += slope;
    }
  d.mix[0] = of_past, *d.mix_bias = of_bias;
}

template void input_attention(const InputAttention<float>&, const AttendingTrace<float>&, float*,
                              float*);
template void input_attention(const InputAttention<double>&, const AttendingTrace<double>&, double*,
                              double*);
template void input_attention_backward(const InputAttention<float>&, const AttendingTrace<float>&,
                                       const float*, const float*, const float*,
                                       const InputAttentionGradients<float>&);
template void input_attention_backward(const InputAttention<double>&, const AttendingTrace<double>&,
                                       const double*, const double*, const double*,
                                       const InputAttentionGradients<double>&);
template void temporal_attention(const TemporalAttention<float>&, const AttendingTrace<float>&,
                                 const TemporalAttentionOutputs<float>&);
template void temporal_attention(const TemporalAttention<double>&, const AttendingTrace<double>&,
                                 const TemporalAttentionOutputs<double>&);
template void temporal_attention_backward(const TemporalAttention<float>&,
                                          const AttendingTrace<float>&,
                                          const TemporalAttentionOutputs<const float>&,
                                          const TemporalAttentionCotangents<float>&,
                                          const TemporalAttentionGradients<float>&);
template void temporal_attention_backward(const TemporalAttention<double>&,
                                          const AttendingTrace<double>&,
                                          const TemporalAttentionOutputs<const double>&,
                                          const TemporalAttentionCotangents<double>&,
                                          const TemporalAttentionGradients<double>&);

}  // namespace axisgrad::kernels
