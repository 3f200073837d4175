// An LSTM over a sequence and its gradient, on plain buffers. Inside, everything is time-major:
// (steps, batch, ...), so that every step and every weight gradient is one contiguous matrix
// product.
#pragma once
#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {

/// x (batch, steps, inputs), kernel (inputs, 4 units), recurrent (units, 4 units), bias (4 units),
/// gates in the order i, f, g, o. The rest may be null: h0, c0 (batch, units) zeros; mask (batch,
/// steps), 0 carries the state; recurrent_mask (batch, units) multiplies h on its way into the
/// gates. With `reverse` the steps are processed last to first.
template <class T>
struct Lstm {
  Index batch, steps, inputs, units;
  bool reverse;
  const T *x, *kernel, *recurrent, *bias, *h0, *c0, *mask, *recurrent_mask;
};

/// In the order of processing: x (steps, batch, inputs), h, c, tanh_c (steps, batch, units), gates
/// after their activations (steps, batch, 4 units). Without `keep`, which backward needs, gates, c
/// and tanh_c hold one step.
template <class T>
struct LstmTrace {
  T *x, *h, *gates, *c, *tanh_c;
  bool keep;
};

template <class T>
void lstm_forward(const Lstm<T>& lstm, const LstmTrace<T>& trace);

/// Cotangents of h (steps, batch, units), of the last h and the last c (batch, units); null: zeros.
template <class T>
struct LstmCotangents {
  const T *h, *last_h, *last_c;
};
/// Null where not wanted; dx in the layout of x.
template <class T>
struct LstmGradients {
  T *x, *kernel, *recurrent, *bias, *h0, *c0;
};
template <class T>
void lstm_backward(const Lstm<T>& lstm, const LstmTrace<T>& trace, const LstmCotangents<T>& g,
                   const LstmGradients<T>& d);

}  // namespace axisgrad::kernels
