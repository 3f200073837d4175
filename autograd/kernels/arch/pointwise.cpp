// Every op of pointwise_ops as a loop over vectors.
#include <utility>

#include <axisgrad/autograd/kernels/arch/math.hpp>
#include <axisgrad/autograd/kernels/arch/vector.hpp>

namespace axisgrad::kernels {
namespace AXISGRAD_ARCH_SPACE {
namespace {

// An input that stands still is read from a buffer full of it, so that the loop has no branch.
// Lanes beyond the end compute with 1, which no formula divides by zero with.
template <class T>
struct Input {
  const T* p;
  Index step;
  alignas(64) T same[lanes<T>];

  void start(const T* x, Index one) {
    p = x, step = one;
    if (!one) Vec<T>(*x).store_aligned(same), p = same;
  }
  [[gnu::always_inline]] Vec<T> at(Index j, Index n) const {
    return load(p + j * step, step ? n : lanes<T>, T(1));
  }
};

template <class Op, class T, std::size_t... K>
void value_loop(const Run<T>& r, std::index_sequence<K...>) {
  Input<T> in[sizeof...(K)];
  for (Index i = 0; i < r.rows; ++i) {
    (in[K].start(r.in[K] + i * r.row_step[K], r.step[K]), ...);
    T* out = r.out + i * r.n;
    Index j = 0;
    for (; j + lanes<T> <= r.n; j += lanes<T>)
      Op::value(Vec<T>::load_unaligned(in[K].p + j * in[K].step)...).store_unaligned(out + j);
    if (const Index n = r.n - j) store(Vec<T>(Op::value(in[K].at(j, n)...)), out + j, n);
  }
}

template <class Op, class T, std::size_t... K>
void gradient_loop(const Run<T>& r, const T* g, const T* y, const std::array<T*, 4>& dx,
                   std::index_sequence<K...>) {
  Input<T> in[sizeof...(K)];
  T* const to[] = {dx.data()[K]...};
  if (!y) y = g;  // not looked at then
  for (Index i = 0; i < r.rows; ++i) {
    (in[K].start(r.in[K] + i * r.row_step[K], r.step[K]), ...);
    by_vector<T>(r.n, [&](Index j, auto n) {
      const Index o = i * r.n + j;
      const auto d = Op::gradient(load(g + o, n, T(1)), load(y + o, n, T(1)), in[K].at(j, n)...);
      ((to[K] ? store(d.data()[K], to[K] + o, n) : void()), ...);
    });
  }
}

template <class Op>
using Inputs = std::make_index_sequence<Op::samples.size()>;

template <class Op, class T>
void value(const Run<T>& r) {
  value_loop<Op>(r, Inputs<Op>());
}
template <class Op, class T>
void gradient(const Run<T>& r, const T* g, const T* y, const std::array<T*, 4>& dx) {
  gradient_loop<Op>(r, g, y, dx, Inputs<Op>());
}

template <class T, class List>
struct Loops;
template <class T, class... Op>
struct Loops<T, list<Op...>> {
  static constexpr Pointwise<T> all[] = {{&value<Op, T>, &gradient<Op, T>}...};
};

}  // namespace
}  // namespace AXISGRAD_ARCH_SPACE

template <>
const Pointwise<float>* pointwise_kernels<Arch::AXISGRAD_ARCH_NAME, float>() {
  return AXISGRAD_ARCH_SPACE::Loops<float, pointwise_ops>::all;
}
template <>
const Pointwise<double>* pointwise_kernels<Arch::AXISGRAD_ARCH_NAME, double>() {
  return AXISGRAD_ARCH_SPACE::Loops<double, pointwise_ops>::all;
}

}  // namespace axisgrad::kernels
