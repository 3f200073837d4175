#include <algorithm>
#include <cmath>
#include <numeric>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/data/baselines.hpp>
#include <axisgrad/nn/data/cholesky.hpp>

namespace axisgrad {
namespace {

// The columns to predict: those named, or all. Checks the windows as well.
template <class T>
std::vector<Size> chosen(const Tensor<T>& x, const std::vector<Size>& targets) {
  if (x.rank() != 3)
    fail("baseline", "needs windows (N, lookback, features), got the shape ", x.shape());
  std::vector<Size> columns = targets;
  if (columns.empty()) {
    columns.resize(static_cast<std::size_t>(x.shape()[2]));
    std::iota(columns.begin(), columns.end(), Size{0});
  }
  for (Size c : columns)
    if (c < 0 || c >= x.shape()[2])
      fail("baseline", "target ", c, " is not one of the ", x.shape()[2],
           " columns (counted from 0)");
  return columns;
}

// One row for each (window, column) of (N, steps, F): its series less `mean`, in double.
template <class T>
Tensor<double> series(const Tensor<T>& x, const std::vector<Size>& columns,
                      const Tensor<double>& mean) {
  const Size windows = x.shape()[0], steps = x.shape()[1], features = x.shape()[2];
  Tensor<double> rows({mean.size(), steps});
  double* to = rows.mutable_data();
  const double* m = mean.data();
  for (Size n = 0; n < windows; ++n)
    for (Size c : columns) {
      for (Size t = 0; t < steps; ++t)
        *to++ = double{x.data()[(n * steps + t) * features + c]} - *m;
      ++m;
    }
  return rows;
}

// The mean of each (window, column) over the window.
template <class T>
Tensor<double> means(const Tensor<T>& x, const std::vector<Size>& columns) {
  const Size windows = x.shape()[0];
  const Tensor<double> none({windows * static_cast<Size>(columns.size())}, 0.0);
  return mean(constant(series(x, columns, none)), 1).value();
}

// values(n, h, c), put together.
template <class T, class F>
Tensor<T> forecast(const Tensor<T>& x, Size horizon, const std::vector<Size>& columns, F value) {
  if (horizon < 1) fail("baseline", "the horizon must be at least 1, got ", horizon);
  Tensor<T> y({x.shape()[0], horizon, static_cast<Size>(columns.size())});
  T* to = y.mutable_data();
  for (Size n = 0; n < x.shape()[0]; ++n)
    for (Size h = 0; h < horizon; ++h)
      for (Size c : columns) *to++ = value(n, h, c);
  return y;
}

}  // namespace

template <Scalar T>
Tensor<T> repeat_season(const Tensor<T>& x, Size horizon, Size period,
                        const std::vector<Size>& targets) {
  const std::vector<Size> columns = chosen(x, targets);
  const Size steps = x.shape()[1], features = x.shape()[2];
  if (period < 1 || period > steps)
    fail("baseline", "a period of ", period, " steps is not within windows of ", steps);
  return forecast(x, horizon, columns, [&](Size n, Size h, Size c) {
    return x.data()[((n + 1) * steps - period + h % period) * features + c];
  });
}

template <Scalar T>
Tensor<T> repeat_last(const Tensor<T>& x, Size horizon, const std::vector<Size>& targets) {
  return repeat_season(x, horizon, 1, targets);
}

template <Scalar T>
LeastSquares::LeastSquares(const Windows<T>& train, LeastSquaresOptions options) {
  if (!(options.ridge >= 0))
    fail("least_squares", "the ridge must not be negative, got ", options.ridge);
  const WindowOptions& o = train.options();
  std::vector<Size> all(o.targets.size());
  std::iota(all.begin(), all.end(), Size{0});
  const auto zeros = [](const Shape& shape) { return constant(Tensor<double>(shape, 0.0)); };
  Var<double> square = zeros({o.lookback, o.lookback}), product = zeros({o.lookback, o.horizon});
  Var<double> past_sum = zeros({1, o.lookback}), next_sum = zeros({1, o.horizon});
  constexpr Size block = 512;  // windows at a time: their rows stay in the cache
  for (Size begin = 0; begin < train.samples(); begin += block) {
    const Dataset<T> part = train.take(begin, std::min(train.samples(), begin + block));
    const Tensor<double> mean = means(part.x, o.targets);
    const Var<double> past = constant(series(part.x, o.targets, mean));
    const Var<double> next = constant(series(part.y, all, mean));
    square = square + matmul(past, past, {.transpose_a = true});
    product = product + matmul(past, next, {.transpose_a = true});
    past_sum = past_sum + sum(past, 0, {.keep = true});
    next_sum = next_sum + sum(next, 0, {.keep = true});
  }
  // The intercept is left out of the normal equations by centring: square - n p p^T with p the mean
  // of the rows.
  const auto n = static_cast<double>(train.samples()) * static_cast<double>(o.targets.size());
  const Var<double> past_mean = past_sum / n, next_mean = next_sum / n;
  Tensor<double> normal = (square - matmul(past_sum, past_mean, {.transpose_a = true})).value();
  matrix_ = (product - matmul(past_sum, next_mean, {.transpose_a = true})).value();
  double* diagonal = normal.mutable_data();
  for (Size i = 0; i < o.lookback; ++i) diagonal[i * (o.lookback + 1)] += options.ridge;
  solve_positive_definite(normal, matrix_, "least_squares");
  intercept_ = (next_mean - matmul(past_mean, constant(matrix_))).value();
}

template <Scalar T>
Tensor<T> LeastSquares::predict(const Tensor<T>& x, const std::vector<Size>& targets) const {
  const std::vector<Size> columns = chosen(x, targets);
  const Size lookback = matrix_.shape()[0], horizon = matrix_.shape()[1],
             width = static_cast<Size>(columns.size());
  if (x.shape()[1] != lookback)
    fail("least_squares", "was fitted on windows of ", lookback, " steps, got the shape ",
         x.shape());
  const Tensor<double> mean = means(x, columns);
  const Tensor<double> next =
      (matmul(constant(series(x, columns, mean)), constant(matrix_)) + constant(intercept_))
          .value();
  Tensor<T> y({x.shape()[0], horizon, width});
  T* to = y.mutable_data();
  for (Size n = 0; n < x.shape()[0]; ++n)
    for (Size h = 0; h < horizon; ++h)
      for (Size row = n * width; row < (n + 1) * width; ++row)
        *to++ = static_cast<T>(next.data()[row * horizon + h] + mean.data()[row]);
  return y;
}

template <Scalar T>
Scores scores(const Tensor<T>& prediction, const Tensor<T>& target) {
  if (prediction.size() == 0 || prediction.shape() != target.shape())
    fail("scores", "prediction and target must have the same shape and some elements, got ",
         prediction.shape(), " and ", target.shape());
  Scores s{0, 0};
  for (Size i = 0; i < target.size(); ++i) {
    const double error = double{prediction.data()[i]} - double{target.data()[i]};
    s.mse += error * error, s.mae += std::abs(error);
  }
  const auto n = static_cast<double>(target.size());
  return {s.mse / n, s.mae / n};
}

template Tensor<float> repeat_season(const Tensor<float>&, Size, Size, const std::vector<Size>&);
template Tensor<double> repeat_season(const Tensor<double>&, Size, Size, const std::vector<Size>&);
template Tensor<float> repeat_last(const Tensor<float>&, Size, const std::vector<Size>&);
template Tensor<double> repeat_last(const Tensor<double>&, Size, const std::vector<Size>&);
template LeastSquares::LeastSquares(const Windows<float>&, LeastSquaresOptions);
template LeastSquares::LeastSquares(const Windows<double>&, LeastSquaresOptions);
template Tensor<float> LeastSquares::predict(const Tensor<float>&, const std::vector<Size>&) const;
template Tensor<double> LeastSquares::predict(const Tensor<double>&,
                                              const std::vector<Size>&) const;
template Scores scores(const Tensor<float>&, const Tensor<float>&);
template Scores scores(const Tensor<double>&, const Tensor<double>&);

}  // namespace axisgrad
