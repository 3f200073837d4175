#include <algorithm>

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

template Tensor<float> gather_rows(const Tensor<float>&, std::span<const Size>);
template Tensor<double> gather_rows(const Tensor<double>&, std::span<const Size>);
template Tensor<float> take_rows(const Tensor<float>&, Rows);
template Tensor<double> take_rows(const Tensor<double>&, Rows);

}  // namespace axisgrad
