// What an architecture offers: plain functions on plain buffers, serial, chosen once at run time.
// No containers, no threads, no allocation here: see arch/vector.hpp for why.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <axisgrad/autograd/ops/pointwise.hpp>

namespace axisgrad::kernels {

using Index = std::ptrdiff_t;

/// One run of a pointwise op: rows x n elements. Input k advances by step[k] (0 or 1) within a row
/// and by row_step[k] from row to row; the output, the cotangent g and the gradients are
/// contiguous and may be one of the inputs that advance with them.
template <class T>
struct Run {
  Index rows = 1, n = 0;
  std::array<const T*, 4> in{};
  std::array<Index, 4> row_step{}, step{};
  T* out = nullptr;
};

template <class T>
struct Pointwise {
  void (*value)(const Run<T>&);
  // dx[k] receives the gradient of input k over all rows x n elements; null where it is not wanted.
  // y is null when not kept.
  void (*gradient)(const Run<T>&, const T* g, const T* y, const std::array<T*, 4>& dx);
};

/// Reductions and softmax. `rows`: each of `rows` contiguous rows of n elements. `columns`: each of
/// `columns` columns of n elements that are `stride` apart.
template <class T>
struct RowKernels {
  using Rows = void (*)(Index rows, Index n, const T* x, T* y);
  using Columns = void (*)(Index n, Index stride, Index columns, const T* x, T* y);
  using RowsBackward = void (*)(Index rows, Index n, const T* y, const T* g, T* dx);
  using ColumnsBackward = void (*)(Index n, Index stride, Index columns, const T* y, const T* g,
                                   T* dx);
  Rows sum_rows, max_rows, softmax_rows, log_softmax_rows;
  Columns sum_columns, max_columns, softmax_columns, log_softmax_columns;
  RowsBackward softmax_backward_rows, log_softmax_backward_rows;
  ColumnsBackward softmax_backward_columns, log_softmax_backward_columns;
  // Softmax along rows that come in pieces; most, sum, shrink, inverse and d have a number for each
  // row. Begin with most = -infinity and sum = 0.
  //   piece  brings most and sum up to date; x becomes e^(x - most). shrink: what times sums over
  //          the pieces before makes them relative to the new most
  //   end    inverse = 1 / sum and most as `again` reads them; 0 and 0 for a row of -infinity only
  //   again  y = e^(x - most) inverse, the result
  //   backward_again  the result into x, and its cotangent g becomes that of x: result (g - d)
  void (*softmax_piece)(Index rows, Index n, T* x, T* most, T* sum, T* shrink);
  void (*softmax_end)(Index rows, const T* sum, T* most, T* inverse);
  void (*softmax_again)(Index rows, Index n, const T* x, const T* most, const T* inverse, T* y);
  void (*softmax_backward_again)(Index rows, Index n, T* x, const T* most, const T* inverse,
                                 const T* d, T* g);
  // See layer_norm.hpp; dgamma and dbeta are added to, row after row.
  void (*layer_norm)(Index rows, Index n, const T* x, const T* gamma, const T* beta, T epsilon,
                     T* y, T* mean, T* inverse);
  void (*layer_norm_backward)(Index rows, Index n, const T* x, const T* gamma, const T* mean,
                              const T* inverse, const T* g, T* dx, T* dgamma, T* dbeta);
};

/// Element (i,j) of a matrix is p[i*row + j*col]. A bias is a matrix with row = 0; p = nullptr is
/// the zero matrix.
template <class T>
struct View {
  const T* p = nullptr;
  Index row = 0, col = 1;
  View at(Index i, Index j) const { return {p ? p + i * row + j * col : p, row, col}; }
};

/// How many products of one shape, and the steps between their matrices.
struct Steps {
  Index count = 1, a = 0, b = 0, d = 0, c = 0;
};

/// The pieces of a matrix product; gemm.cpp chooses among them, threads them and hands in scratch.
/// Each computes C = D + A B by the definition in gemm.hpp.
template <class T>
struct GemmKernels {
  Index rows, columns;    // of the register tile; packed B has strips of `columns`
  Index narrowest, wide;  // columns of the narrowest and of the widest vector
  Index row_block;        // rows of A for one call of `block`
  // B in place with unit column stride. scratch: direct_scratch elements.
  void (*direct)(const Steps&, Index m, Index n, Index k, View<T> a, View<T> b, View<T> d, T* c,
                 Index ldc, T* scratch);
  // Rows of A times strips of packed B, k <= block_depth. scratch: block_scratch elements.
  void (*block)(Index m, Index n, Index k, View<T> a, const T* packed, View<T> d, T* c, Index ldc,
                T* scratch);
  // p[i*lines + l] = x[l*line + i*step] for l < n, i < k; lines n.. are zeros.
  void (*pack)(Index lines, Index n, Index k, const T* x, Index line, Index step, T* p);
  // One column: n = 1, a.col = 1, b contiguous.
  void (*dot)(Index m, Index k, View<T> a, const T* b, View<T> d, T* c, Index ldc);

