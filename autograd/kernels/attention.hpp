// Attention of queries to keys. Where tokens are many, the (queries, keys) matrix of weights never
// lies in memory as a whole: tiles of it are made, used and dropped, with a softmax that goes on
// from tile to tile, and backward makes them again from the same inputs (attention_tiles.cpp). So
// memory grows with the number of tokens, not with its square. Few tokens' weights are kept for
// backward instead (attention.cpp): they take little more room than q, k and v.
#pragma once
#include <array>

#include <axisgrad/autograd/kernels/dropout.hpp>

namespace axisgrad::kernels {

/// A tensor that broadcasts to the scores (batch axes..., heads, queries, keys); steps are 0 along
/// axes that stretch. p = nullptr: there is none.
template <class T>
struct ScoreView {
  const T* p = nullptr;
  int axes = 0;  // batch axes, flattened to `outer` below
  std::array<Index, 8> sizes{}, steps{};
  Index head = 0, row = 0, col = 0;  // col: 0 or 1

  const T* at(Index outer, Index h, Index i) const {
    Index offset = h * head + i * row;
    for (auto a = static_cast<unsigned>(axes); a-- > 0; outer /= sizes[a])
      offset += outer % sizes[a] * steps[a];
    return p + offset;
  }
};

/// weights = softmax over keys of (scale q k^T + additive, -infinity where masked);
/// out = (weights * factors, dropped out) v. A query that sees no key, or whose scores are all
/// -infinity, has weights and out of 0 and passes no gradient.
template <class T>
struct Attention {
  Index outer = 1, heads = 1, queries = 0, keys = 0, key_dim = 0, value_dim = 0;
  // (outer, queries, heads, key_dim), (outer, keys, heads, key_dim), (outer, keys, heads,
  // value_dim): what a projection leaves behind, so that heads need no transposition.
  const T *q = nullptr, *k = nullptr, *v = nullptr;
  T scale = 1;
  ScoreView<T> mask, additive, factors;  // mask: 0 hides a key
  Dropout dropout;                       // of the weights, seen as one tensor (outer, ..., keys)
  bool causal = false;
  Index lead = 0;  // with causal, query i sees the keys 0 ... i + lead
};

/// Whether the weights of this problem are kept for backward. If not, it needs of each row what
/// softmax had found out, row_statistics numbers.
inline bool keeps_weights(Index queries, Index keys, Index key_dim, Index value_dim) {
  return keys <= 32 || queries * keys <= (queries + keys) * key_dim + keys * value_dim;
}
inline constexpr Index row_statistics = 2;

/// out (outer, queries, heads, value_dim). weights and scores (outer, heads, queries, keys): the
/// weights before factors and dropout, the scores (scaled) before masks. statistics
/// (row_statistics, outer, heads, queries): written only where the weights are not kept. All but
/// out may be null. The bits of out do not depend on what else is asked for.
template <class T>
struct AttentionResults {
  T *out = nullptr, *weights = nullptr, *scores = nullptr, *statistics = nullptr;
};
template <class T>
void attention(const Attention<T>&, const AttentionResults<T>&);

/// What backward reads of the results: the weights where they are kept; else out, the statistics,
/// and the weights if they have a cotangent.
template <class T>
struct AttentionKept {
  const T *out = nullptr, *weights = nullptr, *statistics = nullptr;
};
/// Cotangents of the three results (null: zero) and where the gradients go (null: not wanted), each
/// in the layout of what it belongs to; that of the additive mask in full, (outer, heads, queries,
/// keys).
template <class T>
struct AttentionGradients {
  const T *out = nullptr, *weights = nullptr, *scores = nullptr;
  T *q = nullptr, *k = nullptr, *v = nullptr, *additive = nullptr;
};
template <class T>
void attention_backward(const Attention<T>&, const AttentionKept<T>&, const AttentionGradients<T>&);

}  // namespace axisgrad::kernels
