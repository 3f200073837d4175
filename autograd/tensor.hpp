// A tensor is a value: a shape and its elements, row-major and contiguous. It knows no graph.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <type_traits>
#include <vector>

#include <axisgrad/autograd/pool.hpp>
#include <axisgrad/autograd/shape.hpp>

namespace axisgrad {

template <class T>
concept Scalar = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Copies share the buffer until one of them is written to (copy-on-write); a read never copies.
/// Default-constructed it is empty: it has no shape and no elements, which is not the same as a
/// tensor of size 0.
template <Scalar T>
class Tensor {
 public:
  using scalar = T;

  Tensor() = default;
  /// Elements undefined.
  explicit Tensor(const Shape& shape)
      : shape_(shape), buffer_(static_cast<std::size_t>(shape.size()) * sizeof(T)) {}
  Tensor(const Shape& shape, T fill) : Tensor(shape) { std::fill_n(raw(), size(), fill); }
  /// Error when the number of values is not the shape's.
  Tensor(const Shape& shape, std::span<const T> values);
  Tensor(const Shape& shape, std::initializer_list<T> values)
      : Tensor(shape, std::span<const T>(values.begin(), values.size())) {}
  Tensor(const Shape& shape, const std::vector<T>& values)
      : Tensor(shape, std::span<const T>(values)) {}
  /// A matrix by its rows, {{1, 2}, {3, 4}}, or a stack of matrices. Error when rows differ in
  /// length. (A vector is Tensor({3}, {1, 2, 3}): in one pair of braces stands a shape.)
  Tensor(std::initializer_list<std::initializer_list<T>> rows);
  Tensor(std::initializer_list<std::initializer_list<std::initializer_list<T>>> matrices);
  /// The same values in the other precision.
  template <Scalar U>
  requires(!std::is_same_v<T, U>) explicit Tensor(const Tensor<U>& other);

  /// `x = {}` empties x. (Among the assignments alone clang 14 finds it ambiguous.)
  struct Nothing {
    Nothing() = delete;
  };
  Tensor& operator=(std::initializer_list<Nothing>) { return *this = Tensor(); }

  [[nodiscard]] bool empty() const { return !buffer_; }
  // What a temporary gives is a copy: `for (Size n : f(x).shape())` must not run over what is gone.
  [[nodiscard]] const Shape& shape() const& { return shape_; }
  [[nodiscard]] Shape shape() && { return shape_; }
  [[nodiscard]] int rank() const { return shape_.rank(); }
  [[nodiscard]] Size size() const { return empty() ? 0 : shape_.size(); }
  [[nodiscard]] Size size(Axis axis) const { return shape_[resolve(axis, rank(), "size")]; }

  [[nodiscard]] const T* data() const { return static_cast<const T*>(buffer_.data()); }
  [[nodiscard]] std::span<const T> values() const& {
    return empty() ? std::span<const T>()
                   : std::span<const T>(data(), static_cast<std::size_t>(size()));
  }
  [[nodiscard]] std::vector<T> values() && { return {begin(), end()}; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return begin() + size(); }
  /// Write access: the elements are copied first if another tensor shares them.
  T* mutable_data();
  /// The element at these indices (negative ones count from the end); Error when they do not fit
  /// the shape.
  [[nodiscard]] T operator()(std::initializer_list<Size> index) const {
    return data()[offset(index)];
  }
  template <std::integral... I>
  [[nodiscard]] T operator()(I... index) const {
    return (*this)({static_cast<Size>(index)...});
  }
  void set(std::initializer_list<Size> index, T value) {
    const Size at = offset(index);
    mutable_data()[at] = value;
  }
  /// The only element; Error when there is not exactly one.
  [[nodiscard]] T item() const;

  /// The same elements under another shape of the same size. The buffer is shared.
  [[nodiscard]] Tensor reshaped(const Shape& shape) const;
  [[nodiscard]] const Buffer& buffer() const { return buffer_; }

 private:
  T* raw() { return static_cast<T*>(buffer_.data()); }
  Size offset(std::initializer_list<Size> index) const;

  Shape shape_;
  Buffer buffer_;
};

/// Prints in nested brackets; of more than 200 elements, long axes are shortened in the middle.
template <Scalar T>
std::ostream& operator<<(std::ostream& out, const Tensor<T>& x);

/// Equal shape and equal bits.
template <Scalar T>
[[nodiscard]] bool same_bits(const Tensor<T>& a, const Tensor<T>& b);

/// Error, naming `what` and the index of the first element that is NaN or infinite.
template <Scalar T>
void require_finite(const Tensor<T>& x, std::string_view where, std::string_view what);

extern template class Tensor<float>;
extern template class Tensor<double>;
extern template Tensor<float>::Tensor(const Tensor<double>&);
extern template Tensor<double>::Tensor(const Tensor<float>&);

}  // namespace axisgrad
