#include <axisgrad/autograd/kernels/layer_norm.hpp>
#include <axisgrad/autograd/kernels/reduce.hpp>
#include <axisgrad/autograd/kernels/softmax.hpp>

#include "common.hpp"

namespace axisgrad::kernels {
namespace {

template <class T>
constexpr T inf = std::numeric_limits<T>::infinity();
template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr double eps = std::numeric_limits<T>::epsilon();

const std::vector<Extent> extents = {
    {1, 1, 1},    {3, 4, 1},     {5, 7, 1}, {70, 3, 1}, {33, 2, 1},  {9, 17, 1},  {4, 100, 1},
    {2, 1000, 1}, {1, 40000, 1}, {2, 3, 2}, {3, 5, 7},  {1, 9, 33},  {2, 40, 65}, {2, 100, 130},
    {1, 5000, 3}, {3, 1, 20},    {0, 3, 4}, {3, 4, 0},  {7, 321, 1}, {1, 700, 40}};

// f(line): the offset of each line's first element; its others are `inner` apart.
template <class F>
void lines(const Extent& e, F f) {
  for (Index o = 0; o < e.outer; ++o)
    for (Index i = 0; i < e.inner; ++i) f(o * e.n * e.inner + i, o * e.inner + i);
}

template <class T>
void check_values(const Extent& e) {
  CAPTURE(e.outer);
  CAPTURE(e.n);
  CAPTURE(e.inner);
  std::mt19937 g(2);
  const Index size = e.outer * e.n * e.inner;
  auto x = normal<T>(g, size);
  const auto cotangent = normal<T>(g, size);
  for (T& v : x) v *= 4;
  std::vector<T> sums(e.outer * e.inner, 7), most = sums, y(size), dx(size);
  sum(e, x.data(), sums.data());
  max(e, x.data(), most.data());
  softmax(e, x.data(), y.data());
  softmax_backward(e, y.data(), cotangent.data(), dx.data());
  std::vector<T> log_y(size), log_dx(size);
  log_softmax(e, x.data(), log_y.data());
  log_softmax_backward(e, log_y.data(), cotangent.data(), log_dx.data());
  double worst_sum = 0, worst_y = 0, worst_dx = 0, worst_log = 0, worst_log_dx = 0;
  bool right_max = true;
  lines(e, [&](Index at, Index line) {
    long double s = 0, a = 0, m = -inf<T>, z = 0, dot = 0, dots = 0, up = 0, ups = 0;
    for (Index k = 0; k < e.n; ++k) {
      const long double v = x[at + k * e.inner];
      s += v, a += std::abs(v), m = std::max(m, v);
    }
    for (Index k = 0; k < e.n; ++k) z += std::exp(x[at + k * e.inner] - m);
    for (Index k = 0; k < e.n; ++k) {
      const Index i = at + k * e.inner;
      dot += (long double)y[i] * cotangent[i], dots += std::abs((long double)y[i] * cotangent[i]);
      const long double exact = std::exp(x[i] - m) / z, log = x[i] - m - std::log(z);
      keep_worst(worst_y, double(std::abs(y[i] - exact) / (exact + 1e-35L)));
      keep_worst(worst_log, double(std::abs(log_y[i] - log) / (m - x[i] + std::log(z) + 1)));
      up += cotangent[i], ups += std::abs((long double)cotangent[i]);
    }
    for (Index k = 0; k < e.n; ++k) {
      const Index i = at + k * e.inner;
      const long double exact = y[i] * (cotangent[i] - dot);
      keep_worst(worst_dx, double(std::abs(dx[i] - exact) /
                                  (y[i] * (std::abs(cotangent[i]) + dots) + 1e-35L)));
      const long double p = std::exp((long double)log_y[i]), log_exact = cotangent[i] - p * up;
      keep_worst(worst_log_dx, double(std::abs(log_dx[i] - log_exact) /
                                      (std::abs(cotangent[i]) + p * ups + 1e-35L)));
    }
    keep_worst(worst_sum, double(std::abs(sums[line] - s) / (a + 1e-300L)));
    right_max = right_max && most[line] == T(m);
  });
  CHECK(worst_sum < 6 * eps<T>);
  CHECK(right_max);
  CHECK(worst_y < 20 * eps<T>);
  CHECK(worst_dx < 8 * eps<T>);
  CHECK(worst_log < 4 * eps<T>);
  CHECK(worst_log_dx < 8 * eps<T>);
  auto in_place = x;
  softmax(e, in_place.data(), in_place.data());
  CHECK(same_bits(in_place, y));
  auto over = cotangent;
  softmax_backward(e, y.data(), over.data(), over.data());
  CHECK(same_bits(over, dx));
  in_place = x, over = cotangent;
  log_softmax(e, in_place.data(), in_place.data());
  CHECK(same_bits(in_place, log_y));
  log_softmax_backward(e, log_y.data(), over.data(), over.data());
  CHECK(same_bits(over, log_dx));
}

// A line of each kind beside ordinary ones.
template <class T>
void check_edges(const Extent& e) {
  if (e.outer * e.inner < 1 || e.n < 3) return;
  CAPTURE(e.outer);
  CAPTURE(e.n);
  CAPTURE(e.inner);
  std::mt19937 g(4);
  auto x = normal<T>(g, e.outer * e.n * e.inner);
  lines(e, [&](Index at, Index line) {
    auto set = [&](Index k, T v) { x[at + k * e.inner] = v; };
    const int kind = int(line % 6);
    if (kind == 0)
      for (Index k = 0; k < e.n; ++k) set(k, -inf<T>);
    if (kind == 1) set(e.n - 1, nan<T>);
    if (kind == 2) set(0, nan<T>), set(1, inf<T>);
    if (kind == 3) set(1, inf<T>);
    if (kind == 4)
      for (Index k = 1; k < e.n; ++k) set(k, -inf<T>);
  });
  std::vector<T> y(x.size()), log_y(x.size()), log_dx(x.size()), most(e.outer * e.inner);
  softmax(e, x.data(), y.data());
  log_softmax(e, x.data(), log_y.data());
  const auto cotangent = normal<T>(g, x.size());
  log_softmax_backward(e, log_y.data(), cotangent.data(), log_dx.data());
  max(e, x.data(), most.data());
  bool softmax_right = true, log_right = true, max_right = true;
  lines(e, [&](Index at, Index line) {
    const int kind = int(line % 6);
    for (Index k = 0; k < e.n; ++k) {
      const T v = y[at + k * e.inner];
      const bool right = kind == 0   ? v == 0
                         : kind <= 3 ? std::isnan(v)
                         : kind == 4 ? v == (k == 0 ? T(1) : T(0))
                                     : v > 0 && v <= 1;
      softmax_right = softmax_right && right;
      const T l = log_y[at + k * e.inner], d = log_dx[at + k * e.inner];
      log_right = log_right && (kind == 0   ? l == -inf<T> && d == 0
                                : kind <= 3 ? std::isnan(l)
                                : kind == 4 ? l == (k == 0 ? T(0) : -inf<T>)
                                            : l <= 0 && std::isfinite(d));
    }
    const T m = most[line];
    max_right = max_right && (kind == 0   ? m == -inf<T>
                              : kind <= 2 ? std::isnan(m)
                              : kind == 3 ? m == inf<T>
                                          : std::isfinite(m));
  });
  CHECK(softmax_right);
  CHECK(log_right);
  CHECK(max_right);
}

template <class T>
void check_accuracy() {
  const Index million = 1000000;
  const T v = T(1) / T(255);
  const std::vector<T> x(2 * million, v);
  T y[2];
  auto error = [&](T sum) { return std::abs(double(sum) / (double(v) * million) - 1); };
  sum(Extent{1, million, 1}, x.data(), y);
  CHECK(error(y[0]) < 1e-6);
  sum(Extent{1, million, 2}, x.data(), y);
  CHECK(error(y[0]) < 1e-6);
  CHECK(error(y[1]) < 1e-6);
  const std::vector<T> ones(20000000, T(1));
  sum(Extent{1, Index(ones.size()), 1}, ones.data(), y);
  CHECK(y[0] / T(ones.size()) == 1);
  sum(Extent{1, Index(ones.size()) / 2, 2}, ones.data(), y);
  CHECK(y[1] / T(ones.size() / 2) == 1);
}

template <class T>
void check_threads() {
  std::mt19937 g(9);
  for (const Extent& e : {Extent{1, 900000, 1},
                          {3000, 300, 1},
                          {1, 3000, 300},
                          {30, 100, 300},
                          {60000, 5, 1},
                          {2, 300000, 2},
                          {1, 7, 100000}}) {
    CAPTURE(e.outer);
    CAPTURE(e.n);
    CAPTURE(e.inner);
    const auto x = normal<T>(g, e.outer * e.n * e.inner), c = normal<T>(g, x.size());
    std::vector<T> s[2], m[2], y[2], dx[2];
    for (int t : {0, 1}) {
      const Threads use(t + 1);
      s[t].resize(e.outer * e.inner), m[t] = s[t], y[t].resize(x.size()), dx[t] = y[t];
      sum(e, x.data(), s[t].data());
      max(e, x.data(), m[t].data());
      softmax(e, x.data(), y[t].data());
      softmax_backward(e, y[t].data(), c.data(), dx[t].data());
    }
    CHECK(same_bits(s[0], s[1]));
    CHECK(same_bits(m[0], m[1]));
    CHECK(same_bits(y[0], y[1]));
    CHECK(same_bits(dx[0], dx[1]));
  }
}

// What layer_norm and its way back write, one buffer after the other.
template <class T>
std::vector<T> layer_norm_of(Index rows, Index n, const std::vector<T>& x,
                             const std::vector<T>& gamma, const std::vector<T>& beta, T epsilon,
                             const std::vector<T>& g) {
  std::vector<T> out(2 * rows * n + 2 * rows + 2 * n, T(7));
  T *y = out.data(), *dx = y + rows * n, *mean = dx + rows * n, *inverse = mean + rows;
  T* dgamma = inverse + rows;
  layer_norm(rows, n, x.data(), gamma.data(), beta.data(), epsilon, y, mean, inverse);
  layer_norm_backward(rows, n, x.data(), gamma.data(), mean, inverse, g.data(), dx, dgamma,
                      dgamma + n);
  return out;
}

template <class T>
void check_layer_norm(Index rows, Index n) {
  CAPTURE(rows);
  CAPTURE(n);
  std::mt19937 r(4);
  auto x = normal<T>(r, rows * n);
  for (T& v : x) v = 3 * v + 1;
  const auto gamma = normal<T>(r, n), beta = normal<T>(r, n), g = normal<T>(r, rows * n);
  const T epsilon = T(1e-3);
  const auto out = layer_norm_of(rows, n, x, gamma, beta, epsilon, g);
  std::vector<long double> exact(out.size(), 0), size(out.size(), 1);
  const Index dx = rows * n, mean = 2 * rows * n, dgamma = mean + 2 * rows, dbeta = dgamma + n;
  for (Index i = 0; i < rows; ++i) {
    long double m = 0, q = 0, h = 0, p = 0;
    for (Index j = 0; j < n; ++j) m += (long double)x[i * n + j] / n;
    for (Index j = 0; j < n; ++j) q += (x[i * n + j] - m) * (x[i * n + j] - m) / n;
    const long double inverse = 1 / std::sqrt(q + epsilon);
    exact[mean + i] = m, exact[mean + rows + i] = inverse;
    auto x_hat = [&](Index j) { return (x[i * n + j] - m) * inverse; };
    for (Index j = 0; j < n; ++j) {
      const long double up = (long double)g[i * n + j] * gamma[j];
      h += up / n, p += up * x_hat(j) / n;
    }
    for (Index j = 0; j < n; ++j) {
      const Index at = i * n + j;
      exact[at] = x_hat(j) * gamma[j] + beta[j];
      exact[dx + at] = inverse * ((long double)g[at] * gamma[j] - h - x_hat(j) * p);
      size[dx + at] = 1 + inverse;  // dx grows with the inverse where a row is nearly constant
      exact[dgamma + j] += g[at] * x_hat(j), size[dgamma + j] += std::abs(g[at] * x_hat(j));
      exact[dbeta + j] += g[at], size[dbeta + j] += std::abs((long double)g[at]);
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, double(std::abs(out[i] - exact[i]) / (size[i] + std::abs(exact[i]))));
  CHECK(worst < 100 * eps<T>);
}

template <class T>
void check_layer_norm_threads() {
  std::mt19937 r(4);
  for (const auto& size : {std::pair<Index, Index>{3000, 100}, {20000, 13}}) {
    const Index rows = size.first, n = size.second;
    const auto x = normal<T>(r, rows * n), gamma = normal<T>(r, n), g = normal<T>(r, rows * n);
    auto with = [&](int threads) {
      const Threads guard(threads);
      return layer_norm_of(rows, n, x, gamma, gamma, T(1e-3), g);
    };
    const auto one = with(1);
    CHECK(same_bits(one, with(2)));
    CHECK(same_bits(one, with(3)));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("sum, max and softmax against long double loops", T, float, double) {
  for_each_arch([] {
    for (const Extent& e : extents) check_values<T>(e);
  });
}
TEST_CASE_TEMPLATE("infinities and NaN in softmax and max", T, float, double) {
  for_each_arch([] {
    for (const Extent& e : extents) check_edges<T>(e);
    check_edges<T>({50, 4, 1});
    check_edges<T>({50, 40, 1});
    check_edges<T>({1, 6, 50});
  });
}
TEST_CASE_TEMPLATE("an empty axis sums to zero", T, float, double) {
  for_each_arch([] {
    T y[6] = {1, 1, 1, 1, 1, 1};
    sum<T>({2, 0, 3}, nullptr, y);
    for (T v : y) CHECK(v == 0);
    y[0] = 1;
    sum<T>({1, 0, 1}, nullptr, y);
    CHECK(y[0] == 0);
    max<T>({1, 0, 1}, nullptr, y);
    CHECK(y[0] == -inf<T>);
  });
}
TEST_CASE_TEMPLATE("long sums are accurate (C34)", T, float, double) {
  for_each_arch(check_accuracy<T>);
}
TEST_CASE_TEMPLATE("layer norm against its definition", T, float, double) {
  for_each_arch([] {
    for (Index n : {1, 2, 3, 5, 8, 16, 17, 31, 64, 100, 257})
      for (Index rows : {1, 3, 70, 600}) check_layer_norm<T>(rows, n);
  });
}
TEST_CASE_TEMPLATE("layer norm: any number of threads, the same bits", T, float, double) {
  for_each_arch(check_layer_norm_threads<T>);
}
TEST_CASE_TEMPLATE("rows and columns: any number of threads, the same bits", T, float, double) {
  for_each_arch(check_threads<T>);
}

}  // namespace axisgrad::kernels
