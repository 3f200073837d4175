// Attention of many tokens, tile by tile. Softmax goes along a row of tiles: what the tiles so far
// have added up, relative to their largest score, shrinks when a larger one turns up. Backward
// makes the weights again from the scores and the two numbers that are left of each row:
//   W = e^(S - most) inverse,     with S = scale q k^T + masks
//   dv = (W F)^T g_out,           dW = (g_out v^T) F + g_weights
//   dS = W (dW - d),              d = sum over keys of W dW = sum(g_out out) + sum(W g_weights)
//   dq = scale (dS + g_scores) k, dk = (dS + g_scores)^T (scale q),     d additive = dS
// W: the weights, F: the factors, g: the cotangents. Source: Dao et al., FlashAttention, 2022.
#include <axisgrad/autograd/kernels/attention_tile.hpp>
#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/scratch.hpp>

namespace axisgrad::kernels {
namespace {

// A tile stays in the first or second level of the cache, beside the keys and values it meets.
constexpr Index tile_rows = 48;   // as many rows of A as gemm takes without packing
constexpr Index tile_keys = 224;  // whole strips of packed keys, rows not on the same lines of L1
constexpr Index most_keys = 336;  // up to here one tile has them all

// One head's tokens in an (outer, length, heads, width) tensor.
template <class T, class P>
struct Tokens {
  P* p;
  Index step, width;
  Tokens(const Attention<T>& a, P* x, Index o, Index h, Index length, Index w)
      : p(x ? x + (o * length * a.heads + h) * w : x), step(a.heads * w), width(w) {}
  P* at(Index i) const { return p + i * step; }
  Matrix<T> from(Index i) const { return {at(i), step, 1}; }
  Matrix<T> transposed(Index i) const { return {at(i), 1, step}; }
};

// Rows of keys or values as columns of a product, packed once for all rows of tiles: packing is as
// dear as the product with 16 rows. Not for one row of tiles, nor where the packed form cannot be
// entered in its middle (beyond the depth of gemm's blocks).
template <class T>
class Packed {
 public:
  Packed(const Attention<T>& a, Index width, bool wanted)
      : keys_(a.keys),
        width_(width),
        used_(wanted && a.queries > tile_rows && width <= GemmKernels<T>::block_depth),
        packed_(used_ ? packed_size<T>(keys_, width) : 0) {}
  void fill(const Tokens<T, const T>& x) {
    if (used_) pack_b<T>(keys_, width_, x.transposed(0), packed_.get());
  }
  // s (rows, n) = left (rows, width) x^T, x from key j on
  void product(Index rows, Matrix<T> left, const Tokens<T, const T>& x, Index j, Index n,
               T* s) const {
    if (used_)
      gemm_packed<T>(rows, n, width_, left, packed_.get() + j * width_, {}, s, n);
    else
      gemm<T>(1, rows, n, width_, left, x.transposed(j), {}, s, n);
  }

 private:
  Index keys_, width_;
  bool used_;
  Scratch<T> packed_;
};

// z (n, width) += s^T x, s (rows, n) and x by query: in pieces that gemm does not pack
template <class T>
void add_transposed(Index rows, Index n, const T* s, Matrix<T> x, const Tokens<T, T>& z, Index j) {
  for (Index c = 0; c < n; c += tile_rows)
    gemm<T>(1, std::min(tile_rows, n - c), z.width, rows, {s + c, 1, n}, x, z.from(j + c),
            z.at(j + c), z.step);
}

template <class T>
struct HeadTiles {
  const Attention<T>& a;
  Index o, h;
  Tokens<T, const T> q, k, v;

