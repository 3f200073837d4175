#include <cmath>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/data/cholesky.hpp>
#include <axisgrad/nn/explain/dependence.hpp>

namespace axisgrad {
namespace {

// The table in double, each series less its mean. Its columns are series.
template <class T>
Var<double> centred(const Tensor<T>& table, std::string_view where) {
  if (table.rank() != 2 || table.size() == 0)
    fail(where, "expects a table (rows, series), got the shape ", table.shape());
  require_finite(table, where, "the table");
  const Var<double> x = constant(Tensor<double>(table));
  return x - mean(x, 0, {.keep = true});
}

Var<double> rows(const Var<double>& x, Size begin, Size end) {
  return slice(x, {.axis = 0, .begin = begin, .end = end});
}

}  // namespace

template <Scalar T>
Tensor<double> lagged_correlation(const Tensor<T>& table, const LagOptions& options) {
  const std::string_view where = "lagged_correlation";
  const Var<double> x = centred(table, where);
  const Size n = x.shape()[0], v = x.shape()[1];
  if (options.first < 0 || options.last < options.first || options.last >= n)
    fail(where, "lags ", options.first, " to ", options.last, " are none that ", n, " rows have");
  // r(i,j) = sum over t of x_i(t) x_j(t - lag) / (|x_i| |x_j|)
  const Var<double> z = x / norm(x, 0, {.keep = true});
  Tensor<double> result({v, v}, 0.);
  double* const to = result.mutable_data();
  for (Size lag = options.first; lag <= options.last; ++lag) {
    const Var<double> r = matmul(rows(z, lag, n), rows(z, 0, n - lag), {.transpose_a = true});
    for (Size k = 0; k < result.size(); ++k) {
      const double size = std::abs(r.value().data()[k]);
      if (!(size <= to[k])) to[k] = size;  // NaN stays
    }
  }
  return result;
}

template <Scalar T>
Tensor<double> vector_autoregression(const Tensor<T>& table, const AutoregressionOptions& options) {
  const std::string_view where = "vector_autoregression";
  const Var<double> x = centred(table, where);
  const Size n = x.shape()[0], v = x.shape()[1], lags = options.lags;
  if (lags < 1 || lags >= n || !(options.ridge >= 0))
    fail(where, "needs at least one lag, more rows than lags and no negative ridge, got ", lags,
         " lags, ", n, " rows and the ridge ", options.ridge);
  std::vector<Var<double>> past;
  for (Size lag = 1; lag <= lags; ++lag) past.push_back(rows(x, lags - lag, n - lag));
  // Centring the regressors and what they explain leaves the intercept out of the equations.
  const auto around_mean = [](const Var<double>& y) { return y - mean(y, 0, {.keep = true}); };
  const Var<double> design = around_mean(concat(past, 1)), next = around_mean(rows(x, lags, n));
  Tensor<double> normal = matmul(design, design, {.transpose_a = true}).value();
  for (Size k = 0; k < lags * v; ++k) normal.mutable_data()[k * (lags * v + 1)] += options.ridge;
  Tensor<double> solution = matmul(design, next, {.transpose_a = true}).value();
  solve_positive_definite(normal, solution, where);
  // (lag and source, target) -> (lag, target, source)
  return swap_axes(reshape(constant(solution), {lags, v, v}), 1, 2).value();
}

template Tensor<double> lagged_correlation(const Tensor<float>&, const LagOptions&);
template Tensor<double> lagged_correlation(const Tensor<double>&, const LagOptions&);
template Tensor<double> vector_autoregression(const Tensor<float>&, const AutoregressionOptions&);
template Tensor<double> vector_autoregression(const Tensor<double>&, const AutoregressionOptions&);

}  // namespace axisgrad
