// The catalogue of ops. Each takes Vars on one tape or constants, records itself when a gradient is
// asked for, and refuses shapes that do not fit with an Error that names the op and what it got.
#pragma once
#include <concepts>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

#include <axisgrad/autograd/axis.hpp>
#include <axisgrad/autograd/ops/apply.hpp>
#include <axisgrad/autograd/ops/attention.hpp>
#include <axisgrad/autograd/ops/pointwise.hpp>
#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

template <class T>
using Same = std::type_identity_t<T>;  // a parameter that takes its type from the others

// --- Pointwise. Shapes broadcast as in NumPy; gradients are summed back to the shape of each
// input.

/// a + b
template <Scalar T>
[[nodiscard]] Var<T> add(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::add_op>(a, b);
}
/// a - b
template <Scalar T>
[[nodiscard]] Var<T> subtract(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::subtract_op>(a, b);
}
/// a b
template <Scalar T>
[[nodiscard]] Var<T> multiply(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::multiply_op>(a, b);
}
/// a / b
template <Scalar T>
[[nodiscard]] Var<T> divide(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::divide_op>(a, b);
}
/// -x
template <Scalar T>
[[nodiscard]] Var<T> negate(const Var<T>& x) {
  return pointwise<formulas::negate_op>(x);
}
/// e^x
template <Scalar T>
[[nodiscard]] Var<T> exp(const Var<T>& x) {
  return pointwise<formulas::exp_op>(x);
}
/// Natural logarithm: -infinity at 0, NaN below.
template <Scalar T>
[[nodiscard]] Var<T> log(const Var<T>& x) {
  return pointwise<formulas::log_op>(x);
}
/// log(1 + x), exact for small x
template <Scalar T>
[[nodiscard]] Var<T> log1p(const Var<T>& x) {
  return pointwise<formulas::log1p_op>(x);
}
/// Square root; slope +infinity at 0 (choose with where() before the root, not after).
template <Scalar T>
[[nodiscard]] Var<T> sqrt(const Var<T>& x) {
  return pointwise<formulas::sqrt_op>(x);
}
/// x^2
template <Scalar T>
[[nodiscard]] Var<T> square(const Var<T>& x) {
  return pointwise<formulas::square_op>(x);
}
/// |x|, slope 0 at 0
template <Scalar T>
[[nodiscard]] Var<T> abs(const Var<T>& x) {
  return pointwise<formulas::abs_op>(x);
}
/// Hyperbolic tangent
template <Scalar T>
[[nodiscard]] Var<T> tanh(const Var<T>& x) {
  return pointwise<formulas::tanh_op>(x);
}
/// 1 / (1 + e^-x)
template <Scalar T>
[[nodiscard]] Var<T> sigmoid(const Var<T>& x) {
  return pointwise<formulas::sigmoid_op>(x);
}
/// max(x, 0), slope 0 at 0; NaN stays NaN
template <Scalar T>
[[nodiscard]] Var<T> relu(const Var<T>& x) {
  return pointwise<formulas::relu_op>(x);
}
/// a where c is not 0, else b. The side not chosen gets a gradient of exactly 0, c gets none.
template <Scalar T>
[[nodiscard]] Var<T> where(const Var<T>& c, const Same<Var<T>>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::where_op>(c, a, b);
}
/// 1 where a > b, else 0; a constant, no gradient
template <Scalar T>
[[nodiscard]] Var<T> greater(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::greater_op>(a, b);
}
/// 1 where a < b, else 0; a constant, no gradient
template <Scalar T>
[[nodiscard]] Var<T> less(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::less_op>(a, b);
}
/// 1 where a == b, else 0; a constant, no gradient
template <Scalar T>
[[nodiscard]] Var<T> equal(const Var<T>& a, const Same<Var<T>>& b) {
  return pointwise<formulas::equal_op>(a, b);
}

// --- Reductions over any axes (all by default). With .keep the reduced axes stay, with size 1.

struct ReduceOptions {
  bool keep = false;
};
/// Sum; 0 over an empty axis.
template <Scalar T>
[[nodiscard]] Var<T> sum(const Var<T>& x, const Axes& axes = all_axes, ReduceOptions options = {});
/// Mean; NaN over an empty axis.
template <Scalar T>
[[nodiscard]] Var<T> mean(const Var<T>& x, const Axes& axes = all_axes, ReduceOptions options = {});
/// Maximum; NaN if any is NaN. Equal maxima share the gradient evenly. Error over an empty axis.
template <Scalar T>
[[nodiscard]] Var<T> max(const Var<T>& x, const Axes& axes = all_axes, ReduceOptions options = {});
/// Sum over the axes along which `shape` would broadcast to x's shape: the gradient of expand().
template <Scalar T>
[[nodiscard]] Var<T> sum_to(const Var<T>& x, const Shape& shape);

// --- Shape

/// The same elements under another shape; one size may be -1.
template <Scalar T>
[[nodiscard]] Var<T> reshape(const Var<T>& x, std::initializer_list<Size> sizes);
template <Scalar T>
[[nodiscard]] Var<T> reshape(const Var<T>& x, const Shape& shape);
/// Axis k of the result is axis order[k] of x.
template <Scalar T>
[[nodiscard]] Var<T> transpose(const Var<T>& x, const Axes& order);
/// Two axes exchanged.
template <Scalar T>
[[nodiscard]] Var<T> swap_axes(const Var<T>& x, Axis a, Axis b);
/// Broadcast to a shape, as NumPy's broadcast_to.
template <Scalar T>
[[nodiscard]] Var<T> expand(const Var<T>& x, const Shape& shape);