  Index direct_scratch(Index m, Index n, Index k) const {
    return n < narrowest ? (m + k) * narrowest : 0;
  }
  Index block_scratch(Index m, Index k) const { return (m + rows) * k; }
  static constexpr Index block_depth = 256;  // see gemm.hpp: part of the definition of the result
};

/// The pointwise part of an LSTM step: gates (rows, 4 units) in the order i, f, g, o, before their
/// activations in, after them out. c_before, c, tanh_c (rows, units), contiguous; c may be
/// c_before. h goes to two places, either of which may be null, in rows h_row and next_row apart;
/// on its way to `next`, what the next step sees of it, it is multiplied by `factors` (rows, units)
/// unless null.
template <class T>
struct LstmCell {
  Index rows, units;
  T* gates;
  const T* c_before;
  T *c, *tanh_c, *h;
  Index h_row;
  T* next;
  Index next_row;
  const T* factors;
};

template <class T>
struct LstmKernels {
  void (*cell)(const LstmCell<T>&);
  // dh: the whole cotangent of h. dc: that of c from later steps in, that of c_before out.
  void (*cell_backward)(Index rows, Index units, const T* gates, const T* c_before, const T* tanh_c,
                        const T* dh, T* dc, T* dgates);
};

/// Attention by additive scores, one query for each of `rows` samples:
///   e_i = v . tanh(query + key_i),  weights = softmax over the positions i of e
/// query (rows, size), v (size). weights_row, values_row: from sample to sample.
///   gate    out_i = weights_i values_i; keys (rows, size, positions), values (rows, positions)
///   attend  out = sum over i of weights_i value_i; keys (rows, positions, size), values (rows,
///           positions, width)
template <class T>
struct Additive {
  Index rows, size, positions, width;
  const T *keys, *query, *v, *values;
  Index values_row;
  T* weights;
  Index weights_row;
};
/// Cotangents of `out` and, unless null, of the weights in; added to: keys, v (rows, size) of each
/// sample, and the values' of `attend`; written: query, and the values' of `gate` unless null.
/// scratch: `positions` elements.
template <class T>
struct AdditiveGradients {
  const T* out;
  Index out_row;
  const T* weights;
  Index weights_row;
  T *keys, *query, *v, *values;
  Index values_row;
  T* scratch;
};
template <class T>
struct AdditiveKernels {
  using Forward = void (*)(const Additive<T>&, T* out, Index out_row);
  using Backward = void (*)(const Additive<T>&, const AdditiveGradients<T>&);
  Forward gate, attend;
  Backward gate_backward, attend_backward;
};

/// One step of Adam (optim/adam.hpp):
///   g += decay p;  m += (g - m) into_m;  v += (g^2 - v) into_v;
///   p = shrink p - size m / (scale sqrt(v) + epsilon)
template <class T>
struct AdamStep {
  T decay, into_m, into_v, shrink, size, scale, epsilon;
};

template <class T>
struct StepKernels {
  // to[i] = 0 where word e % 4 of the Philox block (e / 4, sample) is below limit, else scale;
  // e = first + i.
  void (*keep)(Index n, std::uint64_t first, std::uint64_t sample, std::uint64_t key,
               std::uint64_t limit, T scale, T* to);
  // v_max, unless null: the largest v so far, in the place of v.
  void (*adam)(Index n, const AdamStep<T>&, const T* g, T* p, T* m, T* v, T* v_max);
};

/// The architectures, from the slowest to the fastest.
enum class Arch { sse2, avx2, avx512 };

/// Defined once per architecture and scalar by the units in arch/.
template <Arch, class T>
const Pointwise<T>* pointwise_kernels();
template <Arch, class T>
const RowKernels<T>& row_kernels();
template <Arch, class T>
const GemmKernels<T>& gemm_kernels();

template <Arch, class T>
const LstmKernels<T>& lstm_kernels();
template <Arch, class T>
const AdditiveKernels<T>& additive_kernels();
template <Arch, class T>
const StepKernels<T>& step_kernels();

template <class T>
struct Table {
  const char* arch;  // "sse2", "avx2", "avx512"
  const Pointwise<T>* pointwise;
  const RowKernels<T>& rows;
  const GemmKernels<T>& gemm;
  const LstmKernels<T>& lstm;
  const AdditiveKernels<T>& additive;
  const StepKernels<T>& step;
};

/// The kernels in use: those of the best architecture the CPU has, or of the one that the
/// environment variable AXISGRAD_ARCH names. Error when it names an unknown one or one the CPU
/// lacks.
template <class T>
const Table<T>& table();

/// "sse2", "avx2" or "avx512".
std::string_view arch();

/// True when the CPU has the architecture of that name.
bool has_arch(std::string_view name);

/// Overrides the choice, for tests and benchmarks; not while kernels run. Same errors as table().
void use_arch(std::string_view name);

/// The kernels of one op of pointwise_ops.
template <class Op, class T>
const Pointwise<T>& pointwise() {
  return table<T>().pointwise[index_of<Op, pointwise_ops>];
}

}  // namespace axisgrad::kernels
