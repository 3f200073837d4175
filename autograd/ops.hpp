// The catalogue of ops. Each takes Vars on one tape or constants, records itself when a gradient is
// asked for, and refuses shapes that do not fit with an Error that names the op and what it got.
// The pointwise ones and the operators are in ops/functions.hpp.
#pragma once
#include <concepts>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include <axisgrad/autograd/axis.hpp>
#include <axisgrad/autograd/ops/attention.hpp>
#include <axisgrad/autograd/ops/dual_stage.hpp>
#include <axisgrad/autograd/ops/functions.hpp>
#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

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
/// Minimum; NaN if any is NaN. Equal minima share the gradient evenly. Error over an empty axis.
template <Scalar T>
[[nodiscard]] Var<T> min(const Var<T>& x, const Axes& axes = all_axes, ReduceOptions options = {});
/// Variance sum((x - mean)^2) / n (biased: divided by n, as NumPy's); NaN over an empty axis.
template <Scalar T>
[[nodiscard]] Var<T> var(const Var<T>& x, const Axes& axes = all_axes, ReduceOptions options = {});
/// Standard deviation, the root of var(); its gradient is 0 where it is 0.
template <Scalar T>
[[nodiscard]] Var<T> stddev(const Var<T>& x, const Axes& axes = all_axes,
                            ReduceOptions options = {});
/// 2-norm sqrt(sum(x^2)); its gradient at the zero vector is 0.
template <Scalar T>
[[nodiscard]] Var<T> norm(const Var<T>& x, const Axes& axes = all_axes, ReduceOptions options = {});
/// log(sum(e^x)), for any size of x; -infinity, with gradient 0, where all of x is -infinity or
/// there is none.
template <Scalar T>
[[nodiscard]] Var<T> logsumexp(const Var<T>& x, const Axes& axes = all_axes,
                               ReduceOptions options = {});
/// Position of the largest element on one axis, the first of equals; a NaN counts as the largest. A
/// constant, no gradient. Error when a position is not exact in T: float and more than 2^24.
template <Scalar T>
[[nodiscard]] Var<T> argmax(const Var<T>& x, Axis axis, ReduceOptions options = {});
/// Position of the smallest element, in the same way; a NaN counts as the smallest.
template <Scalar T>
[[nodiscard]] Var<T> argmin(const Var<T>& x, Axis axis, ReduceOptions options = {});
struct CumsumOptions {
  bool reverse = false;  // from the end
};
/// Running sum along one axis, of x's shape.
template <Scalar T>
[[nodiscard]] Var<T> cumsum(const Var<T>& x, Axis axis, CumsumOptions options = {});
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
template <Scalar T>
[[nodiscard]] Var<T> concat(std::initializer_list<Var<T>> xs, Axis axis);

/// The positions `indices` of one axis; a position may come several times, -1 is the last. That
/// axis is replaced by the axes of `indices` (integers in a Var, any shape), as in NumPy's take.
template <Scalar T>
[[nodiscard]] Var<T> take(const Var<T>& x, const Same<Var<T>>& indices, Axis axis);
template <Scalar T>
[[nodiscard]] Var<T> take(const Var<T>& x, const std::vector<Size>& indices, Axis axis);
template <Scalar T>
[[nodiscard]] Var<T> take(const Var<T>& x, std::initializer_list<Size> indices, Axis axis) {
  return take(x, std::vector<Size>(indices), axis);
}
/// Each line of one axis read at positions of its own: y(b,j) = x(b,indices(b,j)). The indices have
/// x's shape but for that axis, as in NumPy's take_along_axis.
template <Scalar T>
[[nodiscard]] Var<T> gather(const Var<T>& x, const Same<Var<T>>& indices, Axis axis);
/// The other way round: zeros of `size` positions on that axis, each element of x added where
/// gather() would read it. The indices have x's shape.
template <Scalar T>
[[nodiscard]] Var<T> scatter(const Var<T>& x, const Same<Var<T>>& indices, Axis axis, Size size);
/// 1 at the index, else 0, along a new last axis of `size` positions: (B) gives (B,size). A
/// constant, no gradient.
template <Scalar T>
[[nodiscard]] Var<T> one_hot(const Var<T>& indices, Size size);
/// Backwards along these axes.
template <Scalar T>
[[nodiscard]] Var<T> flip(const Var<T>& x, const Axes& axes = all_axes);
/// Without these axes, which must have size 1; by default without all that have.
template <Scalar T>
[[nodiscard]] Var<T> squeeze(const Var<T>& x, const Axes& axes = all_axes);
/// With an axis of size 1 that becomes axis `axis` of the result.
template <Scalar T>
[[nodiscard]] Var<T> unsqueeze(const Var<T>& x, Axis axis);
/// Each position of an axis `times` times in a row: (a,b) gives (a,a,b,b).
template <Scalar T>
[[nodiscard]] Var<T> repeat(const Var<T>& x, Size times, Axis axis);
/// Joined along a new axis, which becomes axis `axis` of the result; all shapes equal.
template <Scalar T>
[[nodiscard]] Var<T> stack(const std::vector<Var<T>>& xs, Axis axis);
/// Cut along one axis into parts of these sizes, or into a number of equal parts.
template <Scalar T>
[[nodiscard]] std::vector<Var<T>> split(const Var<T>& x, const std::vector<Size>& sizes, Axis axis);
template <Scalar T>
[[nodiscard]] std::vector<Var<T>> split(const Var<T>& x, int parts, Axis axis);
template <Scalar T>
[[nodiscard]] std::vector<Var<T>> split(const Var<T>& x, std::initializer_list<Size> sizes,
                                        Axis axis) {
  return split(x, std::vector<Size>(sizes), axis);
}
struct PadOptions {
  Axis axis;
  Size before = 0, after = 0;  // positions added
  double value = 0;            // what they hold
};
/// With positions of a constant value in front of and behind those of one axis.
template <Scalar T>
[[nodiscard]] Var<T> pad(const Var<T>& x, PadOptions options);

