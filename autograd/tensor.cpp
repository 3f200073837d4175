#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

template <Scalar T>
Tensor<T>::Tensor(const Shape& shape, std::span<const T> values) : Tensor(shape) {
  if (static_cast<Size>(values.size()) != shape.size())
    fail("tensor", "shape ", shape, " has ", shape.size(), " elements, got ", values.size());
  std::copy(values.begin(), values.end(), raw());
}

template <Scalar T>
Tensor<T>::Tensor(std::initializer_list<std::initializer_list<T>> rows)
    : Tensor(Shape{static_cast<Size>(rows.size()),
                   rows.size() ? static_cast<Size>(rows.begin()->size()) : 0}) {
  T* to = raw();
  for (const auto& row : rows) {
    if (static_cast<Size>(row.size()) != shape_[1])
      fail("tensor", "the rows differ in length: ", shape_[1], " and ", row.size());
    to = std::copy(row.begin(), row.end(), to);
  }
}

template <Scalar T>
Tensor<T>::Tensor(std::initializer_list<std::initializer_list<std::initializer_list<T>>> matrices) {
  for (const auto& rows : matrices) {
    const Tensor matrix(rows);
    if (empty()) *this = Tensor(matrix.shape().inserted(0, static_cast<Size>(matrices.size())));
    if (matrix.shape() != shape_.without(1))
      fail("tensor", "the matrices differ in shape: ", shape_.without(1), " and ", matrix.shape());
    std::copy_n(matrix.data(), matrix.size(), raw() + (&rows - matrices.begin()) * matrix.size());
  }
}

template <Scalar T>
template <Scalar U>
requires(!std::is_same_v<T, U>) Tensor<T>::Tensor(const Tensor<U>& other) : Tensor(other.shape()) {
  std::transform(other.data(), other.data() + size(), raw(), [](U x) { return static_cast<T>(x); });
}

template <Scalar T>
T* Tensor<T>::mutable_data() {
  if (empty()) fail("tensor", "an empty tensor has no elements to write to");
  if (!buffer_.unique()) {
    Tensor copy(shape_);
    std::copy_n(data(), size(), copy.raw());
    *this = std::move(copy);
  }
  return raw();
}

template <Scalar T>
Size Tensor<T>::offset(std::initializer_list<Size> index) const {
  if (empty()) fail("tensor", "an empty tensor has no elements");
  if (static_cast<int>(index.size()) != rank())
    fail("tensor", "got ", index.size(), " indices for the shape ", shape_);
  Size at = 0;
  int axis = 0;
  for (Size i : index) {
    const Size n = shape_[axis];
    if (i < -n || i >= n)
      fail("tensor", "index ", i, " is out of range on axis ", axis, " of the shape ", shape_);
    at = at * n + (i < 0 ? i + n : i), ++axis;
  }
  return at;
}

template <Scalar T>
T Tensor<T>::item() const {
  if (empty()) fail("item", "needs exactly one element, got an empty tensor");
  if (size() != 1) fail("item", "needs exactly one element, got the shape ", shape_);
  return data()[0];
}

template <Scalar T>
Tensor<T> Tensor<T>::reshaped(const Shape& shape) const {
  if (empty()) fail("reshape", "an empty tensor has no elements to view as ", shape);
  if (shape.size() != size())
    fail("reshape", "cannot view ", shape_, " as ", shape, ": the sizes differ");
  Tensor view = *this;
  view.shape_ = shape;
  return view;
}

namespace {

template <class T>
void print(std::ostream& out, const Tensor<T>& x, int axis, Size at) {
  if (axis == x.rank()) {
    out << printable(x.data()[at]);
    return;
  }
  const Size n = x.shape()[axis], step = x.shape().product(axis + 1, x.rank());
  constexpr Size shown = 3, print_all = 200;  // positions at either end of an axis; elements
  out << '[';
  for (Size i = 0; i < n; ++i) {
    if (i)
      out << (axis + 1 == x.rank() ? ", "
                                   : ",\n" + std::string(static_cast<unsigned>(axis) + 1, ' '));
    if (x.size() > print_all && n > 2 * shown + 4 && i == shown) {
      out << "...";
      i = n - shown - 1;
      continue;
    }
    print(out, x, axis + 1, at + i * step);
  }
  out << ']';
}

}  // namespace

template <Scalar T>
std::ostream& operator<<(std::ostream& out, const Tensor<T>& x) {
  if (x.empty()) return out << "[empty]";
  print(out, x, 0, 0);
  return out;
}

template <Scalar T>
bool same_bits(const Tensor<T>& a, const Tensor<T>& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0;
}

template <Scalar T>
void require_finite(const Tensor<T>& x, std::string_view where, std::string_view what) {
  const T* bad = std::find_if(x.begin(), x.end(), [](T v) { return !std::isfinite(v); });
  if (bad == x.end()) return;
  const auto index = unravel_index(x.shape(), bad - x.begin());
  fail(where, what, " of shape ", x.shape(), " holds ", *bad, " at ",
       Shape(index.data(), x.rank()));
}

template class Tensor<float>;
template class Tensor<double>;
template Tensor<float>::Tensor(const Tensor<double>&);
template Tensor<double>::Tensor(const Tensor<float>&);
template std::ostream& operator<<(std::ostream&, const Tensor<float>&);
template std::ostream& operator<<(std::ostream&, const Tensor<double>&);
template bool same_bits(const Tensor<float>&, const Tensor<float>&);
template bool same_bits(const Tensor<double>&, const Tensor<double>&);
template void require_finite(const Tensor<float>&, std::string_view, std::string_view);
template void require_finite(const Tensor<double>&, std::string_view, std::string_view);

}  // namespace axisgrad
