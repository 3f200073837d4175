// Position embeddings: a vector for each position of one axis, added to what stands there.
//
// Attention sees a set: without them it cannot tell one position from another. Along the time axis
// they say when, along the feature axis which variable it is.
#pragma once
#include <cmath>
#include <optional>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/module.hpp>

namespace axisgrad {

struct PositionOptions {
  Axis axis = Axis::time;  // whose positions are told apart
  Size positions = 0;      // how many there are at most
  /// The axis that holds each position's vector, of `size` elements. When left out: the last axis
  /// that is neither axis 0 nor `axis`, so time for the variables of (batch, time, feature).
  std::optional<Axis> embed_axis{};
  Size size = 0;
};

namespace detail {

inline Shape table_shape(const PositionOptions& o, std::string_view where) {
  if (o.positions < 1 || o.size < 1)
    fail(where, "needs at least one position and one element, got .positions = ", o.positions,
         ", .size = ", o.size);
  return {o.positions, o.size};
}

// x + the first rows of the table (positions, size), one for each position of x.
template <Scalar T>
Var<T> add_positions(const Var<T>& x, const Var<T>& table, const PositionOptions& o,
                     std::string_view where) {
  const int axis = resolve(o.axis, x.rank(), where);
  int embed = x.rank() - 1;
  while (embed > 0 && embed == axis) --embed;
  if (o.embed_axis) embed = resolve(*o.embed_axis, x.rank(), where);
  if (embed == axis || (embed == 0 && !o.embed_axis))
    fail(where, "x ", x.shape(), " has no axis that could hold the vectors beside axis ", axis);
  const Size used = x.shape()[axis];
  if (used > o.positions || x.shape()[embed] != o.size)
    fail(where, "expects at most ", o.positions, " positions on axis ", axis, " and ", o.size,
         " elements on axis ", embed, ", got ", x.shape());
  Var<T> rows = used < o.positions ? slice(table, {.axis = 0, .begin = 0, .end = used}) : table;
  if (embed < axis) rows = swap_axes(rows, 0, 1);
  Shape shape = Shape{}.inserted(0, used).inserted(embed < axis ? 0 : 1, o.size);
  for (int a = std::min(axis, embed) + 1; a < std::max(axis, embed); ++a)
    shape = shape.inserted(1, 1);
  for (int a = std::max(axis, embed) + 1; a < x.rank(); ++a)
    shape = shape.inserted(shape.rank(), 1);
  return x + reshape(rows, shape);
}

}  // namespace detail

/// Learned: y = x + embeddings along the axis; x of any rank >= 2 -> the same shape. embeddings
/// (positions, size) glorot_uniform, as in Keras Hub. A shorter x uses the first positions. Error
/// for sizes below 1; at a call for an x with more positions or other vectors.
template <Scalar T>
class PositionEmbedding {
 public:
  using scalar = T;

  explicit PositionEmbedding(const PositionOptions& options)
      : embeddings(detail::table_shape(options, "PositionEmbedding")), options_(options) {}

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return detail::add_positions(x, watch(embeddings, x), options_, "PositionEmbedding");
  }

  void visit(auto&& visitor) { visitor("embeddings", embeddings); }

  Parameter<T> embeddings;

 private:
  PositionOptions options_;
};

/// Fixed waves (Vaswani et al. 2017, section 3.5): table[p][2i] = sin(p / w^(2i / size)),
/// table[p][2i + 1] = cos of the same, with w = 10,000. No parameters; the shapes are those of
/// PositionEmbedding.
class SinusoidalPosition {
 public:
  explicit SinusoidalPosition(const PositionOptions& options, double longest = 1e4)
      : options_(options), table_(detail::table_shape(options, "SinusoidalPosition")) {
    if (!(longest > 1)) fail("SinusoidalPosition", "the longest wave must exceed 1, got ", longest);
    double* to = table_.mutable_data();
    for (Size p = 0; p < options.positions; ++p)
      for (Size i = 0; i < options.size; ++i) {
        const double power = static_cast<double>(i - i % 2) / static_cast<double>(options.size);
        const double angle = static_cast<double>(p) * std::pow(longest, -power);
        *to++ = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
      }
  }

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return detail::add_positions(x, Var<U>(Tensor<U>(table_)), options_, "SinusoidalPosition");
  }
  /// (positions, size)
  Tensor<double> table() const { return table_; }

 private:
  PositionOptions options_;
  Tensor<double> table_;
};

}  // namespace axisgrad
