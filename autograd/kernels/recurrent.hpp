// The products of an LSTM, for the kernels that run one step by step. What a step is fed lies in
// one row, so that its gates are one product, without a pass over them to add bias and input:
//
//   fed = [h(t-1) | x(t) | 1]      gates = fed stack      stack = [recurrent; kernel; bias]
//
// and the gradients of all three weights are one product too, fed^T dgates over all steps.
#pragma once
#include <axisgrad/autograd/kernels/scratch.hpp>

namespace axisgrad::kernels {

/// recurrent (units, 4 units), kernel (inputs, 4 units), bias (4 units) or null: fed then has no 1.
template <class T>
struct GateWeights {
  Index units, inputs;
  const T *recurrent, *kernel, *bias;
  /// Of a row of fed.
  Index width() const { return units + inputs + (bias ? 1 : 0); }
};

template <class T>
class Stack {
 public:
  explicit Stack(const GateWeights<T>& weights);
  /// gates (rows, 4 units) of fed (rows, width). Without h the first `units` columns of fed are not
  /// looked at, as if they held 0.
  void product(Index rows, const T* fed, bool without_h, T* gates) const;

 private:
  Index units_, width_;
  Scratch<T> rows_, packed_;  // packed_ where the rows do not stay in the second cache
};

/// Null where not wanted.
template <class T>
struct GateGradients {
  T *recurrent, *kernel, *bias;
};
/// Of dgates (steps, batch, 4 units) and fed (steps, batch, width); without h, that of the first
/// step is not looked at.
template <class T>
void stack_gradient(const GateWeights<T>& weights, Index steps, Index batch, const T* fed,
                    bool without_h, const T* dgates, const GateGradients<T>& d);

/// A weight (inputs, outputs), packed for products with its transpose: dx (rows, inputs) = dy
/// (rows, outputs) weight^T + add, of rows dx_row and add_row apart; add may be null.
template <class T>
class Transposed {
 public:
  /// `row`: from a row of the weight to the next, at least `outputs`. None is packed for null.
  Transposed(Index inputs, Index outputs, const T* weight, Index row);
  void product(Index rows, const T* dy, Index dy_row, const T* add, Index add_row, T* dx,
               Index dx_row) const;

 private:
  Index inputs_, outputs_;
  Scratch<T> packed_;
};

/// How many samples of a batch a thread takes through all steps, for this many multiply-adds in
/// all: the samples do not see each other. It changes no bit, see gemm.hpp.
Index samples_per_thread(Index batch, double work);

}  // namespace axisgrad::kernels
