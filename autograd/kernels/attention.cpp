// Attention of few tokens, whose weights are kept for backward. That of many is in
// attention_tiles.cpp.
#include <axisgrad/autograd/kernels/attention_tile.hpp>
#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/scratch.hpp>

namespace axisgrad::kernels {
namespace {

// Scores of a block: they stay in the second-level cache beside the keys and values they meet.
constexpr Index block_size = 1 << 14;

// Rows of the scores: either one matrix in part (one outer index, one head, some rows) or, when
// matrices are small, all of several outer indices. Only the first `keys` columns, under causal
// what its last row sees. In scratch it lies as (outers, heads, rows, keys).
struct Block {
  Index o = 0, outers = 1, h = 0, heads = 1, i = 0, rows = 0, keys = 0;
  Index matrix() const { return rows * keys; }
  Index size() const { return outers * heads * matrix(); }
};

template <class T>
struct Blocks {
  const Attention<T>& a;
  bool small = a.heads * a.queries * a.keys <= block_size;
  Index group =
      small ? std::max<Index>(1, block_size / std::max<Index>(1, a.heads* a.queries* a.keys)) : 1;
  Index rows = small ? a.queries : std::min(a.queries, std::max<Index>(64, block_size / a.keys));

  Index units() const { return small ? (a.outer + group - 1) / group : a.outer * a.heads; }
  Index row_blocks() const { return (a.queries + rows - 1) / rows; }
  Index scratch() const { return small ? group * a.heads * a.queries * a.keys : rows * a.keys; }

  Index factor_scratch() const { return a.dropout.rate > 0 ? scratch() : 0; }

  // Of unit u the rows from r * rows on.
  Block at(Index u, Index r, bool all_keys = false) const {
    Block b;
    if (small)
      b = {.o = u * group, .outers = std::min(group, a.outer - u * group), .heads = a.heads};
    else
      b = {.o = u / a.heads, .h = u % a.heads};
    b.i = r * rows;
    b.rows = std::min(rows, a.queries - b.i);
    b.keys = all_keys ? a.keys : seen_keys(a, b.i + b.rows - 1);
    return b;
  }
  // Where the weights of a block begin in a full (outer, heads, queries, keys) tensor, in which
  // they lie as in scratch if the block has all keys.
  Index start(const Block& b) const { return ((b.o * a.heads + b.h) * a.queries + b.i) * a.keys; }
};

// The matrix products of one block go to gemm in as few calls as their strides allow: over the
// heads of one outer index, or over outer indices for one head.
struct Batch {
  Index count, o, h;
  bool over_heads;
};
template <class F>
void for_each_batch(const Block& b, F f) {
  if (b.outers == 1) return f(Batch{b.heads, b.o, b.h, true});
  for (Index h = 0; h < b.heads; ++h) f(Batch{b.outers, b.o, b.h + h, false});
}

template <class T>
struct Pass {
  const Attention<T>& a;
  const Block& b;

  // Tokens i ... of one head in an (outer, length, heads, width) tensor.
  Index start(const Batch& t, Index length, Index width, Index i) const {
    return ((t.o * length + i) * a.heads + t.h) * width;
  }
  Index step(const Batch& t, Index length, Index width) const {
    return t.over_heads ? width : length * a.heads * width;
  }
  Matrix<T> tokens(const Batch& t, const T* x, Index length, Index width, Index i) const {
    return {x + start(t, length, width, i), a.heads * width, 1, step(t, length, width)};
  }
  Index start(const Batch& t) const { return ((t.o - b.o) * b.heads + t.h - b.h) * b.matrix(); }
  Index step(const Batch& t) const { return t.over_heads ? b.matrix() : b.heads * b.matrix(); }
  Matrix<T> block(const Batch& t, const T* s) const { return {s + start(t), b.keys, 1, step(t)}; }
  static Matrix<T> transposed(Matrix<T> m) { return {m.p, m.col, m.row, m.batch}; }

  // s = x y^T, x by query and y by key
  void outer_product(const T* x, const T* y, Index width, T* s) const {
    for_each_batch(b, [&](const Batch& t) {
      gemm<T>(t.count, b.rows, b.keys, width, tokens(t, x, a.queries, width, b.i),
              transposed(tokens(t, y, a.keys, width, 0)), {}, s + start(t), b.keys, step(t));
    });
  }
  // z (+)= s y, y by key and z by query
  void times_keys(const T* s, const T* y, Index width, T* z, bool add = false) const {
    for_each_batch(b, [&](const Batch& t) {
      const Matrix<T> to = tokens(t, z, a.queries, width, b.i);
      gemm<T>(t.count, b.rows, width, b.keys, block(t, s), tokens(t, y, a.keys, width, 0),
              add ? to : Matrix<T>{}, z + start(t, a.queries, width, b.i), to.row, to.batch);
    });
  }
  // z += s^T x, x by query and z by key
  void add_times_queries(const T* s, const T* x, Index width, T* z) const {
    for_each_batch(b, [&](const Batch& t) {
      const Matrix<T> to = tokens(t, z, a.keys, width, 0);
      gemm<T>(t.count, b.keys, width, b.rows, transposed(block(t, s)),
              tokens(t, x, a.queries, width, b.i), to, z + start(t, a.keys, width, 0), to.row,
              to.batch);
    });
  }

