// Axes of a tensor, by name or number. A negative number counts from the end; it is resolved once,
// against the rank of the tensor at hand, at the edge of the op or module that takes it.
#pragma once
#include <array>
#include <concepts>
#include <initializer_list>
#include <span>
#include <string_view>

namespace axisgrad {

inline constexpr int max_rank = 8;

/// One axis. Axis::time and Axis::feature are those of a (batch, time, feature) tensor.
struct Axis {
  int number;
  // Implicit: an axis is written as a whole number or a name. (max(x, 0.) is no reduction.)
  template <std::integral I>
  constexpr Axis(I n) : number(static_cast<int>(n)) {}
  static const Axis batch, time, feature;
  friend constexpr bool operator==(Axis, Axis) = default;
};
inline constexpr Axis Axis::batch{0}, Axis::time{1}, Axis::feature{2};

/// Several axes, or (all_axes) every one.
class Axes {
 public:
  constexpr Axes() = default;
  constexpr Axes(Axis a) : count_(1), axes_{a.number} {}
  template <std::integral I>
  constexpr Axes(I a) : Axes(Axis(a)) {}
  Axes(std::initializer_list<Axis> axes);
  explicit Axes(std::span<const int> axes);
  /// The axes whose bits are set.
  [[nodiscard]] static Axes of(unsigned set) {
    Axes axes(std::initializer_list<Axis>{});
    for (int a = 0; a < max_rank; ++a)
      if (set >> a & 1) axes.axes_[static_cast<unsigned>(axes.count_++)] = a;
    return axes;
  }

  [[nodiscard]] bool all() const { return count_ < 0; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] const int* begin() const { return axes_.data(); }
  [[nodiscard]] const int* end() const { return axes_.data() + (all() ? 0 : count_); }

 private:
  int count_ = -1;
  std::array<int, max_rank> axes_{};
};
inline constexpr Axes all_axes{};

/// The axis as 0 <= number < rank; Error naming axis and rank when it is outside.
int resolve(Axis axis, int rank, std::string_view where);

/// Bit a is set for every axis a named; Error for one outside the rank or named twice.
unsigned resolve(const Axes& axes, int rank, std::string_view where);

}  // namespace axisgrad
