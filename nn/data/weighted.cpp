#include <algorithm>
#include <cmath>

#include <axisgrad/nn/data/weighted.hpp>

namespace axisgrad {

template <Scalar T>
Tensor<T> class_weights(const Tensor<T>& y, const std::vector<double>& weights) {
  const auto classes = static_cast<Size>(weights.size());
  const Size width = y.rank() == 2 ? y.shape()[1] : 1;
  if (y.empty() || y.rank() < 1 || y.rank() > 2 || (width != 1 && width != classes))
    fail("class_weights", "expects class numbers (N) or (N,1), or one-hot targets (N,", classes,
         "), got ", y.shape());
  Tensor<T> result(Shape{y.shape()[0]});
  for (Size i = 0; i < result.size(); ++i) {
    const T* const row = y.data() + i * width;
    const double k = width == 1 ? static_cast<double>(*row)
                                : static_cast<double>(std::max_element(row, row + width) - row);
    if (!(k >= 0 && k < static_cast<double>(classes) && k == std::floor(k)))
      fail("class_weights", "y[", i, "] is ", k, ", not one of the ", classes, " classes");
    result.mutable_data()[i] = static_cast<T>(weights[static_cast<std::size_t>(k)]);
  }
  return result;
}

template Tensor<float> class_weights(const Tensor<float>&, const std::vector<double>&);
template Tensor<double> class_weights(const Tensor<double>&, const std::vector<double>&);

}  // namespace axisgrad
