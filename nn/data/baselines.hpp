// Forecasts that a model has to beat: the last value, the last day, and least squares. All predict
// (N, horizon, targets) from windows (N, lookback, features).
#pragma once
#include <vector>

#include <axisgrad/nn/data/windows.hpp>

namespace axisgrad {

/// The last value seen of each target. Targets are columns of x, as for Windows; none named: all.
template <Scalar T>
[[nodiscard]] Tensor<T> repeat_last(const Tensor<T>& x, Size horizon,
                                    const std::vector<Size>& targets = {});

/// The last `period` values seen, over and over. Error when the windows are shorter than a period.
template <Scalar T>
[[nodiscard]] Tensor<T> repeat_season(const Tensor<T>& x, Size horizon, Size period,
                                      const std::vector<Size>& targets = {});

struct LeastSquaresOptions {
  double ridge = 1e-6;  // weight of the squared matrix elements beside the sum of squared errors
};
/// One (lookback, horizon) matrix W and one intercept b (horizon) for all variables, each a series
/// of its own: with m the mean of its window, y - m = W^T (x - m) + b minimises |error|^2 + ridge
/// |W|^2 over all windows and targets of the fit. In double, by normal equations and Cholesky.
class LeastSquares {
 public:
  template <Scalar T>
  explicit LeastSquares(const Windows<T>& train, LeastSquaresOptions options = {});

  [[nodiscard]] Tensor<double> matrix() const { return matrix_; }
  [[nodiscard]] Tensor<double> intercept() const { return intercept_; }  // (1, horizon)
  /// Error when the windows do not have the lookback of the fit.
  template <Scalar T>
  [[nodiscard]] Tensor<T> predict(const Tensor<T>& x, const std::vector<Size>& targets = {}) const;

 private:
  Tensor<double> matrix_, intercept_;
};

struct Scores {
  double mse, mae;
};
/// Mean squared and mean absolute difference over all elements, summed in double. Error when the
/// shapes differ or are empty.
template <Scalar T>
[[nodiscard]] Scores scores(const Tensor<T>& prediction, const Tensor<T>& target);

}  // namespace axisgrad
