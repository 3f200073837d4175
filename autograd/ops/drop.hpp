// What the random ops share: the draw of dropout on a recording.
#pragma once
#include <axisgrad/autograd/kernels/dropout.hpp>
#include <axisgrad/autograd/tape.hpp>

namespace axisgrad {

/// What the next random op of this recording drops of a tensor of this shape, axis 0 the samples;
/// rate 0 outside of training. With every_sample the same of each. Error unless 0 <= rate <= 1.
template <Scalar T>
[[nodiscard]] kernels::Dropout draw_dropout(Recording<T>* recording, const Shape& shape,
                                            double rate, bool every_sample = false);

/// Its factors, of the whole tensor: ones where nothing is dropped.
template <Scalar T>
[[nodiscard]] Tensor<T> dropout_factors(const kernels::Dropout& dropout, const Shape& shape);

}  // namespace axisgrad
