// The two recurrences of the dual-stage network (nn/dual_stage_rnn.hpp has its equations) over all
// steps, and their gradients, on plain buffers. Each step attends by additive scores whose query is
//   q(t) = W [h(t-1); c(t-1)]
// and then takes a step of an LSTM; all states begin at 0. recurrent.hpp has `fed` and the weights.
#pragma once
#include <axisgrad/autograd/kernels/recurrent.hpp>

namespace axisgrad::kernels {

/// The encoder's: weights(t) = softmax over k of v . tanh(q(t) + key_k), and the LSTM is fed
/// weights(t) x(t), element by element. x (batch, steps, series), keys (batch, size, series),
/// W (size, 2 units), v (size); inputs of the LSTM: the series.
template <class T>
struct InputAttention {
  Index batch, steps, size;
  GateWeights<T> gates;
  const T *x, *keys, *W, *v;
};

/// The decoder's: weights(t) = softmax over i of v . tanh(q(t) + key_i), context(t) = sum over i of
/// weights(t)_i value_i, context(-1) = 0, and the LSTM is fed one number,
/// mix . [past(t); context(t-1)] + mix_bias. past (batch, steps), values (batch, positions, width),
/// keys (batch, positions, size), W (size, 2 units), v (size), mix (width + 1).
template <class T>
struct TemporalAttention {
  Index batch, steps, size, positions, width;
  GateWeights<T> gates;
  const T *past, *values, *keys, *W, *v, *mix, *mix_bias;
};

/// fed (steps, batch, gates.width()), gates (steps, batch, 4 units), c, tanh_c (steps, batch,
/// units), query (steps, batch, size). Without `keep`, which backward needs, they hold one step.
template <class T>
struct AttendingTrace {
  T *fed, *gates, *c, *tanh_c, *query;
  bool keep;
};

/// h (batch, steps, units), weights (batch, steps, series).
template <class T>
void input_attention(const InputAttention<T>& problem, const AttendingTrace<T>& trace, T* h,
                     T* weights);

/// Cotangents g of h and of the weights, null: zeros. Of the gradients x may be null; the others
/// are always computed.
template <class T>
struct InputAttentionGradients {
  T *x, *keys, *W, *v;
  GateGradients<T> gates;
};
template <class T>
void input_attention_backward(const InputAttention<T>& problem, const AttendingTrace<T>& trace,
                              const T* weights, const T* g_h, const T* g_weights,
                              const InputAttentionGradients<T>& d);

/// h (batch, units), the last one; context (steps, batch, width) with `keep`, else the last one
/// (batch, width); weights (batch, steps, positions).
template <class T>
struct TemporalAttentionOutputs {
  T *h, *context, *weights;
};
template <class T>
void temporal_attention(const TemporalAttention<T>& problem, const AttendingTrace<T>& trace,
                        const TemporalAttentionOutputs<T>& out);

/// Cotangents of the last h, the last context and the weights; null: zeros.
template <class T>
struct TemporalAttentionCotangents {
  const T *h, *context, *weights;
};
template <class T>
struct TemporalAttentionGradients {
  T *past, *values, *keys, *W, *v, *mix, *mix_bias;
  GateGradients<T> gates;
};
template <class T>
void temporal_attention_backward(const TemporalAttention<T>& problem,
                                 const AttendingTrace<T>& trace,
                                 const TemporalAttentionOutputs<const T>& out,
                                 const TemporalAttentionCotangents<T>& g,
                                 const TemporalAttentionGradients<T>& d);

}  // namespace axisgrad::kernels
