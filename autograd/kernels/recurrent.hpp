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
/// Summed over rows of fed (rows, width) and dgates (rows, 4 units) that are added bit by bit: the
/// whole of dgates need not be there at once.
template <class T>
class StackGradient {
 public:
  explicit StackGradient(const GateWeights<T>& weights);
  /// The rows of some steps; without h the first `units` columns of fed count as 0.
  void add(Index rows, const T* fed, bool without_h, const T* dgates);
  /// Of the steps from `first` on, step 0 having no h: fed begins with step 0, dgates with `first`.
  void add_steps(Index first, Index steps, Index batch, const T* fed, bool first_without_h,
                 const T* dgates);
  void give(const GateGradients<T>& d) const;

 private:
  const GateWeights<T>& weights_;
  Scratch<T> sum_;
  bool any_ = false;
};

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

/// How many steps at a time a backward pass takes, so that their dgates, `of_step` elements each,
/// stay in the second cache until the weights' gradients are made of them. Depends on sizes only.
Index steps_at_a_time(Index steps, Index of_step);

/// How many samples of a batch a thread takes through all steps, for this many multiply-adds in
/// all: the samples do not see each other. It changes no bit, see gemm.hpp.
Index samples_per_thread(Index batch, double work);

}  // namespace axisgrad::kernels