  HeadTiles(const Attention<T>& a_, Index unit)
      : a(a_),
        o(unit / a.heads),
        h(unit % a.heads),
        q(a, a.q, o, h, a.queries, a.key_dim),
        k(a, a.k, o, h, a.keys, a.key_dim),
        v(a, a.v, o, h, a.keys, a.value_dim) {}
};

template <class T>
Index row_blocks(const Attention<T>& a) {
  return (a.queries + tile_rows - 1) / tile_rows;
}
template <class T>
Index tile_width(const Attention<T>& a) {
  return a.keys <= most_keys ? a.keys : tile_keys;
}

// Working memory for one row of tiles.
template <class T>
struct Room {
  Index tile;
  Scratch<T> q, rows, s, f, ds, sums;
  Room(const Attention<T>& a, Index width, bool backward)
      : tile(tile_rows * tile_width(a)),
        q(tile_rows * a.key_dim),
        rows(tile_rows * width),
        s(tile),
        f(has_factors(a) ? tile : 0),
        ds(backward ? tile : 0),
        sums(2 * tile_rows) {}
  static bool has_factors(const Attention<T>& a) { return a.factors.p || a.dropout.rate > 0; }
};

// Rows of `width` numbers, `step` apart, each times its number (by_step = 1) or all times one (0).
template <class T>
void multiply_rows(Index rows, Index width, const T* x, Index step, const T* by, Index by_step,
                   T* to) {
  pointwise<formulas::multiply_op, T>().value({.rows = rows,
                                               .n = width,
                                               .in = {x, by},
                                               .row_step = {step, by_step},
                                               .step = {1, 0},
                                               .out = to});
}
// The same from contiguous rows to rows of tokens.
template <class T>
void multiply_rows(Index rows, const T* x, const T* by, Index by_step, const Tokens<T, T>& to,
                   Index i) {
  for (Index r = 0; r < rows; ++r)
    multiply_rows(1, to.width, x + r * to.width, 0, by + r * by_step, 0, to.at(i + r));
}
template <class Op, class T>
void combine(Index n, const T* x, const T* y, T* to) {
  pointwise<Op, T>().value({.n = n, .in = {x, y}, .step = {1, 1}, .out = to});
}
// The factors of a tile, those given and those drawn.
template <class T>
void factors_of(const ScoreTile<T>& tile, T* f) {
  if (tile.a.dropout.rate > 0)
    tile.draw(f);
  else
    std::fill_n(f, tile.size(), T(1));
  tile.template combine<formulas::multiply_op>(f, tile.a.factors, f);
}
template <class T>
void masked_scores(const ScoreTile<T>& tile, T* s) {
  tile.template combine<formulas::add_op>(s, tile.a.additive, s);
  tile.hide(s);
}

// The rows i ... of one head. `most` and `inverse`: what is left of each for backward.
template <class T>
void forward_rows(const HeadTiles<T>& head, Index i, Index rows, const Packed<T>& keys,
                  const Room<T>& room, const AttentionResults<T>& y, T* most, T* inverse) {
  const Attention<T>& a = head.a;
  const RowKernels<T>& kernels = table<T>().rows;
  const Tokens<T, T> out(a, y.out, head.o, head.h, a.queries, a.value_dim);
  T *acc = room.rows.get(), *s = room.s.get(), *f = room.f.get();
  T *sum = room.sums.get(), *shrink = sum + tile_rows;
  // The scale goes into q's rows: so no tile has to be multiplied by it.
  multiply_rows(rows, a.key_dim, head.q.at(i), head.q.step, &a.scale, 0, room.q.get());
  std::fill_n(acc, rows * a.value_dim, T(0));
  std::fill_n(most, rows, -std::numeric_limits<T>::infinity());
  std::fill_n(sum, rows, T(0));
  const Index seen = seen_keys(a, i + rows - 1);
  for (Index j = 0; j < (y.scores ? a.keys : seen); j += tile_width(a)) {
    ScoreTile<T> tile{a, head.o, head.h, i, rows, j, std::min(tile_width(a), a.keys - j)};
    const Matrix<T> queries{room.q.get(), a.key_dim, 1};
    if (y.scores) {
      keys.product(rows, queries, head.k, j, tile.n, s);
      tile.store(s, y.scores);
      if (j >= seen) continue;
    }
    tile.n = std::min(tile.n, seen - j);
    keys.product(rows, queries, head.k, j, tile.n, s);
    masked_scores(tile, s);
    if (y.weights) tile.store(s, y.weights);
    kernels.softmax_piece(rows, tile.n, s, most, sum, shrink);
    if (j) multiply_rows(rows, a.value_dim, acc, a.value_dim, shrink, 1, acc);
    if (room.f.get()) factors_of(tile, f), combine<formulas::multiply_op>(tile.size(), s, f, s);
    gemm<T>(1, rows, a.value_dim, tile.n, {s, tile.n, 1}, head.v.from(j), {acc, a.value_dim, 1},
            acc, a.value_dim);
  }
  kernels.softmax_end(rows, sum, most, inverse);
  multiply_rows(rows, acc, inverse, 1, out, i);
  if (!y.weights) return;
  for (Index r = 0; r < rows; ++r) {
    T* w = y.weights + ScoreTile<T>{a, head.o, head.h, i + r}.start();
    kernels.softmax_again(1, seen, w, most + r, inverse + r, w);
    std::fill(w + seen, w + a.keys, T(0));
  }
}

// d of the rows i ...
template <class T>
void row_sums(const HeadTiles<T>& head, Index i, Index rows, const AttentionKept<T>& y,
              const AttentionGradients<T>& g, T* d) {
  const Attention<T>& a = head.a;
  auto dot = [](Index n, const T* x, const T* z) {
    T sum = 0;
    table<T>().gemm.dot(1, n, {x, n, 1}, z, {}, &sum, 1);
    return sum;
  };
  const Tokens<T, const T> out(a, y.out, head.o, head.h, a.queries, a.value_dim);
  const Tokens<T, const T> g_out(a, g.out, head.o, head.h, a.queries, a.value_dim);
  for (Index r = 0; r < rows; ++r) {
    const Index full = ScoreTile<T>{a, head.o, head.h, i + r}.start();
    d[r] = g.out ? dot(a.value_dim, g_out.at(i + r), out.at(i + r)) : T(0);
    if (g.weights) d[r] += dot(a.keys, y.weights + full, g.weights + full);
  }
}

template <class T>
void backward_rows(const HeadTiles<T>& head, Index i, Index rows, const Packed<T>& keys,
                   const Packed<T>& values, const Room<T>& room, const AttentionKept<T>& y,
                   const AttentionGradients<T>& g, const T* most, const T* inverse) {
  const Attention<T>& a = head.a;
  const RowKernels<T>& kernels = table<T>().rows;
  const Tokens<T, const T> g_out(a, g.out, head.o, head.h, a.queries, a.value_dim);
  const Tokens<T, T> dq(a, g.q, head.o, head.h, a.queries, a.key_dim),
      dk(a, g.k, head.o, head.h, a.keys, a.key_dim),
      dv(a, g.v, head.o, head.h, a.keys, a.value_dim);
  T *acc = room.rows.get(), *w = room.s.get(), *f = room.f.get(), *ds = room.ds.get();
  T* d = room.sums.get();
  const Matrix<T> queries{room.q.get(), a.key_dim, 1};
  multiply_rows(rows, a.key_dim, head.q.at(i), head.q.step, &a.scale, 0, room.q.get());
  row_sums(head, i, rows, y, g, d);
  std::fill_n(acc, rows * a.key_dim, T(0));
  const bool to_scores = g.q || g.k || g.additive;
  const Index seen = seen_keys(a, i + rows - 1), end = g.scores ? a.keys : seen;
  for (Index j = 0; j < end; j += tile_width(a)) {
    const ScoreTile<T> tile{a, head.o, head.h, i, rows, j, std::min(tile_width(a), end - j)};
    keys.product(rows, queries, head.k, j, tile.n, w);
    masked_scores(tile, w);
    if (f) factors_of(tile, f);
    if (to_scores) {
      if (g.out)
        values.product(rows, g_out.from(i), head.v, j, tile.n, ds);
      else
        std::fill_n(ds, tile.size(), T(0));
      if (f) combine<formulas::multiply_op>(tile.size(), ds, f, ds);
      tile.template combine<formulas::add_op>(ds, full_view(a, g.weights), ds);
      kernels.softmax_backward_again(rows, tile.n, w, most, inverse, d, ds);
    } else {
      kernels.softmax_again(rows, tile.n, w, most, inverse, w);
    }
    if (g.v && g.out) {
      if (f) combine<formulas::multiply_op>(tile.size(), w, f, w);
      add_transposed(rows, tile.n, w, g_out.from(i), dv, j);
    }
    if (!to_scores) continue;
    if (g.additive) tile.store(ds, g.additive, j + tile.n == end ? a.keys - end : 0);
    tile.template combine<formulas::add_op>(ds, full_view(a, g.scores), ds);
    if (g.q)
      gemm<T>(1, rows, a.key_dim, tile.n, {ds, tile.n, 1}, head.k.from(j), {acc, a.key_dim, 1}, acc,
              a.key_dim);
    if (g.k) add_transposed(rows, tile.n, ds, queries, dk, j);
  }
  if (g.additive && end == 0)
    ScoreTile<T>{a, head.o, head.h, i, rows}.store(ds, g.additive, a.keys);
  if (g.q) multiply_rows(rows, acc, &a.scale, 0, dq, i);
}

}  // namespace

template <class T>
void attention_in_tiles(const Attention<T>& a, const AttentionResults<T>& y) {
  const Index blocks = row_blocks(a), all = a.outer * a.heads * a.queries;
  share(a, a.outer * a.heads * blocks, [&](Index begin, Index end) {
    const Room<T> room(a, a.value_dim, false);
    const Scratch<T> unasked(2 * tile_rows);
    Packed<T> keys(a, a.key_dim, true);
    for (Index task = begin; task < end; ++task) {
      const Index unit = task / blocks, i = task % blocks * tile_rows;
      const HeadTiles<T> head(a, unit);
      if (task == begin || i == 0) keys.fill(head.k);
      T *most = unasked.get(), *inverse = most + tile_rows;
      if (y.statistics) most = y.statistics + unit * a.queries + i, inverse = most + all;
      forward_rows(head, i, std::min(tile_rows, a.queries - i), keys, room, y, most, inverse);
    }
  });
}

template <class T>
void attention_in_tiles_backward(const Attention<T>& a, const AttentionKept<T>& y,
                                 const AttentionGradients<T>& g) {
  const Index all = a.outer * a.heads * a.queries;
  // All rows of one head in one task: they add to the same keys and values.
  share(a, a.outer * a.heads, [&](Index begin, Index end) {
    const Room<T> room(a, a.key_dim, true);
    Packed<T> keys(a, a.key_dim, true), values(a, a.value_dim, g.out != nullptr);
    for (Index unit = begin; unit < end; ++unit) {
      const HeadTiles<T> head(a, unit);
      keys.fill(head.k), values.fill(head.v);
      for (Index i = 0; i < a.queries; i += tile_rows) {
        const T* most = y.statistics + unit * a.queries + i;
        backward_rows(head, i, std::min(tile_rows, a.queries - i), keys, values, room, y, g, most,
                      most + all);
      }
    }
  });
}

template void attention_in_tiles(const Attention<float>&, const AttentionResults<float>&);
template void attention_in_tiles(const Attention<double>&, const AttentionResults<double>&);
template void attention_in_tiles_backward(const Attention<float>&, const AttentionKept<float>&,
                                          const AttentionGradients<float>&);
template void attention_in_tiles_backward(const Attention<double>&, const AttentionKept<double>&,
                                          const AttentionGradients<double>&);

}  // namespace axisgrad::kernels
