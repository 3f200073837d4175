#include <axisgrad/autograd/kernels/softmax.hpp>

namespace axisgrad::kernels {
namespace {

constexpr Index grain = 1 << 16;  // elements a task: 30 us and more

template <class T>
void forward(Extent e, typename RowKernels<T>::Rows rows, typename RowKernels<T>::Columns columns,
             const T* x, T* y) {
  for_each_line(
      e, grain, [&](Index o, Index m) { rows(m, e.n, x + o * e.n, y + o * e.n); },
      [&](Index o, Index c, Index m) {
        const Index at = o * e.n * e.inner + c;
        columns(e.n, e.inner, m, x + at, y + at);
      });
}
template <class T>
void backward(Extent e, typename RowKernels<T>::RowsBackward rows,
              typename RowKernels<T>::ColumnsBackward columns, const T* y, const T* g, T* dx) {
  for_each_line(
      e, grain, [&](Index o, Index m) { rows(m, e.n, y + o * e.n, g + o * e.n, dx + o * e.n); },
      [&](Index o, Index c, Index m) {
        const Index at = o * e.n * e.inner + c;
        columns(e.n, e.inner, m, y + at, g + at, dx + at);
      });
}

}  // namespace

template <class T>
void softmax(Extent e, const T* x, T* y) {
  const RowKernels<T>& k = table<T>().rows;
  forward<T>(e, k.softmax_rows, k.softmax_columns, x, y);
}
template <class T>
void softmax_backward(Extent e, const T* y, const T* g, T* dx) {
  const RowKernels<T>& k = table<T>().rows;
  backward<T>(e, k.softmax_backward_rows, k.softmax_backward_columns, y, g, dx);
}
template <class T>
void log_softmax(Extent e, const T* x, T* y) {
  const RowKernels<T>& k = table<T>().rows;
  forward<T>(e, k.log_softmax_rows, k.log_softmax_columns, x, y);
}
template <class T>
void log_softmax_backward(Extent e, const T* y, const T* g, T* dx) {
  const RowKernels<T>& k = table<T>().rows;
  backward<T>(e, k.log_softmax_backward_rows, k.log_softmax_backward_columns, y, g, dx);
}

template void softmax(Extent, const float*, float*);
template void softmax(Extent, const double*, double*);
template void softmax_backward(Extent, const float*, const float*, float*);
template void softmax_backward(Extent, const double*, const double*, double*);
template void log_softmax(Extent, const float*, float*);
template void log_softmax(Extent, const double*, double*);
template void log_softmax_backward(Extent, const float*, const float*, float*);
template void log_softmax_backward(Extent, const double*, const double*, double*);

}  // namespace axisgrad::kernels
