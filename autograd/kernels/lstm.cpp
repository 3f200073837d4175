#include <algorithm>
#include <array>

#include <axisgrad/autograd/kernels/lstm.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>

namespace axisgrad::kernels {
namespace {

template <class T>
double work(const Lstm<T>& l) {
  const Index units = l.weights.units, inputs = l.weights.inputs;
  return double(l.batch) * double(l.steps) * double(inputs + units) * double(8 * units);
}

// y += x, for n rows of `units` that lie x_row apart in x and close together in y.
template <class T>
void add(Index n, Index units, const T* x, Index x_row, T* y) {
  for (Index r = 0; r < n; ++r, x += x_row, y += units)
    for (Index i = 0; i < units; ++i) y[i] += x[i];
}

// Samples first..first+count of an LSTM, step by step.
template <class T>
struct Part {
  const Lstm<T>& l;
  const LstmTrace<T>& trace;
  Index first, count;
  const Index units = l.weights.units, inputs = l.weights.inputs, width = l.weights.width(),
              size = count * units, of_sample = l.steps * units;
  const LstmKernels<T>& kernels = table<T>().lstm;
  Scratch<T> zeros{size};

  Part(const Lstm<T>& lstm, const LstmTrace<T>& tr, Index begin, Index end)
      : l(lstm), trace(tr), first(begin), count(end - begin) {
    std::fill_n(zeros.get(), size, T(0));
  }

  Index original(Index t) const { return l.reverse ? l.steps - 1 - t : t; }
  bool uses(Index b, Index t) const {
    return !l.mask || l.mask[(first + b) * l.steps + original(t)] != T(0);
  }
  // Row `first` of step t in an array of `columns`.
  T* at(T* array, Index t, Index columns) const {
    return array + ((trace.keep ? t * l.batch : 0) + first) * columns;
  }
  T* fed(Index t) const { return at(trace.fed, t, width); }
  T* gates(Index t) const { return at(trace.gates, t, 4 * units); }
  T* c(Index t) const { return at(trace.c, t, units); }
  T* tanh_c(Index t) const { return at(trace.tanh_c, t, units); }
  T* h(Index t) const { return trace.h + first * of_sample + t * units; }
  const T* own(const T* state) const { return state ? state + first * units : zeros.get(); }
  const T* c_before(Index t) const { return t ? c(t - 1) : own(l.c0); }

  void feed_input(Index t) const {
    const T* from = l.x + (first * l.steps + original(t)) * inputs;
    T* to = fed(t) + units;
    for (Index b = 0; b < count; ++b, from += l.steps * inputs, to += width) {
      for (Index i = 0; i < inputs; ++i) to[i] = from[i];
      if (l.weights.bias) to[inputs] = T(1);
    }
  }
  // One sample's h on its way into step t.
  void feed_state(Index b, Index t, const T* state) const {
    const T* factors = l.recurrent_mask ? l.recurrent_mask + (first + b) * units : nullptr;
    T* to = fed(t) + b * width;
    for (Index i = 0; i < units; ++i) to[i] = factors ? state[i] * factors[i] : state[i];
  }

  void forward(const Stack<T>& stack) const {
    if (l.h0)
      for (Index b = 0; b < count; ++b) feed_state(b, 0, own(l.h0) + b * units);
    for (Index t = 0; t < l.steps; ++t) {
      feed_input(t);
      stack.product(count, fed(t), t == 0 && !l.h0, gates(t));
      if (!l.mask) {
        cell(0, count, t);
        continue;
      }
      for (Index b = 0; b < count; ++b)
        if (uses(b, t))
          cell(b, 1, t);
        else
          carry(b, t);
    }
  }
  void cell(Index b, Index rows, Index t) const {
    const Index o = b * units;
    const bool more = t + 1 < l.steps;
    kernels.cell({.rows = rows,
                  .units = units,
                  .gates = gates(t) + 4 * o,
                  .c_before = c_before(t) + o,
                  .c = c(t) + o,
                  .tanh_c = tanh_c(t) + o,
                  .h = h(t) + b * of_sample,
                  .h_row = of_sample,
                  .next = more ? fed(t + 1) + b * width : nullptr,
                  .next_row = width,
                  .factors = l.recurrent_mask ? l.recurrent_mask + first * units + o : nullptr});
  }
  // Where the mask is 0 the state is carried over.
  void carry(Index b, Index t) const {
    const Index o = b * units;
    const T* state = t ? h(t - 1) + b * of_sample : own(l.h0) + o;
    std::copy_n(c_before(t) + o, units, c(t) + o);
    std::copy_n(state, units, h(t) + b * of_sample);
    if (t + 1 < l.steps) feed_state(b, t + 1, state);
  }

