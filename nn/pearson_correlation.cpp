#include <limits>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/pearson_correlation.hpp>

namespace axisgrad {
namespace {

constexpr const char* who = "pearson_correlation";

// (batch axes, variables, what they are seen over)
template <class T>
Var<T> variables_by_observations(const Var<T>& x, Axis axis) {
  if (x.rank() < 3) fail(who, "expects rank 3 or more with the batch in front, got ", x.shape());
  const int variables = resolve(axis, x.rank(), who);
  if (variables == 0) fail(who, "axis 0 is the batch, its positions are no variables");
  const int observations = variables == x.rank() - 1 ? x.rank() - 2 : x.rank() - 1;
  if (x.shape()[observations] < 1)
    fail(who, "axis ", observations, " has no positions to correlate over, got ", x.shape());
  std::vector<int> order;
  for (int a = 0; a < x.rank(); ++a)
    if (a != variables && a != observations) order.push_back(a);
  order.push_back(variables), order.push_back(observations);
  return transpose(x, Axes(std::span<const int>(order)));
}

}  // namespace

// A constant row is replaced by zeros on its way in: it then correlates with nothing, and no
// gradient flows into it. r does not change when a row is multiplied by a number, so neither do its
// derivatives when that number, 1 / max|x - mean|, is held fixed.
template <Scalar T>
Var<T> pearson_correlation(const Var<T>& x, Axis axis, CorrelationOptions options) {
  const Var<T> rows = variables_by_observations(x, axis), values = rows.detach();
  const Var<T> constant = equal(max(values, -1, {.keep = true}), min(values, -1, {.keep = true}));
  const Var<T> zero(T(0)), one(T(1));
  const Var<T> centred = where(constant, zero, rows - mean(rows, -1, {.keep = true}));
  const Var<T> largest = max(abs(centred.detach()), -1, {.keep = true});
  const Var<T> scaled = centred / where(constant, one, largest);
  const Var<T> unit = scaled / where(constant, one, norm(scaled, -1, {.keep = true}));
  const Var<T> r = matmul(unit, unit, {.transpose_b = true});
  if (options.constant == Constant::zero) return r;
  const Var<T> undefined = maximum(constant, swap_axes(constant, -1, -2));
  return where(undefined, Var<T>(std::numeric_limits<T>::quiet_NaN()), r);
}

template Var<float> pearson_correlation(const Var<float>&, Axis, CorrelationOptions);
template Var<double> pearson_correlation(const Var<double>&, Axis, CorrelationOptions);

}  // namespace axisgrad