/// What index() does with the next axis: a position (which drops the axis) or one of range(),
/// every, new_axis and rest.
struct IndexItem {
  enum class Kind { position, range, new_axis, rest };
  Kind kind = Kind::position;
  Size begin = 0, end = to_end, step = 1;
  constexpr IndexItem(std::integral auto position) : begin(static_cast<Size>(position)) {}
  constexpr IndexItem(Kind k, Size b = 0, Size e = to_end, Size s = 1)
      : kind(k), begin(b), end(e), step(s) {}
};
/// Positions begin, begin + step, ... before end: begin:end:step in Python. Negative positions
/// count from the end; to_end stands for an end, or with a negative step a begin, left out.
constexpr IndexItem range(Size begin, Size end = to_end, Size step = 1) {
  return {IndexItem::Kind::range, begin, end, step};
}
inline constexpr IndexItem every = range(0);                     // :
inline constexpr IndexItem new_axis{IndexItem::Kind::new_axis};  // None
inline constexpr IndexItem rest{IndexItem::Kind::rest};          // ...
/// NumPy's x[...]: index(x, {0, every, range(1, 4), new_axis, rest, -1}). Axes not named are kept.
template <Scalar T>
[[nodiscard]] Var<T> index(const Var<T>& x, std::initializer_list<IndexItem> items);

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
/// The same of the elements whose mask is 1 (attend); the others, 0, get weight and gradient 0,
/// whatever they hold. The mask broadcasts to x; Error for other values in it. Bit for bit what x
/// with -infinity added there gives.
template <Scalar T>
[[nodiscard]] Var<T> softmax(const Var<T>& x, Axis axis, const Same<Var<T>>& mask);
/// log(softmax(x)), for any size of x; -infinity, with gradient 0, where all of x is -infinity.
template <Scalar T>
[[nodiscard]] Var<T> log_softmax(const Var<T>& x, Axis axis);

// --- Normalisation and dropout

struct LayerNormOptions {
  Axes axes = -1;
  double epsilon = 1e-3;  // Keras's; PyTorch's is 1e-5
};
/// (x - mean) / sqrt(var + epsilon) gamma + beta over some axes, whose sizes are the shape of gamma
/// and beta. Fastest for the last axes.
template <Scalar T>
[[nodiscard]] Var<T> layer_norm(const Var<T>& x, const Same<Var<T>>& gamma,
                                const Same<Var<T>>& beta, LayerNormOptions options = {});

struct DropoutOptions {
  Axes shared = Axes::of(0);  // along these axes one decision holds for all (by default: no axis)
};
/// In a training recording: each element is 0 with probability `rate`, else x / (1 - rate);
/// elsewhere x itself. What is dropped depends on the recording's seed and step, on how many random
/// ops it holds so far, on the sample (first_sample + position on axis 0) and the index within it:
/// so it is the same however a batch is dealt out. Error unless 0 <= rate <= 1.
template <Scalar T>
[[nodiscard]] Var<T> dropout(const Var<T>& x, double rate, DropoutOptions options = {});
/// The factors that dropout() would use for a tensor of this shape (0 or 1 / (1 - rate); ones
/// outside training), drawn on the recording of `like`; a constant.
template <Scalar T>
[[nodiscard]] Var<T> dropout_mask(const Var<T>& like, const Shape& shape, double rate,
                                  DropoutOptions options = {});

// --- LSTM

/// x (B,T,D), kernel (D,4U), recurrent_kernel (U,4U), gates in the order i, f, g (candidate), o.
/// The rest may be left out: bias (4U); initial_h and initial_c (B,U), zeros; mask (B,T), where 0
/// carries the state over a step; recurrent_mask (B,U), which h is multiplied by on its way into
/// the gates (recurrent dropout). The masks get no gradient.
template <Scalar T>
struct LstmInputs {
  Var<T> x{}, kernel{}, recurrent_kernel{}, bias{}, initial_h{}, initial_c{}, mask{},
      recurrent_mask{};
};
struct LstmSequenceOptions {
  bool go_backwards = false;
};
/// h (B,T,U) of all steps in the order of processing; the last h and c (B,U).
template <Scalar T>
struct LstmOutputs {
  Var<T> h, last_h, last_c;
};
/// c = sigmoid(f) c' + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c) over a sequence (Hochreiter and
/// Schmidhuber 1997; forget gate: Gers et al. 2000).
template <Scalar T>
[[nodiscard]] LstmOutputs<T> lstm(const LstmInputs<T>& inputs, LstmSequenceOptions options = {});

