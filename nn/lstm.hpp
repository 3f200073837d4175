// The LSTM layer.
#pragma once
#include <optional>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/module.hpp>

namespace axisgrad {

/// The state of an LSTM: h and c, each (B,U).
template <Scalar T>
struct LstmState {
  Var<T> h{}, c{};
};

/// The same state without its history: what carries over to the next batch when no gradient should
/// flow back into this one.
template <Scalar T>
[[nodiscard]] LstmState<T> detach(const LstmState<T>& state) {
  return {state.h.detach(), state.c.detach()};
}

/// What an LSTM returns: ask for what you need.
template <Scalar T>
class LstmResult {
 public:
  explicit LstmResult(LstmOutputs<T> outputs) : outputs_(std::move(outputs)) {}
  /// h of every step, (B,T,U), in the order of processing (go_backwards: last step first, as Keras
  /// gives it).
  [[nodiscard]] Var<T> sequence() const { return outputs_.h; }
  /// h after the last step, (B,U): the initial one when there is no step.
  [[nodiscard]] Var<T> last() const { return outputs_.last_h; }
  [[nodiscard]] LstmState<T> state() const { return {outputs_.last_h, outputs_.last_c}; }

 private:
  LstmOutputs<T> outputs_;
};

struct LstmOptions {
  Size inputs = 0, units = 0;
  bool use_bias = true;
  bool go_backwards = false;
  /// In a training recording: the share of x, and of h on its way into the gates, that is dropped.
  /// One mask for a sequence, the same at each of its steps, as in Keras (Gal and Ghahramani 2016).
  double dropout = 0, recurrent_dropout = 0;
  /// As Keras begins. PyTorch's LSTM begins with torch_uniform for all three, U(-l, l) with l = 1 /
  /// sqrt(units), and without the forget gate's ones.
  Init kernel_init = Init::glorot_uniform, recurrent_init = Init::orthogonal,
       bias_init = Init::zeros;
  bool unit_forget_bias = true;  // ones on the forget gate, .bias_init on the other three
};

/// What a call may bring besides x.
template <Scalar T>
struct LstmCall {
  std::optional<LstmState<T>> initial_state{};
  Var<T> mask{};  // (B,T): 1 uses the step, 0 carries the state and repeats the output
};

/// Long short-term memory (Hochreiter and Schmidhuber 1997) as Keras has it: x (B,T,inputs) ->
/// result with sequence() (B,T,units), last() (B,units), state(). kernel (inputs, 4 units),
/// recurrent_kernel (units, 4 units), bias (4 units), with first values by the options; gates in
/// the order i, f, c, o. A second layer takes the first one's sequence(). Error for sizes below 1,
/// a rate outside [0, 1] or a bias_init that the forget gate's ones do not go with; at a call for
/// an x of another rank or number of inputs, a state that is not (B,units) or a mask that is not
/// (B,T).
template <Scalar T>
class LSTM {
 public:
  using scalar = T;

  explicit LSTM(LstmOptions options)
      : kernel(shape(options), options.kernel_init, fans(options, options.kernel_init)),
        recurrent_kernel(Shape{options.units, 4 * options.units}, options.recurrent_init),
        bias(Shape{4 * options.units}, bias_init(options), fans(options, options.bias_init)),
        options_(options) {
    for (double rate : {options.dropout, options.recurrent_dropout})
      if (!(rate >= 0 && rate <= 1))
        fail("LSTM", ".dropout and .recurrent_dropout must lie in [0, 1], got ", rate);
  }

  template <Scalar U>
  [[nodiscard]] LstmResult<U> operator()(const Var<U>& x,
                                         const Same<LstmCall<U>>& call = {}) const {
    if (x.rank() != 3 || x.shape()[2] != options_.inputs)
      fail("LSTM", "expects (batch, time, ", options_.inputs, "), got ", x.shape(),
           x.rank() == 2 ? ": give the layer before it as sequence(), not last()" : "");
    const auto state = call.initial_state.value_or(LstmState<U>{});
    LstmInputs<U> in{.x = without_skipped(x, call.mask),
                     .initial_h = state.h,
                     .initial_c = state.c,
                     .mask = call.mask};
    in.kernel = watch(kernel, x, state.h, state.c, call.mask);
    in.recurrent_kernel = watch(recurrent_kernel, x, state.h, state.c, call.mask);
    if (options_.use_bias) in.bias = watch(bias, x, state.h, state.c, call.mask);
    // Drawn on the tape of the kernel: x may be a constant.
    if (in.kernel.recording_options().training) drop(in);
    return LstmResult<U>(lstm(in, {.go_backwards = options_.go_backwards}));
  }

  void visit(auto&& visitor) {
    visitor("kernel", kernel), visitor("recurrent_kernel", recurrent_kernel);
    if (options_.use_bias) visitor("bias", bias);
  }

  Parameter<T> kernel, recurrent_kernel, bias;

 private:
  static Shape shape(const LstmOptions& o) {
    if (o.inputs < 1 || o.units < 1)
      fail("LSTM", "needs at least one input and one unit, got .inputs = ", o.inputs,
           ", .units = ", o.units);
    return {o.inputs, 4 * o.units};
  }
  // PyTorch counts the units as fan in of everything.
  static Fans fans(const LstmOptions& o, Init init) {
    return init == Init::torch_uniform ? Fans{.in = static_cast<double>(o.units)} : Fans{};
  }
  static Init bias_init(const LstmOptions& o) {
    if (!o.unit_forget_bias || o.bias_init == Init::ones || o.bias_init == Init::lstm_bias)
      return o.bias_init;
    if (o.bias_init != Init::zeros)
      fail("LSTM",
           ".unit_forget_bias goes with .bias_init zeros or ones: with another one set "
           ".unit_forget_bias = false");
    return Init::lstm_bias;
  }
  // A step that is skipped may hold anything, NaN too: 0 times NaN would reach the kernel's
  // gradient.
  template <Scalar U>
  static Var<U> without_skipped(const Var<U>& x, const Var<U>& mask) {
    if (mask.value().empty() || mask.shape() != Shape{x.shape()[0], x.shape()[1]}) return x;
    return where(unsqueeze(mask, 2), x, Var<U>(U(0)));
  }
  template <Scalar U>
  void drop(LstmInputs<U>& in) const {
    const double from_x = options_.dropout, from_h = options_.recurrent_dropout;
    if (from_x > 0)
      in.x = in.x * dropout_mask(in.kernel, in.x.shape(), from_x, {.shared = Axis::time});
    if (from_h > 0)
      in.recurrent_mask = dropout_mask(in.kernel, {in.x.shape()[0], options_.units}, from_h);
  }

  LstmOptions options_;
};

}  // namespace axisgrad
