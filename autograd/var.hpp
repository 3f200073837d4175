// A Var is a value plus its place on a tape, or on none (a constant).
#pragma once
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

/// How a recording is meant. Modules ask for `training`; random ops draw from (seed, step, their
/// ordinal in the recording) and count samples from first_sample, so that results depend neither on
/// threads nor on how a batch is dealt out.
struct RecordingOptions {
  bool training = false;
  std::uint64_t seed = 0, step = 0;
  Size first_sample = 0;
  /// Stop with an Error at the first op that makes, or receives in backward, a NaN or an infinity.
  bool check_finite = false;
  /// Off: no input and no parameter asks for a gradient, so nothing is recorded.
  bool gradient = true;
};

/// What every Var can ask of its tape, even after the tape is gone: these live in blocks that are
/// reused, never freed.
struct TapeBlock {
  /// Of the recording in progress. A Var of another generation belongs to one that is over.
  std::atomic<std::uint64_t> generation{1};
  std::uint64_t first_generation = 1;  // of the tape that owns the block now
  enum class End { cleared, released } last_end = End::cleared;
  RecordingOptions options;

  /// Error, saying how it ended, when the recording of this generation is over.
  void require_generation(std::uint64_t of_var, std::string_view where) const {
    if (of_var != generation) fail_over(of_var, where);
  }

 private:
  [[noreturn]] void fail_over(std::uint64_t of_var, std::string_view where) const;
};

template <Scalar T>
class Recording;

template <Scalar T>
class Var {
 public:
  using scalar = T;

  Var() = default;
  /// A constant of rank 0. Implicit: x * 2.
  Var(T value) : value_(Shape{}, value) {}
  /// A constant.
  explicit Var(Tensor<T> value) : value_(std::move(value)) {}

  /// The value; always legal, also when the recording is over. Of a temporary it is a value of its
  /// own, so that `for (T v : f(x).value())` runs over something that is still there.
  [[nodiscard]] const Tensor<T>& value() const& { return value_; }
  [[nodiscard]] Tensor<T> value() && { return std::move(value_); }
  [[nodiscard]] const Shape& shape() const& { return value_.shape(); }
  [[nodiscard]] Shape shape() && { return value_.shape(); }
  [[nodiscard]] int rank() const { return value_.rank(); }
  [[nodiscard]] Size size() const { return value_.size(); }
  [[nodiscard]] Size size(Axis axis) const { return value_.size(axis); }
  [[nodiscard]] T item() const { return value_.item(); }

  /// The value as a constant, off every tape.
  [[nodiscard]] Var detach() const { return Var(value_); }
  /// Whether it is on a tape, whether or not it asks for a gradient.
  [[nodiscard]] bool on_tape() const { return block_ != nullptr; }
  /// Whether a gradient flows back through it.
  [[nodiscard]] bool has_gradient() const { return slot_ >= 0; }
  /// The options of its recording; those of plain inference when it is on no tape, or the recording
  /// is over.
  [[nodiscard]] const RecordingOptions& recording_options() const {
    static const RecordingOptions inference;
    return block_ && block_->generation == generation_ ? block_->options : inference;
  }

 private:
  friend class Recording<T>;
  Var(Tensor<T> value, Recording<T>* block, std::uint64_t generation, int slot)
      : value_(std::move(value)), block_(block), generation_(generation), slot_(slot) {}

  Tensor<T> value_;
  Recording<T>* block_ = nullptr;
  std::uint64_t generation_ = 0;
  int slot_ = -1;
};

/// A constant: an input of inference without a tape.
template <Scalar T>
[[nodiscard]] Var<T> constant(Tensor<T> x) {
  return Var<T>(std::move(x));
}

}  // namespace axisgrad
