// What the two ways of attention share: a piece of one head's scores, and its way through the masks
// and factors. Internal to attention*.cpp.
#pragma once
#include <algorithm>
#include <limits>

#include <axisgrad/autograd/kernels/attention.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>

namespace axisgrad::kernels {

/// A full (outer, heads, queries, keys) tensor; of nullptr: none.
template <class T>
ScoreView<T> full_view(const Attention<T>& a, const T* p) {
  const Index row = a.keys, head = a.queries * row;
  return {.p = p,
          .axes = 1,
          .sizes = {a.outer},
          .steps = {a.heads * head},
          .head = head,
          .row = row,
          .col = 1};
}

/// How many keys, from the first on, query i may see.
template <class T>
Index seen_keys(const Attention<T>& a, Index i) {
  return a.causal ? std::clamp<Index>(i + a.lead + 1, 0, a.keys) : a.keys;
}

/// `rows` queries from i on by `n` keys from j on of one head: contiguous in scratch, part of a
/// full (outer, heads, queries, keys) tensor elsewhere.
template <class T>
struct ScoreTile {
  const Attention<T>& a;
  Index o = 0, h = 0, i = 0, rows = 0, j = 0, n = 0;

  Index size() const { return rows * n; }
  Index start() const { return ((o * a.heads + h) * a.queries + i) * a.keys + j; }

  // to = from op view, where there is a view
  template <class Op>
  void combine(const T* from, const ScoreView<T>& view, T* to) const {
    if (!view.p) return;
    pointwise<Op, T>().value({.rows = rows,
                              .n = n,
                              .in = {from, view.at(o, h, i) + j * view.col},
                              .row_step = {n, view.row},
                              .step = {1, view.col},
                              .out = to});
  }
  // -infinity where the mask or causality hides a key
  void hide(T* s) const {
    static constexpr T hidden = -std::numeric_limits<T>::infinity();
    if (a.mask.p)
      pointwise<formulas::where_op, T>().value(
          {.rows = rows,
           .n = n,
           .in = {a.mask.at(o, h, i) + j * a.mask.col, s, &hidden},
           .row_step = {a.mask.row, n, 0},
           .step = {a.mask.col, 1, 0},
           .out = s});
    if (a.causal)
      for (Index r = 0; r < rows; ++r, s += n)
        std::fill(s + std::clamp<Index>(seen_keys(a, i + r) - j, 0, n), s + n, hidden);
  }
  // The factors of dropout
  void draw(T* f) const {
    if (n == a.keys) return dropout_factors(a.dropout, start(), size(), f);
    for (Index r = 0; r < rows; ++r) dropout_factors(a.dropout, start() + r * a.keys, n, f + r * n);
  }
  // Into a full tensor; 0 for the `beyond` keys behind the tile.
  void store(const T* s, T* full, Index beyond = 0) const {
    T* to = full + start();
    for (Index r = 0; r < rows; ++r, s += n, to += a.keys)
      std::fill_n(std::copy_n(s, n, to), beyond, T(0));
  }
};

/// f(begin, end) over `tasks` equal parts of the whole work.
template <class T, class F>
void share(const Attention<T>& a, Index tasks, F f) {
  constexpr double grain = 1 << 22;  // multiply-adds of a task: 100 us
  // The passes over the scores cost about as much as 64 multiply-adds each.
  const double work = double(a.outer) * double(a.heads) * double(a.queries) * double(a.keys) *
                      double(a.key_dim + a.value_dim + 64);
  const Index most = std::max<Index>(tasks, 1),
              parts = std::clamp<Index>(Index(work / grain), 1, most);
  parallel_chunks(tasks, (most + parts - 1) / parts, f);
}

/// What attention() and attention_backward() do where the weights are not kept.
template <class T>
void attention_in_tiles(const Attention<T>&, const AttentionResults<T>&);
template <class T>
void attention_in_tiles_backward(const Attention<T>&, const AttentionKept<T>&,
                                 const AttentionGradients<T>&);

}  // namespace axisgrad::kernels
