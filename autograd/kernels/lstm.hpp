// An LSTM over a sequence and its gradient, on plain buffers. Inside, everything is time-major:
// (steps, batch, ...), so that every step and every weight gradient is one contiguous matrix
// product.
#pragma once
#include <axisgrad/autograd/kernels/recurrent.hpp>

namespace axisgrad::kernels {

/// x (batch, steps, inputs); gates in the order i, f, g, o. What follows may be null: h0, c0
/// (batch, units) zeros; mask (batch, steps), 0 carries the state; recurrent_mask (batch, units)
/// multiplies h on its way into the gates. With `reverse` the steps are processed last to first.
template <class T>
struct Lstm {
  Index batch, steps;
  bool reverse;
  GateWeights<T> weights;
  const T *x, *h0, *c0, *mask, *recurrent_mask;
};

/// In the order of processing: h (batch, steps, units); fed (steps, batch, weights.width()), see
/// recurrent.hpp; c, tanh_c (steps, batch, units); gates after their activations (steps, batch,
/// 4 units). Without `keep`, which backward needs, all but h hold one step.
template <class T>
struct LstmTrace {
  T *h, *fed, *gates, *c, *tanh_c;
  bool keep;
};

template <class T>
void lstm_forward(const Lstm<T>& lstm, const LstmTrace<T>& trace);

/// Cotangents of h (batch, steps, units), of the last h and the last c (batch, units); null: zeros.
template <class T>
struct LstmCotangents {
  const T *h, *last_h, *last_c;
};
/// Null where not wanted; dx in the layout of x.
template <class T>
struct LstmGradients {
  T* x;
  GateGradients<T> weights;
  T *h0, *c0;
};
template <class T>
void lstm_backward(const Lstm<T>& lstm, const LstmTrace<T>& trace, const LstmCotangents<T>& g,
                   const LstmGradients<T>& d);

}  // namespace axisgrad::kernels