  // f(tile, matrix) for each matrix of the block
  template <class F>
  void each_tile(T* s, F f) const {
    for (Index o = 0; o < b.outers; ++o)
      for (Index h = 0; h < b.heads; ++h, s += b.matrix())
        f(ScoreTile<T>{a, b.o + o, b.h + h, b.i, b.rows, 0, b.keys}, s);
  }
  // to = from op view
  template <class Op>
  void combine(const T* from, const ScoreView<T>& view, T* to) const {
    if (!view.p) return;
    each_tile(to, [&](const ScoreTile<T>& tile, T* m) {
      tile.template combine<Op>(from + (m - to), view, m);
    });
  }
  // The factors of dropout, drawn into f, where there are any.
  void draw(T* f) const {
    if (a.dropout.rate == 0) return;
    if (b.keys == a.keys)
      return dropout_factors(a.dropout, ScoreTile<T>{a, b.o, b.h, b.i}.start(), b.size(), f);
    each_tile(f, [](const ScoreTile<T>& tile, T* m) { tile.draw(m); });
  }
  bool has_factors() const { return a.factors.p || a.dropout.rate > 0; }
  // to = w times the factors, those of dropout from f; not called where there are none.
  void multiply_by_factors(const T* w, const T* f, T* to) const {
    combine<formulas::multiply_op>(w, a.factors, to);
    if (a.dropout.rate == 0) return;
    pointwise<formulas::multiply_op, T>().value(
        {.n = b.size(), .in = {a.factors.p ? to : w, f}, .step = {1, 1}, .out = to});
  }
  void multiply_by_scale(T* s) const {
    pointwise<formulas::multiply_op, T>().value(
        {.n = b.size(), .in = {s, &a.scale}, .step = {1, 0}, .out = s});
  }
  void weights(T* s) const {
    if (b.size() == 0) return;
    outer_product(a.q, a.k, a.key_dim, s);
    multiply_by_scale(s);
    combine<formulas::add_op>(s, a.additive, s);
    each_tile(s, [](const ScoreTile<T>& tile, T* m) { tile.hide(m); });
    table<T>().rows.softmax_rows(b.outers * b.heads * b.rows, b.keys, s, s);
  }
  // Into a full (outer, heads, queries, keys) tensor; 0 beyond the block's keys.
  void store(T* s, T* full) const {
    each_tile(s, [&](const ScoreTile<T>& tile, T* m) { tile.store(m, full, a.keys - b.keys); });
  }
};

// The block's part of full weights: in place, or copied where it has not all keys, so that sums
// over keys are as long as they were in forward.
template <class T>
const T* kept_weights(const Blocks<T>& blocks, const Pass<T>& pass, const T* full, T* copy) {
  if (pass.b.keys == pass.a.keys) return full + blocks.start(pass.b);
  pass.each_tile(copy, [&](const ScoreTile<T>& tile, T* m) {
    for (Index r = 0; r < tile.rows; ++r)
      std::copy_n(full + tile.start() + r * tile.a.keys, tile.n, m + r * tile.n);
  });
  return copy;
}

template <class T>
void forward_block(const Blocks<T>& blocks, const Pass<T>& pass, T* s, T* f, T* out, T* weights) {
  const Attention<T>& a = pass.a;
  const bool in_place = weights && pass.b.keys == a.keys;
  T* w = in_place ? weights + blocks.start(pass.b) : s;
  pass.weights(w);
  if (weights && !in_place) pass.store(w, weights);
  if (pass.has_factors()) pass.draw(f), pass.multiply_by_factors(w, f, s);
  pass.times_keys(pass.has_factors() ? s : w, a.v, a.value_dim, out);
}

// With W the weights, F the factors, g the cotangents:
//   dv = (W F)^T g_out,  dW = (g_out v^T) F + g_weights,  dS = W (dW - sum over keys of W dW),
//   dq = scale dS k,     dk = scale dS^T q,               d additive = dS
// w holds the weights, s, f and ds are scratch; ds may be w.
template <class T>
void backward_block(const Pass<T>& pass, const AttentionGradients<T>& g, const T* w, T* s, T* f,
                    T* ds) {
  const Attention<T>& a = pass.a;
  const Block& b = pass.b;
  if (g.out) pass.draw(f);
  if (g.v && g.out) {
    if (pass.has_factors()) pass.multiply_by_factors(w, f, s);
    pass.add_times_queries(pass.has_factors() ? s : w, g.out, a.value_dim, g.v);
  }
  if (!g.q && !g.k && !g.additive) return;
  if (g.out) {
    pass.outer_product(g.out, a.v, a.value_dim, s);
    if (pass.has_factors()) pass.multiply_by_factors(s, f, s);
  } else {
    std::fill_n(s, b.size(), T(0));
  }
  if (g.weights) pass.template combine<formulas::add_op>(s, full_view(a, g.weights), s);
  // Not in place: the tail of a short row, stored in part, would hold up the load of the next row.
  table<T>().rows.softmax_backward_rows(b.outers * b.heads * b.rows, b.keys, w, s, ds);
  if (g.additive) pass.store(ds, g.additive);
  pass.multiply_by_scale(ds);
  if (g.q) pass.times_keys(ds, a.k, a.key_dim, g.q, g.scores != nullptr);
  if (g.k) pass.add_times_queries(ds, a.q, a.key_dim, g.k);
}

// The scores are taken before any mask: their cotangent reaches q and k by a way of its own.
template <class T>
void scores_block(const Pass<T>& pass, const AttentionGradients<T>& g, T* s) {
  const Attention<T>& a = pass.a;
  std::fill_n(s, pass.b.size(), a.scale);
  pass.template combine<formulas::multiply_op>(s, full_view(a, g.scores), s);
  if (g.q) pass.times_keys(s, a.k, a.key_dim, g.q);
  if (g.k) pass.add_times_queries(s, a.q, a.key_dim, g.k);
}

}  // namespace

template <class T>
void attention(const Attention<T>& a, const AttentionResults<T>& y) {
  if (a.outer * a.heads * a.queries == 0) return;
  if (a.keys == 0) {
    std::fill_n(y.out, a.outer * a.queries * a.heads * a.value_dim, T(0));
    return;
  }
  if (!keeps_weights(a.queries, a.keys, a.key_dim, a.value_dim)) return attention_in_tiles(a, y);
  const Blocks<T> blocks{a};
  const Index row_blocks = blocks.row_blocks();
  share(a, blocks.units() * row_blocks, [&](Index begin, Index end) {
    const Scratch<T> s(blocks.scratch()), f(blocks.factor_scratch());
    for (Index task = begin; task < end; ++task) {
      const Index u = task / row_blocks, r = task % row_blocks;
      if (y.scores) {
        const Block b = blocks.at(u, r, true);
        const Pass<T> pass{a, b};
        pass.outer_product(a.q, a.k, a.key_dim, s.get());
        pass.multiply_by_scale(s.get());
        pass.store(s.get(), y.scores);
      }
      const Block b = blocks.at(u, r);
      forward_block(blocks, Pass<T>{a, b}, s.get(), f.get(), y.out, y.weights);
    }
  });
}

template <class T>
void attention_backward(const Attention<T>& a, const AttentionKept<T>& y,
                        const AttentionGradients<T>& g) {
  const Index outer = a.outer * a.heads;
  if (g.q) std::fill_n(g.q, outer * a.queries * a.key_dim, T(0));
  if (g.k) std::fill_n(g.k, outer * a.keys * a.key_dim, T(0));
  if (g.v) std::fill_n(g.v, outer * a.keys * a.value_dim, T(0));
  if (outer * a.queries * a.keys == 0) return;
  if (!keeps_weights(a.queries, a.keys, a.key_dim, a.value_dim))
    return attention_in_tiles_backward(a, y, g);
  const Blocks<T> blocks{a};
  // All rows of one matrix in one task: they add to the same keys and values.
  share(a, blocks.units(), [&](Index begin, Index end) {
    const Scratch<T> w(blocks.scratch()), s(blocks.scratch()), f(blocks.factor_scratch());
    for (Index u = begin; u < end; ++u)
      for (Index r = 0; r < blocks.row_blocks(); ++r) {
        if (g.scores && (g.q || g.k)) {
          const Block b = blocks.at(u, r, true);
          scores_block(Pass<T>{a, b}, g, s.get());
        }
        const Block b = blocks.at(u, r);
        const Pass<T> pass{a, b};
        if (b.keys == 0) {  // causal: none of these queries sees a key
          if (g.additive) pass.store(s.get(), g.additive);
          continue;
        }
        const T* weights = kept_weights(blocks, pass, y.weights, w.get());
        backward_block(pass, g, weights, s.get(), f.get(), w.get());
      }
  });
}

template void attention(const Attention<float>&, const AttentionResults<float>&);
template void attention(const Attention<double>&, const AttentionResults<double>&);
template void attention_backward(const Attention<float>&, const AttentionKept<float>&,
                                 const AttentionGradients<float>&);
template void attention_backward(const Attention<double>&, const AttentionKept<double>&,
                                 const AttentionGradients<double>&);

}  // namespace axisgrad::kernels
