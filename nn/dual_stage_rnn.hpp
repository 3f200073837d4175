// The dual-stage attention-based recurrent network (DA-RNN; Qin et al. 2017, arXiv 1704.02971).
#pragma once
#include <axisgrad/nn/lstm.hpp>

namespace axisgrad {

struct DualStageRNNOptions {
  Size time_steps = 0;                        // T, of a window
  Size series = 0;                            // n, the driving series
  Size encoder_units = 0, decoder_units = 0;  // m, p
  /// Whether the driving series include their value at the step that is predicted. The paper's do;
  /// who forecasts does not know them yet, hence off. It decides what window() cuts.
  bool include_current = false;
};

/// What DualStageRNN takes, x (B,T,n) and y_prev (B,T), and what it should give, target (B,1).
template <Scalar T>
struct DualStageWindow {
  Var<T> x, y_prev, target;
};

/// alpha (B,T,n): at each step of the encoder, weights over the series. beta (B,T,T): at each step
/// of the decoder (axis 1), weights over the encoder's steps (axis 2). Both sum to 1 over the last
/// axis. encoder_states (B,T,m).
template <Scalar T>
struct AttendedDualStageRNN {
  Var<T> out, alpha, beta, encoder_states;
};

/// One step ahead from a window of n driving series and the past of the target: x (B,T,n), y_prev
/// (B,T) -> out (B,1), in the unit of y_prev. Equation numbers are the paper's.
///
///   encoder, step t
///     alpha_t = softmax over k of v_e . tanh(W_e [h_{t-1}; s_{t-1}] + U_e x^k)     (8, 9)
///     h_t, s_t = LSTM(alpha_t * x_t), element by element                           (10, 11)
///   decoder, step t
///     beta_t = softmax over i of v_d . tanh(W_d [d_{t-1}; s'_{t-1}] + U_d h_i)     (12, 13)
///     c_t = sum_i beta_t^i h_i, c_0 = 0                                            (14)
///     d_t, s'_t = LSTM(w_tilde . [y_{t-1}; c_{t-1}] + b_tilde)                     (15, 16)
///   out = v_y . (W_y [d_T; c_T] + b_w) + b_v                                       (22)
///
/// x^k is the k-th series over the whole window: alpha_1 has seen the window's end. All states
/// begin at 0. Parameters in this order and with the paper's letters: W_e (T,2m), U_e (T,T), v_e
/// (T), encoder.*, W_d (m,2p), U_d (m,m), v_d (m), w_tilde (m+1, y first), b_tilde (1), decoder.*,
/// W_y (p,p+m), b_w (p), v_y (p), b_v (1); glorot_uniform, biases zeros. Error for inputs of other
/// shapes, and for a size left out.
template <Scalar T>
class DualStageRNN {
 public:
  using scalar = T;

  explicit DualStageRNN(const DualStageRNNOptions& options)
      : DualStageRNN(options, options.time_steps, options.encoder_units, options.decoder_units) {}

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x, const Same<Var<U>>& y_prev) const {
    return with_weights(x, y_prev).out;
  }
  template <Scalar U>
  [[nodiscard]] AttendedDualStageRNN<U> with_weights(const Var<U>& x,
                                                     const Same<Var<U>>& y_prev) const {
    const Size steps = options_.time_steps, batch = x.rank() == 3 ? x.shape()[0] : -1;
    if (x.rank() != 3 || x.shape()[1] != steps || x.shape()[2] != options_.series ||
        y_prev.shape() != Shape{batch, steps})
      fail("DualStageRNN", "expects x (batch,", steps, ',', options_.series, ") and y_prev (batch,",
           steps, "), got ", x.shape(), " and ", y_prev.shape());
    AttendedDualStageRNN<U> y;
    encode(x, y_prev, y);
    decode(x, y_prev, y);
    return y;
  }

  /// The inputs of one call from windows of T+1 steps, of which the last is to be predicted: series
  /// (B,T+1,n), target (B,T+1). x is the last T steps with include_current, else the first T;
  /// y_prev is the first T targets.
  template <Scalar U>
  [[nodiscard]] DualStageWindow<U> window(const Var<U>& series, const Same<Var<U>>& target) const {
    const Size steps = options_.time_steps, first = options_.include_current ? 1 : 0;
    if (series.rank() != 3 || series.shape()[1] != steps + 1 || target.rank() != 2 ||
        target.shape()[1] != steps + 1)
      fail("DualStageRNN", "a window has ", steps + 1,
           " steps of series (batch, time, series) and "
           "of the target (batch, time), got ",
           series.shape(), " and ", target.shape());
    return {slice(series, {.axis = 1, .begin = first, .end = first + steps}),
            slice(target, {.axis = 1, .end = steps}), slice(target, {.axis = 1, .begin = steps})};
  }

