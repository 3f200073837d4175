#include <algorithm>

#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/kernels/recurrent.hpp>

namespace axisgrad::kernels {
namespace {

constexpr double parallel_work = 8e6;      // multiply-adds from which a second thread pays
constexpr Index in_place_bytes = 1 << 18;  // of a stack that products read as it lies

}  // namespace

template <class T>
Stack<T>::Stack(const GateWeights<T>& w)
    : units_(w.units),
      width_(w.width()),
      rows_(width_ * 4 * units_),
      packed_(width_ * 4 * units_ * Index(sizeof(T)) > in_place_bytes
                  ? packed_size<T>(4 * units_, width_)
                  : 0) {
  const Index line = 4 * units_;
  T* to = rows_.get();
  to = std::copy_n(w.recurrent, units_ * line, to);
  to = std::copy_n(w.kernel, w.inputs * line, to);
  if (w.bias) std::copy_n(w.bias, line, to);
  if (packed_.get()) pack_b<T>(line, width_, {rows_.get(), line}, packed_.get());
}

template <class T>
void Stack<T>::product(Index rows, const T* fed, bool without_h, T* gates) const {
  const Index line = 4 * units_;
  if (without_h)
    gemm<T>(1, rows, line, width_ - units_, {fed + units_, width_},
            {rows_.get() + units_ * line, line}, {}, gates, line);
  else if (packed_.get())
    gemm_packed<T>(rows, line, width_, {fed, width_}, packed_.get(), {}, gates, line);
  else
    gemm<T>(1, rows, line, width_, {fed, width_}, {rows_.get(), line}, {}, gates, line);
}

template <class T>
void stack_gradient(const GateWeights<T>& w, Index steps, Index batch, const T* fed, bool without_h,
                    const T* dgates, const GateGradients<T>& d) {
  const Index width = w.width(), line = 4 * w.units, first = without_h && steps > 0 ? batch : 0;
  const Scratch<T> all(width * line);
  gemm<T>(1, width, line, steps * batch - first, {fed + first * width, 1, width},
          {dgates + first * line, line}, {}, all.get(), line);
  if (first) {
    T* rest = all.get() + w.units * line;
    gemm<T>(1, width - w.units, line, batch, {fed + w.units, 1, width}, {dgates, line},
            {rest, line}, rest, line);
  }
  const T* from = all.get();
  const auto hand_over = [&](Index rows, T* to) {
    if (to) std::copy_n(from, rows * line, to);
    from += rows * line;
  };
  hand_over(w.units, d.recurrent), hand_over(w.inputs, d.kernel);
  if (w.bias) hand_over(1, d.bias);
}

template <class T>
Transposed<T>::Transposed(Index inputs, Index outputs, const T* weight, Index row)
    : inputs_(inputs), outputs_(outputs), packed_(weight ? packed_size<T>(inputs, outputs) : 0) {
  if (weight) pack_b<T>(inputs, outputs, {weight, 1, row}, packed_.get());
}

template <class T>
void Transposed<T>::product(Index rows, const T* dy, Index dy_row, const T* add, Index add_row,
                            T* dx, Index dx_row) const {
  gemm_packed<T>(rows, inputs_, outputs_, {dy, dy_row}, packed_.get(), {add, add_row}, dx, dx_row);
}

Index samples_per_thread(Index batch, double work) {
  if (work < parallel_work || in_parallel()) return std::max<Index>(batch, 1);
  return std::max<Index>(1, (batch + threads() - 1) / threads());
}

template class Stack<float>;
template class Stack<double>;
template class Transposed<float>;
template class Transposed<double>;
template void stack_gradient(const GateWeights<float>&, Index, Index, const float*, bool,
                             const float*, const GateGradients<float>&);
template void stack_gradient(const GateWeights<double>&, Index, Index, const double*, bool,
                             const double*, const GateGradients<double>&);

}  // namespace axisgrad::kernels
