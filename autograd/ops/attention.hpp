// Scaled dot-product attention (Vaswani et al. 2017, "Attention is all you need", equation 1).
#pragma once
#include <optional>
#include <type_traits>

#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

/// Which key a causal query sees last when there are Tq queries and Tk keys. last: the last query
/// sees the last key, so query i sees the keys 0 ... i + Tk - Tq; right for a cache of past keys.
/// first: query i sees the keys 0 ... i, which is what Keras and PyTorch do.
enum class CausalAlignment { last, first };

/// A Var that is left out is no mask. Masks broadcast as in NumPy to the scores.
template <Scalar T>
struct AttentionOptions {
  /// 1 = attend, 0 = do not: a hidden key has the weight 0 exactly. Other values are an error.
  Var<T> mask{};
  /// Added to the scores; has a gradient. -infinity hides a key exactly as the mask does; a large
  /// finite value does not: where it stands in a whole row, it cancels in the softmax.
  Var<T> additive_mask{};
  bool causal = false;
  CausalAlignment causal_alignment = CausalAlignment::last;
  /// 1 / sqrt(size of a head) when left out.
  std::optional<double> scale{};
  /// In a training recording each weight after the softmax is 0 with this probability, else divided
  /// by 1 - dropout: the factors that dropout_mask() draws for the scores' shape, never in memory
  /// as a whole. Error unless it lies in [0, 1].
  double dropout = 0;
  /// Multiplied to the weights after the softmax, without a gradient of their own. Broadcast like a
  /// mask.
  Var<T> weight_factors{};
};

/// What an attention gives besides its output: the weights after the softmax, before dropout, and
/// the scores (scaled) before masks and softmax.
template <Scalar T>
struct Attended {
  Var<T> out, weights, scores;
};

/// softmax(q k^T scale + masks) v over the last two axes: q (..., Tq, P), k (..., Tk, P),
/// v (..., Tk, Pv) -> (..., Tq, Pv). Axes in front are batches and broadcast; scores and masks are
/// (..., Tq, Tk). A query with nothing to attend to gives 0 and passes no gradient. The weights are
/// never in memory as a whole; backward makes them again, block by block.
template <Scalar T>
[[nodiscard]] Var<T> scaled_dot_product_attention(
    const Var<T>& q, const std::type_identity_t<Var<T>>& k, const std::type_identity_t<Var<T>>& v,
    const std::type_identity_t<AttentionOptions<T>>& options = {});
/// The same with weights and scores (..., Tq, Tk), which then are kept in memory.
template <Scalar T>
[[nodiscard]] Attended<T> scaled_dot_product_attention_with_weights(
    const Var<T>& q, const std::type_identity_t<Var<T>>& k, const std::type_identity_t<Var<T>>& v,
    const std::type_identity_t<AttentionOptions<T>>& options = {});

/// The same for H heads that lie beside each other, as a projection leaves them: q (..., Tq, H, P),
/// k (..., Tk, H, P), v (..., Tk, H, Pv) -> (..., Tq, H, Pv) without a transposition. Scores and
/// masks are (..., H, Tq, Tk).
template <Scalar T>
[[nodiscard]] Var<T> attention_by_head(
    const Var<T>& q, const std::type_identity_t<Var<T>>& k, const std::type_identity_t<Var<T>>& v,
    const std::type_identity_t<AttentionOptions<T>>& options = {});
template <Scalar T>
[[nodiscard]] Attended<T> attention_by_head_with_weights(
    const Var<T>& q, const std::type_identity_t<Var<T>>& k, const std::type_identity_t<Var<T>>& v,
    const std::type_identity_t<AttentionOptions<T>>& options = {});

}  // namespace axisgrad
