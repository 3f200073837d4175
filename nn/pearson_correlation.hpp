// Correlation of variables, differentiable.
#pragma once
#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

/// What the correlation with a constant variable is: it has none (NaN, as the definition and
/// numpy.corrcoef say), or zero.
enum class Constant { nan, zero };

struct CorrelationOptions {
  Constant constant = Constant::nan;
};

/// Pearson's r of every two positions i, j of one axis (the variables), each seen over the last
/// axis that is neither axis 0 nor that one:
///
///   r_ij = <x_i - mean(x_i), x_j - mean(x_j)> / (|x_i - mean(x_i)| |x_j - mean(x_j)|)
///
/// x (B,V,E) with axis 1, or (B,T,V) with Axis::feature -> (B,V,V), symmetric, in [-1, 1], 1 on the
/// diagonal. Further axes are batch axes and go in front. A variable with max == min is constant:
/// its row and column, diagonal entry included, are NaN or 0 by .constant, and no gradient passes
/// through them (0, never NaN). Each variable is scaled first, so that its squares neither overflow
/// nor vanish. Error for rank < 3, axis 0, and an axis without positions. The definition is that of
/// numpy.corrcoef; docs/questions.md, 3.
template <Scalar T>
[[nodiscard]] Var<T> pearson_correlation(const Var<T>& x, Axis axis,
                                         CorrelationOptions options = {});

}  // namespace axisgrad
