#include <algorithm>
#include <cmath>

#include <axisgrad/nn/data/dataset.hpp>

namespace axisgrad {
namespace {

template <class T>
Size row_size(const Tensor<T>& x, std::string_view where) {
  if (x.empty() || x.rank() == 0)
    fail(where, "needs a tensor with rows, got ", x.empty() ? "an empty one" : "one of rank 0");
  return x.shape().product(1, x.rank());
}

}  // namespace

template <Scalar T>
Tensor<T> gather_rows(const Tensor<T>& x, std::span<const Size> indices) {
  const Size step = row_size(x, "gather"), rows = x.shape()[0];
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] < 0 || indices[i] >= rows)
      fail("gather", "index ", indices[i], " at position ", i, " is out of range for ", rows,
           " samples");
  Tensor<T> y(x.shape().with(0, static_cast<Size>(indices.size())));
  T* out = y.mutable_data();
  for (Size i : indices) out = std::copy_n(x.data() + i * step, step, out);
  return y;
}

template <Scalar T>
Tensor<T> take_rows(const Tensor<T>& x, Rows rows) {
  const Size step = row_size(x, "take");
  if (rows.begin < 0 || rows.begin > rows.end || rows.end > x.shape()[0])
    fail("take", "rows ", rows.begin, " to ", rows.end, " are not within the ", x.shape()[0],
         " there are");
  Tensor<T> y(x.shape().with(0, rows.size()));
  std::copy_n(x.data() + rows.begin * step, rows.size() * step, y.mutable_data());
  return y;
}

template <Scalar T>
Tensor<T> class_weights(const Tensor<T>& y, const std::vector<double>& weights) {
  const auto classes = static_cast<Size>(weights.size());
  const Size width = row_size(y, "class_weights"), n = y.shape()[0];
  if (y.rank() > 2 || (width != 1 && width != classes))
    fail("class_weights", "expects class numbers (N) or (N,1), or one-hot targets (N,", classes,
         "), got ", y.shape());
  Tensor<T> result(Shape{n});
  for (Size i = 0; i < n; ++i) {
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
template Tensor<float> gather_rows(const Tensor<float>&, std::span<const Size>);
template Tensor<double> gather_rows(const Tensor<double>&, std::span<const Size>);
template Tensor<float> take_rows(const Tensor<float>&, Rows);
template Tensor<double> take_rows(const Tensor<double>&, Rows);

}  // namespace axisgrad
