// The pointwise part of an LSTM step, gates in the order i, f, g (candidate), o:
//   c = f c' + i g,  h = o tanh(c)
#include <axisgrad/autograd/kernels/arch/gates.hpp>

namespace axisgrad::kernels {
namespace AXISGRAD_ARCH_SPACE {
namespace {

template <class T>
void activate_gates(const LstmCell<T>& step, Index r) {
  const Index u = step.units;
  T *gates = step.gates + r * 4 * u, *c = step.c + r * u;
  const T* before = step.c_before + r * u;
  by_vector<T>(
      u, [&](Index j, auto n) __attribute__((always_inline)) {
        const Vec<T> i = logistic<T>(load(gates + j, n)), f = logistic<T>(load(gates + u + j, n));
        const Vec<T> g = hyperbolic_tangent<T>(load(gates + 2 * u + j, n)),
                     o = logistic<T>(load(gates + 3 * u + j, n));
        store(i, gates + j, n), store(f, gates + u + j, n);
        store(g, gates + 2 * u + j, n), store(o, gates + 3 * u + j, n);
        store(fused(f, load(before + j, n), Vec<T>(i * g)), c + j, n);
      });
}
template <class T>
void give_out(const LstmCell<T>& step, Index r) {
  const Index u = step.units;
  const T *o = step.gates + r * 4 * u + 3 * u, *c = step.c + r * u,
          *factors = step.factors ? step.factors + r * u : nullptr;
  T* tanh_c = step.tanh_c + r * u;
  T* h = step.h ? step.h + r * step.h_row : nullptr;
  T* next = step.next ? step.next + r * step.next_row : nullptr;
  by_vector<T>(
      u, [&](Index j, auto n) __attribute__((always_inline)) {
        const Vec<T> t = hyperbolic_tangent<T>(load(c + j, n)), out = load(o + j, n) * t;
        store(t, tanh_c + j, n);
        if (h) store(out, h + j, n);
        if (next) store(factors ? Vec<T>(out * load(factors + j, n)) : out, next + j, n);
      });
}

// A row up to c, then from tanh(c) on: within one vector that is a chain of a hundred cycles, at
// whose end the processor idles.
template <class T>
void cell(const LstmCell<T>& step) {
  for (Index r = 0; r < step.rows; ++r) activate_gates(step, r), give_out(step, r);
}

template <class T>
void cell_backward(Index rows, Index units, const T* gates, const T* c_before, const T* tanh_c,
                   const T* dh, T* dc, T* dgates) {
  const Index u = units;
  const Vec<T> one(T(1));
  for (Index r = 0; r < rows; ++r) {
    by_vector<T>(
        u, [&](Index j, auto n) __attribute__((always_inline)) {
          const Vec<T> i = load(gates + j, n), f = load(gates + u + j, n);
          const Vec<T> g = load(gates + 2 * u + j, n), o = load(gates + 3 * u + j, n);
          const Vec<T> t = load(tanh_c + j, n), up = load(dh + j, n);
          const Vec<T> d = fused(Vec<T>(up * o), Vec<T>(one - t * t), load(dc + j, n));
          store(Vec<T>(d * g * i * (one - i)), dgates + j, n);
          store(Vec<T>(d * load(c_before + j, n) * f * (one - f)), dgates + u + j, n);
          store(Vec<T>(d * i * (one - g * g)), dgates + 2 * u + j, n);
          store(Vec<T>(up * t * o * (one - o)), dgates + 3 * u + j, n);
          store(Vec<T>(d * f), dc + j, n);
        });
    gates += 4 * u, dgates += 4 * u, c_before += u, tanh_c += u, dh += u, dc += u;
  }
}

template <class T>
constexpr LstmKernels<T> kernels = {.cell = &cell<T>, .cell_backward = &cell_backward<T>};

}  // namespace
}  // namespace AXISGRAD_ARCH_SPACE

template <>
const LstmKernels<float>& lstm_kernels<Arch::AXISGRAD_ARCH_NAME, float>() {
  return AXISGRAD_ARCH_SPACE::kernels<float>;
}
template <>
const LstmKernels<double>& lstm_kernels<Arch::AXISGRAD_ARCH_NAME, double>() {
  return AXISGRAD_ARCH_SPACE::kernels<double>;
}

}  // namespace axisgrad::kernels
