// The two recurrences of the dual-stage attention network (DA-RNN; Qin et al. 2017, arXiv
// 1704.02971), each over a whole window: an LSTM that attends before every step.
#pragma once
#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

/// x (B,T,N), keys (B,K,N), W (K,2U), v (K); of the LSTM kernel (N,4U), recurrent_kernel (U,4U),
/// bias (4U), gates in the order i, f, g, o.
template <Scalar T>
struct InputAttentionInputs {
  Var<T> x{}, keys{}, W{}, v{}, kernel{}, recurrent_kernel{}, bias{};
};
/// h (B,T,U) of all steps; weights (B,T,N), which sum to 1 over the series.
template <Scalar T>
struct InputAttentionOutputs {
  Var<T> h, weights;
};
/// The encoder (the paper's equations 8 to 11), all states beginning at 0:
///   weights(t) = softmax over n of v . tanh(W [h(t-1); c(t-1)] + keys(:,n))
///   h(t), c(t) = lstm step of weights(t) * x(t)
/// Keeps no (B,K,N) array per step: its memory grows with T (N + K + 8U), not with T K N. Error for
/// shapes that do not fit together, and unless there is a step and a series.
template <Scalar T>
[[nodiscard]] InputAttentionOutputs<T> input_attention_lstm(const InputAttentionInputs<T>& inputs);

/// past (B,T), values (B,N,M), keys (B,N,K), W (K,2U), v (K), mix (1+M), mix_bias (1); of the LSTM
/// kernel (1,4U), recurrent_kernel (U,4U), bias (4U).
template <Scalar T>
struct TemporalAttentionInputs {
  Var<T> past{}, values{}, keys{}, W{}, v{}, mix{}, mix_bias{}, kernel{}, recurrent_kernel{},
      bias{};
};
/// The last h (B,U) and context (B,M); weights (B,T,N), which sum to 1 over the positions.
template <Scalar T>
struct TemporalAttentionOutputs {
  Var<T> h, context, weights;
};
/// The decoder (equations 12 to 16), all states and context(-1) beginning at 0:
///   weights(t) = softmax over n of v . tanh(W [h(t-1); c(t-1)] + keys(n))
///   h(t), c(t) = lstm step of the number mix . [past(t); context(t-1)] + mix_bias
///   context(t) = sum over n of weights(t,n) values(n)
/// Errors as above.
template <Scalar T>
[[nodiscard]] TemporalAttentionOutputs<T> temporal_attention_lstm(
    const TemporalAttentionInputs<T>& inputs);

}  // namespace axisgrad
