// Sums, maxima, layer norm over rows and down columns; softmax is in softmax.hpp.
#include <axisgrad/autograd/kernels/arch/softmax.hpp>
#include <axisgrad/autograd/kernels/arch/sums.hpp>

namespace axisgrad::kernels {
namespace AXISGRAD_ARCH_SPACE {
namespace {

template <class T>
void sum_rows(Index rows, Index n, const T* x, T* y) {
  for (Index r = 0; r < rows; ++r, x += n)
    y[r] = sum_of<T>(n, [&](Index j, auto k) { return load(x + j, k); });
}

template <class T>
void sum_columns(Index n, Index stride, Index columns, const T* x, T* y) {
  constexpr Index w = lanes<T>, wide = 4 * w;
  Index c = 0;
  for (; c + wide <= columns; c += wide) {  // four vectors abreast: whole cache lines of each row
    Vec<T> s[4];
    sum_down(n, s, [&](Index i, int v) { return load(x + i * stride + c + v * w); });
    for (int v = 0; v < 4; ++v) store(s[v], y + c + v * w);
  }
  by_vector<T>(columns - c, [&](Index j, auto k) {
    Vec<T> s[1];
    sum_down(n, s, [&](Index i, int) { return load(x + i * stride + c + j, k); });
    store(s[0], y + c + j, k);
  });
}

// x86's maximum of a NaN and a number is either, by position: NaNs are looked for apart.
template <class T>
struct Max {
  Vec<T> m = Vec<T>(-infinity<T>);
  xsimd::batch_bool<T> nan = xsimd::batch_bool<T>(false);
  [[gnu::always_inline]] void add(const Vec<T>& x) {
    nan = nan | xsimd::isnan(x);
    m = xsimd::max(m, x);
  }
  Vec<T> lanewise() const {
    return xsimd::select(nan, Vec<T>(std::numeric_limits<T>::quiet_NaN()), m);
  }
};

template <class T>
void max_rows(Index rows, Index n, const T* x, T* y) {
  for (Index r = 0; r < rows; ++r, x += n) {
    Max<T> m;
    by_vector<T>(n, [&](Index j, auto k) { m.add(load(x + j, k, -infinity<T>)); });
    y[r] = xsimd::any(m.nan) ? std::numeric_limits<T>::quiet_NaN() : across<T>(m.m);
  }
}

template <class T>
void max_columns(Index n, Index stride, Index columns, const T* x, T* y) {
  by_vector<T>(columns, [&](Index c, auto k) {
    Max<T> m;
    for (Index i = 0; i < n; ++i) m.add(load(x + i * stride + c, k));
    store(m.lanewise(), y + c, k);
  });
}

template <class T>
void layer_norm(Index rows, Index n, const T* x, const T* gamma, const T* beta, T epsilon, T* y,
                T* mean, T* inverse) {
  using V = Vec<T>;
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const T m = sum_of<T>(n, [&](Index j, auto k) { return load(x + j, k); }) / T(n);
    const T squares = sum_of<T>(n, [&](Index j, auto k) {
      const V d = load(x + j, k, m) - V(m);  // 0 beyond the end
      return d * d;
    });
    const T i = T(1) / T(__builtin_sqrt(double(squares / T(n) + epsilon)));
    mean[r] = m, inverse[r] = i;
    by_vector<T>(n, [&](Index j, auto k) {
      const V x_hat = (load(x + j, k) - V(m)) * V(i);
      store(fused(x_hat, load(gamma + j, k), load(beta + j, k)), y + j, k);
    });
  }
}

template <class T>
void layer_norm_backward(Index rows, Index n, const T* x, const T* gamma, const T* mean,
                         const T* inverse, const T* g, T* dx, T* dgamma, T* dbeta) {
  using V = Vec<T>;
  for (Index r = 0; r < rows; ++r, x += n, g += n, dx += n) {
    const V m(mean[r]), i(inverse[r]);
    V of_h(T(0)), of_product(T(0));
    by_vector<T>(n, [&](Index j, auto k) {
      const V x_hat = (load(x + j, k, mean[r]) - m) * i, up = load(g + j, k);
      const V h = up * load(gamma + j, k);
      of_h = of_h + h, of_product = fused(h, x_hat, of_product);
      store(fused(up, x_hat, load(dgamma + j, k)), dgamma + j, k);
      store(up + load(dbeta + j, k), dbeta + j, k);
    });
    const V a(xsimd::hadd(of_h) / T(n)), b(xsimd::hadd(of_product) / T(n));
    by_vector<T>(n, [&](Index j, auto k) {
      const V x_hat = (load(x + j, k) - m) * i, h = load(g + j, k) * load(gamma + j, k);
      store((h - a - x_hat * b) * i, dx + j, k);
    });
  }
}

template <class T>
constexpr RowKernels<T> kernels = {
    .sum_rows = &sum_rows<T>,
    .max_rows = &max_rows<T>,
    .softmax_rows = &softmax_rows<T>,
    .log_softmax_rows = &log_softmax_rows<T>,
    .sum_columns = &sum_columns<T>,
    .max_columns = &max_columns<T>,
    .softmax_columns = &softmax_columns<T>,
    .log_softmax_columns = &log_softmax_columns<T>,
    .softmax_backward_rows = &softmax_backward_rows<T>,
    .log_softmax_backward_rows = &log_softmax_backward_rows<T>,
    .softmax_backward_columns = &softmax_backward_columns<T>,
    .log_softmax_backward_columns = &log_softmax_backward_columns<T>,
    .softmax_piece = &softmax_piece<T>,
    .softmax_end = &softmax_end<T>,
    .softmax_again = &softmax_again<T>,
    .softmax_backward_again = &softmax_backward_again<T>,
    .layer_norm = &layer_norm<T>,
    .layer_norm_backward = &layer_norm_backward<T>,
};

}  // namespace
}  // namespace AXISGRAD_ARCH_SPACE

template <>
const RowKernels<float>& row_kernels<Arch::AXISGRAD_ARCH_NAME, float>() {
  return AXISGRAD_ARCH_SPACE::kernels<float>;
}
template <>
const RowKernels<double>& row_kernels<Arch::AXISGRAD_ARCH_NAME, double>() {
  return AXISGRAD_ARCH_SPACE::kernels<double>;
}

}  // namespace axisgrad::kernels