  // Of the steps [begin, end), last to first: fills dgates (end - begin, batch, 4 units), dx and,
  // with step 0, the gradients of the initial state. dc and dh hold the cotangents of c and h that
  // come from later steps, dh[t % 2] that of h(t).
  void backward(Index begin, Index end, const LstmCotangents<T>& g, const Transposed<T>& recurrent,
                const Transposed<T>& kernel, T* dgates, T* all_dc, const std::array<T*, 2>& dh,
                const LstmGradients<T>& d) const {
    T* dc = all_dc + first * units;
    const auto of_state = [&](Index t) { return dh[std::size_t(t & 1)] + first * units; };
    const auto of_output = [&](Index t) {
      return g.h ? g.h + first * of_sample + t * units : nullptr;
    };
    if (end == l.steps) start(g.last_c, dc), start(g.last_h, of_state(end - 1));
    for (Index t = end; t-- > begin;) {
      T *dg = dgates + ((t - begin) * l.batch + first) * 4 * units, *up = of_state(t),
        *down = of_state(t + 1);
      if (g.h && (t == l.steps - 1 || l.recurrent_mask))
        add(count, units, of_output(t), of_sample, up);
      if (l.mask)
        backward_masked(t, up, dc, dg);
      else
        kernels.cell_backward(count, units, gates(t), c_before(t), tanh_c(t), up, dc, dg);
      if (d.x)
        kernel.product(count, dg, 4 * units, nullptr, 0,
                       d.x + (first * l.steps + original(t)) * inputs, l.steps * inputs);
      if (t || d.h0) {
        const T* before = t && !l.recurrent_mask ? of_output(t - 1) : nullptr;
        recurrent.product(count, dg, 4 * units, before, of_sample, down, units);
        if (l.recurrent_mask)
          for (Index i = 0; i < size; ++i) down[i] *= l.recurrent_mask[first * units + i];
        if (l.mask) carry_back(t, up, down);
      }
    }
    if (begin > 0) return;
    if (d.h0) std::copy_n(of_state(1), size, d.h0 + first * units);
    if (d.c0) std::copy_n(dc, size, d.c0 + first * units);
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
  void carry_back(Index t, const T* up, T* down) const {
    for (Index b = 0; b < count; ++b)
      if (!uses(b, t)) add(1, units, up + b * units, units, down + b * units);
  }
};

// The state passes through, and nothing else takes part.
template <class T>
void no_steps(const Lstm<T>& l, const LstmCotangents<T>& g, const LstmGradients<T>& d) {
  const auto pass = [&](const T* from, T* to) {
    const Index size = l.batch * l.weights.units;
    if (to && from) std::copy_n(from, size, to);
    if (to && !from) std::fill_n(to, size, T(0));
  };
  pass(g.last_h, d.h0), pass(g.last_c, d.c0);
  StackGradient<T>(l.weights).give(d.weights);
}

}  // namespace

template <class T>
void lstm_forward(const Lstm<T>& l, const LstmTrace<T>& trace) {
  if (l.steps == 0 || l.batch == 0) return;
  const Stack<T> stack(l.weights);
  parallel_chunks(l.batch, samples_per_thread(l.batch, work(l)),
                  [&](Index begin, Index end) { Part<T>(l, trace, begin, end).forward(stack); });
}

template <class T>
void lstm_backward(const Lstm<T>& l, const LstmTrace<T>& trace, const LstmCotangents<T>& g,
                   const LstmGradients<T>& d) {
  const GateWeights<T>& w = l.weights;
  const Index of_step = l.batch * 4 * w.units, state = l.batch * w.units;
  if (l.steps == 0) return no_steps(l, g, d);
  const Index at_a_time = steps_at_a_time(l.steps, of_step);
  const Scratch<T> dgates(at_a_time * of_step), dc(state), even(state), odd(state);
  const Transposed<T> recurrent(w.units, 4 * w.units, w.recurrent, 4 * w.units),
      kernel(w.inputs, 4 * w.units, d.x ? w.kernel : nullptr, 4 * w.units);
  StackGradient<T> sum(w);
  for (Index end = l.steps; end > 0; end -= std::min(end, at_a_time)) {
    const Index begin = std::max<Index>(0, end - at_a_time);
    parallel_chunks(l.batch, samples_per_thread(l.batch, work(l)), [&](Index first, Index last) {
      Part<T>(l, trace, first, last)
          .backward(begin, end, g, recurrent, kernel, dgates.get(), dc.get(),
                    {even.get(), odd.get()}, d);
    });
    if (d.weights.recurrent || d.weights.kernel || d.weights.bias)
      sum.add_steps(begin, end - begin, l.batch, trace.fed, !l.h0, dgates.get());
  }
  sum.give(d.weights);
}

template void lstm_forward(const Lstm<float>&, const LstmTrace<float>&);
template void lstm_forward(const Lstm<double>&, const LstmTrace<double>&);
template void lstm_backward(const Lstm<float>&, const LstmTrace<float>&,
                            const LstmCotangents<float>&, const LstmGradients<float>&);
template void lstm_backward(const Lstm<double>&, const LstmTrace<double>&,
                            const LstmCotangents<double>&, const LstmGradients<double>&);

}  // namespace axisgrad::kernels
