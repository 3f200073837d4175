// What the series themselves say of "which variable drives which", without any network: the methods
// that an attention map has to be compared with.
#pragma once
#include <axisgrad/nn/data/dataset.hpp>

namespace axisgrad {

struct LagOptions {
  Size first = 1, last = 3;  // lags, in rows
};

/// The largest |Pearson correlation| of x_i(t) and x_j(t - lag) over the lags -> (V,V), row i what
/// comes later, column j what comes before it. Of a table (rows, V); the mean and deviation of each
/// series are those of all its rows (as the sample cross-correlation function has it). NaN for a
/// constant series. Error for another rank, lags that are not 0 <= first <= last < rows, or a value
/// that is not finite.
template <Scalar T>
[[nodiscard]] Tensor<double> lagged_correlation(const Tensor<T>& table,
                                                const LagOptions& options = {});

struct AutoregressionOptions {
  Size lags = 3;
  double ridge = 0;  // weight of the squared coefficients beside the sum of squared errors
};
/// A vector autoregression by least squares: x(t) = c + sum over l = 1..lags of A_l x(t - l) ->
/// (lags, V, V), row i of A_l what x_i(t) takes from each series. In double, with an intercept, by
/// normal equations and Cholesky. Series of different units: standardise them first, if the sizes
/// of coefficients are to be compared. Error for a table that does not determine them.
template <Scalar T>
[[nodiscard]] Tensor<double> vector_autoregression(const Tensor<T>& table,
                                                   const AutoregressionOptions& options = {});

}  // namespace axisgrad