inline constexpr Size to_end = std::numeric_limits<Size>::max();
struct SliceOptions {
  Axis axis;
  Size begin = 0, end = to_end;  // negative: from the end; end is cut to the axis
  Size step = 1;                 // at least 1
};
/// Positions begin, begin + step, ... before end of one axis.
template <Scalar T>
[[nodiscard]] Var<T> slice(const Var<T>& x, SliceOptions options);
/// The other way round: zeros of `size` positions on that axis, x put where slice() would read. Its
/// gradient is slice().
template <Scalar T>
[[nodiscard]] Var<T> embed(const Var<T>& x, SliceOptions options, Size size);
/// Joined along an existing axis; all other sizes equal.
template <Scalar T>
[[nodiscard]] Var<T> concat(const std::vector<Var<T>>& xs, Axis axis);

// --- Linear algebra

struct MatmulOptions {
  bool transpose_a = false, transpose_b = false;  // the last two axes of a, of b
};
/// Matrix product over the last two axes, as NumPy's matmul: axes in front are batches and
/// broadcast; rank 1 is a row on the left, a column on the right.
template <Scalar T>
[[nodiscard]] Var<T> matmul(const Var<T>& a, const Same<Var<T>>& b, MatmulOptions options = {});

// --- Softmax

/// e^x / sum(e^x) along one axis. Where all of it is -infinity, zeros (nothing to attend to), with
/// gradient 0.
template <Scalar T>
[[nodiscard]] Var<T> softmax(const Var<T>& x, Axis axis);

// --- LSTM

/// x (B,T,D), kernel (D,4U), recurrent_kernel (U,4U), gates in the order i, f, g (candidate), o.
/// The rest may be left out: bias (4U); initial_h and initial_c (B,U), zeros; mask (B,T), where 0
/// carries the state over a step; recurrent_mask (B,U), which h is multiplied by on its way into
/// the gates (recurrent dropout). The masks get no gradient.
template <Scalar T>
struct LstmInputs {
  Var<T> x{}, kernel{}, recurrent_kernel{}, bias{}, initial_h{}, initial_c{}, mask{}, recurrent_mask{};
};
struct LstmOptions {
  bool go_backwards = false;
};
/// h (T,B,U) of all steps in the order of processing, time first; the last h and c (B,U).
template <Scalar T>
struct LstmOutputs {
  Var<T> h, last_h, last_c;
};
/// c = sigmoid(f) c' + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c) over a sequence (Hochreiter and
/// Schmidhuber 1997; forget gate: Gers et al. 2000).
template <Scalar T>
[[nodiscard]] LstmOutputs<T> lstm(const LstmInputs<T>& inputs, LstmOptions options = {});

// --- Losses of a prediction p and a target t of equal shape

enum class Reduction { mean, sum, none };
struct LossOptions {
  Reduction reduction = Reduction::mean;
};
/// (p - t)^2
template <Scalar T>
[[nodiscard]] Var<T> mse(const Var<T>& p, const Same<Var<T>>& t, LossOptions options = {});
/// |p - t|, slope 0 where equal
template <Scalar T>
[[nodiscard]] Var<T> mae(const Var<T>& p, const Same<Var<T>>& t, LossOptions options = {});
/// -(t log p + (1-t) log(1-p)); p is clipped to [1e-7, 1 - 1e-7] as in Keras, without slope where
/// clipped
template <Scalar T>
[[nodiscard]] Var<T> binary_crossentropy(const Var<T>& p, const Same<Var<T>>& t,
                                         LossOptions options = {});
/// The same of the logit p, exact for any size of p
template <Scalar T>
[[nodiscard]] Var<T> binary_crossentropy_from_logits(const Var<T>& p, const Same<Var<T>>& t,
                                                     LossOptions options = {});

// --- Operators. A number takes the scalar type of the Var beside it.

template <Scalar T>
[[nodiscard]] Var<T> operator-(const Var<T>& x) {
  return negate(x);
}
template <Scalar T>
[[nodiscard]] Var<T> operator+(const Var<T>& a, const Var<T>& b) {
  return add(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator+(const Var<T>& a, Same<T> b) {
  return add(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator+(Same<T> a, const Var<T>& b) {
  return add(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator-(const Var<T>& a, const Var<T>& b) {
  return subtract(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator-(const Var<T>& a, Same<T> b) {
  return subtract(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator-(Same<T> a, const Var<T>& b) {
  return subtract(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator*(const Var<T>& a, const Var<T>& b) {
  return multiply(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator*(const Var<T>& a, Same<T> b) {
  return multiply(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator*(Same<T> a, const Var<T>& b) {
  return multiply(Var<T>(a), b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator/(const Var<T>& a, const Var<T>& b) {
  return divide(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator/(const Var<T>& a, Same<T> b) {
  return divide(a, Var<T>(b));
}
template <Scalar T>
[[nodiscard]] Var<T> operator/(Same<T> a, const Var<T>& b) {
  return divide(Var<T>(a), b);
}

// --- What the formulas of pointwise ops use when their values are Vars

template <Scalar T>
[[nodiscard]] Var<T> operator>(const Var<T>& a, const Var<T>& b) {
  return greater(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator<(const Var<T>& a, const Var<T>& b) {
  return less(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator==(const Var<T>& a, const Var<T>& b) {
  return equal(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> operator!=(const Var<T>& a, const Var<T>& b) {
  return T(1) - equal(a, b);
}
template <Scalar T>
[[nodiscard]] Var<T> select(const Var<T>& c, const Var<T>& a, const Var<T>& b) {
  return where(c, a, b);
}

}  // namespace axisgrad