// --- Losses of a prediction p and a target t, of equal shape but for the sparse ones. They are
// objects, so that one name is both called, mse(p, t), and handed on: fit(model, parameters, adam,
// mse, data).

enum class Reduction { mean, sum, none };
struct LossOptions {
  Reduction reduction = Reduction::mean;
};
struct HuberOptions {
  Reduction reduction = Reduction::mean;
  double delta = 1;
};
struct CategoricalOptions {
  Reduction reduction = Reduction::mean;  // over the lines: the class axis is always summed
  Axis axis = -1;                         // of the classes
};

/// What is behind a loss: its name, its options and of(p, t, options), defined in ops/loss.cpp and
/// ops/categorical.cpp.
namespace losses {
struct Mse {
  static constexpr std::string_view name = "mse";
  using Options = LossOptions;
  template <Scalar T>
  static Var<T> of(const Var<T>& p, const Var<T>& t, Options options);
};
struct Mae {
  static constexpr std::string_view name = "mae";
  using Options = LossOptions;
  template <Scalar T>
  static Var<T> of(const Var<T>& p, const Var<T>& t, Options options);
};
struct Huber {
  static constexpr std::string_view name = "huber";
  using Options = HuberOptions;
  template <Scalar T>
  static Var<T> of(const Var<T>& p, const Var<T>& t, Options options);
};
struct BinaryCrossentropy {
  static constexpr std::string_view name = "binary_crossentropy";
  using Options = LossOptions;
  template <Scalar T>
  static Var<T> of(const Var<T>& p, const Var<T>& t, Options options);
};
struct BinaryCrossentropyFromLogits {
  static constexpr std::string_view name = "binary_crossentropy_from_logits";
  using Options = LossOptions;
  template <Scalar T>
  static Var<T> of(const Var<T>& p, const Var<T>& t, Options options);
};
struct CategoricalCrossentropy {
  static constexpr std::string_view name = "categorical_crossentropy";
  using Options = CategoricalOptions;
  template <Scalar T>
  static Var<T> of(const Var<T>& p, const Var<T>& t, Options options);
};
struct CategoricalCrossentropyFromLogits {
  static constexpr std::string_view name = "categorical_crossentropy_from_logits";
  using Options = CategoricalOptions;
  template <Scalar T>
  static Var<T> of(const Var<T>& p, const Var<T>& t, Options options);
};
struct SparseCategoricalCrossentropy {
  static constexpr std::string_view name = "sparse_categorical_crossentropy";
  using Options = CategoricalOptions;
  template <Scalar T>
  static Var<T> of(const Var<T>& p, const Var<T>& t, Options options);
};
struct SparseCategoricalCrossentropyFromLogits {
  static constexpr std::string_view name = "sparse_categorical_crossentropy_from_logits";
  using Options = CategoricalOptions;
  template <Scalar T>
  static Var<T> of(const Var<T>& p, const Var<T>& t, Options options);
};
}  // namespace losses

template <class Kind>
struct LossFunction {
  static constexpr std::string_view name = Kind::name;
  template <Scalar T>
  [[nodiscard]] Var<T> operator()(const Var<T>& p, const Same<Var<T>>& t,
                                  typename Kind::Options options = {}) const {
    return Kind::of(p, t, options);
  }
};

/// (p - t)^2
inline constexpr LossFunction<losses::Mse> mse{};
/// |p - t|, slope 0 where equal
inline constexpr LossFunction<losses::Mae> mae{};
/// d^2 / 2 for |d| = |p - t| <= delta, else delta (|d| - delta / 2)
inline constexpr LossFunction<losses::Huber> huber{};
/// -(t log p + (1-t) log(1-p)); p is clipped to [1e-7, 1 - 1e-7] as in Keras, without slope where
/// clipped
inline constexpr LossFunction<losses::BinaryCrossentropy> binary_crossentropy{};
/// The same of the logit p, exact for any size of p
inline constexpr LossFunction<losses::BinaryCrossentropyFromLogits>
    binary_crossentropy_from_logits{};
/// -sum(t log q) over the classes, q = p / sum(p) clipped to [1e-7, 1 - 1e-7] as in Keras; t are
/// probabilities, one-hot or soft
inline constexpr LossFunction<losses::CategoricalCrossentropy> categorical_crossentropy{};
/// The same of the logits p: q = softmax(p), exact for any size of p, without clipping
inline constexpr LossFunction<losses::CategoricalCrossentropyFromLogits>
    categorical_crossentropy_from_logits{};
/// The same with classes 0, 1, ... as targets: t has p's shape without the class axis
inline constexpr LossFunction<losses::SparseCategoricalCrossentropy>
    sparse_categorical_crossentropy{};
/// The same of logits
inline constexpr LossFunction<losses::SparseCategoricalCrossentropyFromLogits>
    sparse_categorical_crossentropy_from_logits{};

}  // namespace axisgrad
