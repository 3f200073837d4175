// The sizes of a tensor's axes, row-major, stored inline.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string_view>
#include <vector>

#include <axisgrad/autograd/axis.hpp>

namespace axisgrad {

using Size = std::int64_t;

/// At most max_rank axes. Sizes are >= 0 and their product is at most 2^59, so that
/// their bytes can be counted as well: Error otherwise.
class Shape {
 public:
  constexpr Shape() = default;
  // Not inline: g++ 12 would warn of a dangling list where a Shape is made in a default member
  // initialiser.
  Shape(std::initializer_list<Size> sizes);
  Shape(const Size* sizes, int rank);

  [[nodiscard]] int rank() const { return rank_; }
  /// Number of elements: 1 for rank 0.
  [[nodiscard]] Size size() const { return size_; }
  [[nodiscard]] Size operator[](int axis) const { return sizes_[static_cast<unsigned>(axis)]; }
  [[nodiscard]] const Size* begin() const { return sizes_.data(); }
  [[nodiscard]] const Size* end() const { return sizes_.data() + rank_; }

  /// The same shape with one axis changed.
  [[nodiscard]] Shape with(int axis, Size size) const;
  /// The same shape with an axis of this size put in front of `axis` (axis == rank: appended).
  [[nodiscard]] Shape inserted(int axis, Size size) const;
  /// The same shape without the axes whose bits are set; with `keep`, those have size 1 instead.
  [[nodiscard]] Shape without(unsigned axes, bool keep = false) const;
  /// Product of the sizes of axes first <= a < last.
  [[nodiscard]] Size product(int first, int last) const;

  friend bool operator==(const Shape& a, const Shape& b);
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape);

 private:
  int rank_ = 0;
  Size size_ = 1;
  std::array<Size, max_rank> sizes_{};
};

/// The shape to which both broadcast as in NumPy (aligned at the last axis, 1 stretches); Error
/// naming both when there is none.
[[nodiscard]] Shape broadcast(const Shape& a, const Shape& b, std::string_view where);

/// The position on each axis of the element `at`, counted row by row.
[[nodiscard]] std::vector<Size> unravel_index(const Shape& shape, Size at);

/// Whether `from` broadcasts to exactly `to`.
[[nodiscard]] bool broadcasts_to(const Shape& from, const Shape& to);

}  // namespace axisgrad
