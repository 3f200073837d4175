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
StackGradient<T>::StackGradient(const GateWeights<T>& weights)
    : weights_(weights), sum_(weights.width() * 4 * weights.units) {}

template <class T>
void StackGradient<T>::add(Index rows, const T* fed, bool without_h, const T* dgates) {
  const Index width = weights_.width(), line = 4 * weights_.units,
              skipped = without_h ? weights_.units : 0;
  T* to = sum_.get() + skipped * line;
  if (!any_) std::fill_n(sum_.get(), skipped * line, T(0));
  gemm<T>(1, width - skipped, line, rows, {fed + skipped, 1, width}, {dgates, line},
          {any_ ? to : nullptr, line}, to, line);
  any_ = true;
}

template <class T>
void StackGradient<T>::add_steps(Index first, Index steps, Index batch, const T* fed,
                                 bool first_without_h, const T* dgates) {
  const Index apart = first == 0 && first_without_h ? 1 : 0;
  const T* from = fed + (first + apart) * batch * weights_.width();
  if (steps > apart)
    add((steps - apart) * batch, from, false, dgates + apart * batch * 4 * weights_.units);
  if (apart) add(batch, fed, true, dgates);
}

template <class T>
void StackGradient<T>::give(const GateGradients<T>& d) const {
  const T* from = sum_.get();
  const auto hand_over = [&](Index rows, T* to) {
    const Index size = rows * 4 * weights_.units;
    if (to && any_) std::copy_n(from, size, to);
    if (to && !any_) std::fill_n(to, size, T(0));
    from += size;
  };
  hand_over(weights_.units, d.recurrent), hand_over(weights_.inputs, d.kernel);
  if (weights_.bias) hand_over(1, d.bias);
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

Index steps_at_a_time(Index steps, Index of_step) {
  constexpr Index most = 1 << 17;  // elements
  const Index pieces = std::clamp<Index>((steps * of_step + most - 1) / most, 1, steps);
  return (steps + pieces - 1) / pieces;
}

Index samples_per_thread(Index batch, double work) {
  if (work < parallel_work || in_parallel()) return std::max<Index>(batch, 1);
  return std::max<Index>(1, (batch + threads() - 1) / threads());
}

template class Stack<float>;
template class Stack<double>;
template class Transposed<float>;
template class Transposed<double>;
template class StackGradient<float>;
template class StackGradient<double>;

}  // namespace axisgrad::kernels
