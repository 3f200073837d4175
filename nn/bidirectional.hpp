// An LSTM from each end of the sequence.
#pragma once
#include <axisgrad/nn/lstm.hpp>

namespace axisgrad {

/// How a Bidirectional layer joins its two directions.
enum class Merge { concat, sum, mul, ave };

/// An LSTM over x and another over x reversed, joined; the second one's outputs are put back into
/// the order of x. With a mask, skipped steps of sequence() are 0, as in Keras.
template <Scalar T>
class BidirectionalResult {
 public:
  BidirectionalResult(LstmResult<T> forward, LstmResult<T> backward, Var<T> mask, Merge merge)
      : forward_(std::move(forward)),
        backward_(std::move(backward)),
        mask_(std::move(mask)),
        merge_(merge) {}
  /// (B,T,units), or (B,T,2 units) when concatenated.
  [[nodiscard]] Var<T> sequence() const {
    return joined(used(forward_.sequence()), used(flip(backward_.sequence(), Axis::time)));
  }
  /// What each direction ends with: the forward one at the last step, the backward one at the
  /// first.
  [[nodiscard]] Var<T> last() const { return joined(forward_.last(), backward_.last()); }
  [[nodiscard]] LstmState<T> forward_state() const { return forward_.state(); }
  [[nodiscard]] LstmState<T> backward_state() const { return backward_.state(); }

 private:
  Var<T> used(const Var<T>& h) const {
    if (mask_.value().empty()) return h;
    return where(reshape(mask_, mask_.shape().inserted(2, 1)), h, Var<T>(0));
  }
  Var<T> joined(const Var<T>& a, const Var<T>& b) const {
    switch (merge_) {
      case Merge::concat:
        return concat({a, b}, -1);
      case Merge::sum:
        return a + b;
      case Merge::mul:
        return a * b;
      case Merge::ave:
        break;
    }
    return (a + b) / T(2);
  }

  LstmResult<T> forward_, backward_;
  Var<T> mask_;
  Merge merge_;
};

struct BidirectionalOptions {
  Size inputs = 0, units = 0;  // units of each direction
  Merge merge = Merge::concat;
  bool use_bias = true;
  double dropout = 0, recurrent_dropout = 0;  // of each direction, with masks of its own
  /// Of each direction, as in LstmOptions.
  Init kernel_init = Init::glorot_uniform, recurrent_init = Init::orthogonal,
       bias_init = Init::zeros;
  bool unit_forget_bias = true;
};

/// What a call may bring besides x.
template <Scalar T>
struct BidirectionalCall {
  /// What the forward direction starts from at the first step, the backward one at the last.
  std::optional<LstmState<T>> forward_state{}, backward_state{};
  Var<T> mask{};  // (B,T): 1 uses the step
};

/// Two LSTMs, one from each end of the sequence (Schuster and Paliwal 1997), as Keras joins them: x
/// (B,T,inputs) -> result with sequence() (B,T,2 units), concatenated, or (B,T,units), last() and
/// the states. Parameters forward.* and backward.*, those of LSTM each. Errors are those of LSTM.
template <Scalar T>
class Bidirectional {
 public:
  using scalar = T;

  explicit Bidirectional(BidirectionalOptions o)
      : forward(of(o, false)), backward(of(o, true)), merge_(o.merge) {}

  template <Scalar U>
  [[nodiscard]] BidirectionalResult<U> operator()(
      const Var<U>& x, const Same<BidirectionalCall<U>>& call = {}) const {
    return {forward(x, {.initial_state = call.forward_state, .mask = call.mask}),
            backward(x, {.initial_state = call.backward_state, .mask = call.mask}), call.mask,
            merge_};
  }

  void visit(auto&& visitor) { visitor("forward", forward), visitor("backward", backward); }

  LSTM<T> forward, backward;

 private:
  static LstmOptions of(const BidirectionalOptions& o, bool go_backwards) {
    return {.inputs = o.inputs,
            .units = o.units,
            .use_bias = o.use_bias,
            .go_backwards = go_backwards,
            .dropout = o.dropout,
            .recurrent_dropout = o.recurrent_dropout,
            .kernel_init = o.kernel_init,
            .recurrent_init = o.recurrent_init,
            .bias_init = o.bias_init,
            .unit_forget_bias = o.unit_forget_bias};
  }

  Merge merge_;
};

}  // namespace axisgrad
