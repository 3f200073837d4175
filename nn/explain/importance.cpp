#include <axisgrad/nn/explain/importance.hpp>

namespace axisgrad::detail {

Size output_width(const Shape& y) { return y.rank() < 2 ? 1 : y[y.rank() - 1]; }

int explained_axis(std::string_view where, Axis axis, std::size_t input, std::size_t inputs,
                   const Shape& x, Size batch_size) {
  if (input >= inputs)
    fail(where, "there is no input ", input, " among ", inputs, " (counted from 0)");
  if (batch_size < 1) fail(where, "batch_size must be at least 1, got ", batch_size);
  const int number = resolve(axis, x.rank(), where);
  if (number == 0) fail(where, "axis 0 of an input ", x, " is the batch: choose one behind it");
  if (x.size() == 0) fail(where, "an input of shape ", x, " has nothing to explain");
  return number;
}

template <Scalar T>
void add_squared_errors(const Tensor<T>& p, const Tensor<T>& y, double* sums) {
  const Size width = output_width(y.shape());
  for (Size i = 0; i < y.size(); ++i) {
    const double error = double{p.data()[i]} - double{y.data()[i]};
    sums[i % width] += error * error;
  }
}

template <Scalar T>
void replace_position(Tensor<T>& to, const Tensor<T>& from, int axis, Size position) {
  const Shape& s = to.shape();
  const Size inner = s.product(axis + 1, s.rank()), step = s[axis] * inner;
  T* const out = to.mutable_data();
  for (Size at = position * inner; at < to.size(); at += step)
    std::copy_n(from.data() + at, inner, out + at);
}

template <Scalar T>
void add_sizes(const Tensor<T>& g, const Tensor<T>* x, int axis, double* sums) {
  const Size inner = g.shape().product(axis + 1, g.rank()), positions = g.shape()[axis];
  for (Size i = 0; i < g.size(); ++i) {
    const double factor = x ? double{x->data()[i]} : 1.;
    sums[i / inner % positions] += std::abs(double{g.data()[i]} * factor);
  }
}

template void add_squared_errors(const Tensor<float>&, const Tensor<float>&, double*);
template void add_squared_errors(const Tensor<double>&, const Tensor<double>&, double*);
template void replace_position(Tensor<float>&, const Tensor<float>&, int, Size);
template void replace_position(Tensor<double>&, const Tensor<double>&, int, Size);
template void add_sizes(const Tensor<float>&, const Tensor<float>*, int, double*);
template void add_sizes(const Tensor<double>&, const Tensor<double>*, int, double*);

}  // namespace axisgrad::detail