  void visit(auto&& visitor) {
    visitor("W_e", W_e), visitor("U_e", U_e), visitor("v_e", v_e), visitor("encoder", encoder);
    visitor("W_d", W_d), visitor("U_d", U_d), visitor("v_d", v_d);
    visitor("w_tilde", w_tilde), visitor("b_tilde", b_tilde), visitor("decoder", decoder);
    visitor("W_y", W_y), visitor("b_w", b_w), visitor("v_y", v_y), visitor("b_v", b_v);
  }

  Parameter<T> W_e, U_e, v_e;
  LSTM<T> encoder;
  Parameter<T> W_d, U_d, v_d, w_tilde, b_tilde;
  LSTM<T> decoder;
  Parameter<T> W_y, b_w, v_y, b_v;

 private:
  // steps T, m and p units.
  DualStageRNN(const DualStageRNNOptions& o, Size steps, Size m, Size p)
      : W_e(Shape{require(o).time_steps, 2 * m}),
        U_e(Shape{steps, steps}),
        v_e(Shape{steps}),
        encoder({.inputs = o.series, .units = m}),
        W_d(Shape{m, 2 * p}),
        U_d(Shape{m, m}),
        v_d(Shape{m}),
        w_tilde(Shape{m + 1}),
        b_tilde(Shape{1}, Init::zeros),
        decoder({.inputs = 1, .units = p}),
        W_y(Shape{p, p + m}),
        b_w(Shape{p}, Init::zeros),
        v_y(Shape{p}),
        b_v(Shape{1}, Init::zeros),
        options_(o) {}

  static const DualStageRNNOptions& require(const DualStageRNNOptions& o) {
    if (o.time_steps < 1 || o.series < 1 || o.encoder_units < 1 || o.decoder_units < 1)
      fail("DualStageRNN", "needs at least one of each, got .time_steps = ", o.time_steps,
           ", .series = ", o.series, ", .encoder_units = ", o.encoder_units,
           ", .decoder_units = ", o.decoder_units);
    return o;
  }

  // U_e x^k does not depend on the state: once, before the recurrence. (B,T,n).
  template <Scalar U>
  void encode(const Var<U>& x, const Var<U>& y_prev, AttendedDualStageRNN<U>& y) const {
    const auto own = [&](const Parameter<T>& p) { return watch(p, x, y_prev); };
    const InputAttentionOutputs<U> states =
        input_attention_lstm<U>({.x = x,
                                 .keys = matmul(own(U_e), x),
                                 .W = own(W_e),
                                 .v = own(v_e),
                                 .kernel = own(encoder.kernel),
                                 .recurrent_kernel = own(encoder.recurrent_kernel),
                                 .bias = own(encoder.bias)});
    y.alpha = states.weights, y.encoder_states = states.h;
  }

  // U_d h_i likewise, (B,T,m).
  template <Scalar U>
  void decode(const Var<U>& x, const Var<U>& y_prev, AttendedDualStageRNN<U>& y) const {
    const auto own = [&](const Parameter<T>& p) { return watch(p, x, y_prev); };
    const TemporalAttentionOutputs<U> state = temporal_attention_lstm<U>(
        {.past = y_prev,
         .values = y.encoder_states,
         .keys = matmul(y.encoder_states, own(U_d), {.transpose_b = true}),
         .W = own(W_d),
         .v = own(v_d),
         .mix = own(w_tilde),
         .mix_bias = own(b_tilde),
         .kernel = own(decoder.kernel),
         .recurrent_kernel = own(decoder.recurrent_kernel),
         .bias = own(decoder.bias)});
    y.beta = state.weights;
    const Var<U> last = concat<U>({state.h, state.context}, 1);
    const Var<U> hidden = matmul(last, own(W_y), {.transpose_b = true}) + own(b_w);
    y.out = unsqueeze(matmul(hidden, own(v_y)) + own(b_v), 1);
  }

  DualStageRNNOptions options_;
};

}  // namespace axisgrad
