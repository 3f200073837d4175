#include <cmath>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/data/cholesky.hpp>

namespace axisgrad {

void solve_positive_definite(Tensor<double>& a, Tensor<double>& b, std::string_view where) {
  const Size n = a.shape()[0], k = b.shape()[1];
  double *l = a.mutable_data(), *w = b.mutable_data();
  for (Size j = 0; j < n; ++j)
    for (Size i = j; i < n; ++i) {
      double s = l[i * n + j];
      for (Size p = 0; p < j; ++p) s -= l[i * n + p] * l[j * n + p];
      if (i == j && !(s > 0))
        fail(where, "the data does not determine the solution (pivot ", j, " is ", s,
             "): give a larger ridge");
      l[i * n + j] = i == j ? std::sqrt(s) : s / l[j * n + j];
    }
  const auto eliminate = [&](Size from, Size row, double factor) {
    for (Size c = 0; c < k; ++c) w[row * k + c] -= factor * w[from * k + c];
  };
  const auto divide = [&](Size row) {
    for (Size c = 0; c < k; ++c) w[row * k + c] /= l[row * n + row];
  };
  for (Size i = 0; i < n; divide(i), ++i)
    for (Size p = 0; p < i; ++p) eliminate(p, i, l[i * n + p]);
  for (Size i = n; i-- > 0; divide(i))
    for (Size p = i + 1; p < n; ++p) eliminate(p, i, l[p * n + i]);
}

}  // namespace axisgrad
