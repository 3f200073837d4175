#include <axisgrad/autograd/kernels/softmax.hpp>

namespace axisgrad::kernels {
namespace {
constexpr Index grain = 1 << 16;  // elements a task: 30 us and more
}

template <class T>
void softmax(Extent e, const T* x, T* y) {
  const RowKernels<T>& k = table<T>().rows;
  for_each_line(
      e, grain, [&](Index o, Index m) { k.softmax_rows(m, e.n, x + o * e.n, y + o * e.n); },
      [&](Index o, Index c, Index m) {
        const Index at = o * e.n * e.inner + c;
        k.softmax_columns(e.n, e.inner, m, x + at, y + at);
      });
}

template <class T>
void softmax_backward(Extent e, const T* y, const T* g, T* dx) {
  const RowKernels<T>& k = table<T>().rows;
  for_each_line(
      e, grain,
      [&](Index o, Index m) {
        k.softmax_backward_rows(m, e.n, y + o * e.n, g + o * e.n, dx + o * e.n);
      },
      [&](Index o, Index c, Index m) {
        const Index at = o * e.n * e.inner + c;
        k.softmax_backward_columns(e.n, e.inner, m, y + at, g + at, dx + at);
      });
}

template void softmax(Extent, const float*, float*);
template void softmax(Extent, const double*, double*);
template void softmax_backward(Extent, const float*, const float*, float*);
template void softmax_backward(Extent, const double*, const double*, double*);

}  // namespace axisgrad::kernels
