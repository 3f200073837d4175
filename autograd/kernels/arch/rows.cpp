// Sums, maxima and softmax over rows and down columns.
#include <limits>

#include <axisgrad/autograd/kernels/arch/gemm_pack.hpp>
#include <axisgrad/autograd/kernels/arch/math.hpp>
#include <axisgrad/autograd/kernels/arch/vector.hpp>

namespace axisgrad::kernels {
namespace AXISGRAD_ARCH_SPACE {
namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

// The sum of many vectors as a binary tree, whose error grows with the logarithm of their number: a
// counter in which two sums of equal size are added as soon as both are there.
template <class V, int N>
struct Tree {
  V level[48][N];
  unsigned long count = 0;
  int top = 0;

  [[gnu::always_inline]] void add(V (&s)[N]) {
    for (unsigned long c = count++; c & 1; c >>= 1) {
      --top;
      for (int i = 0; i < N; ++i) s[i] = level[top][i] + s[i];
    }
    for (int i = 0; i < N; ++i) level[top][i] = s[i];
    ++top;
  }
  [[gnu::always_inline]] void total(V (&s)[N]) {  // s: what is left over
    while (top) {
      --top;
      for (int i = 0; i < N; ++i) s[i] = level[top][i] + s[i];
    }
  }
};

// The sum of f(j, n) over the vectors of a row of `size`; f returns zeros beyond the end.
template <class T, class F>
[[gnu::always_inline]] inline T sum_of(Index size, F f) {
  using V = Vec<T>;
  constexpr Index w = lanes<T>;
  Index j = 0;
  V s[1] = {V(T(0))};
  if (size >= 8 * w) {
    Tree<V, 1> tree;
    for (; j + 8 * w <= size; j += 8 * w) {
      const Whole<T> n;
      V a = f(j, n), b = f(j + w, n), c = f(j + 2 * w, n), d = f(j + 3 * w, n);
      a = a + f(j + 4 * w, n), b = b + f(j + 5 * w, n);
      c = c + f(j + 6 * w, n), d = d + f(j + 7 * w, n);
      V leaf[1] = {(a + b) + (c + d)};
      tree.add(leaf);
    }
    by_vector<T>(size - j, [&](Index i, auto n) { s[0] = s[0] + f(j + i, n); });
    tree.total(s);
  } else {
    by_vector<T>(size, [&](Index i, auto n) { s[0] = s[0] + f(i, n); });
  }
  return xsimd::hadd(s[0]);
}

// The same down columns: f(i) for rows 0..size, N vectors at a time.
template <int N, class V, class F>
[[gnu::always_inline]] inline void sum_down(Index size, V (&s)[N], F f) {
  constexpr Index leaf_rows = 8;
  for (int v = 0; v < N; ++v) s[v] = V(0);
  Index i = 0;
  if (size > leaf_rows) {
    Tree<V, N> tree;
    for (; i + leaf_rows <= size; i += leaf_rows) {
      V leaf[N];
      for (int v = 0; v < N; ++v) leaf[v] = f(i, v);
      for (Index r = 1; r < leaf_rows; ++r)
        for (int v = 0; v < N; ++v) leaf[v] = leaf[v] + f(i + r, v);
      tree.add(leaf);
    }
    for (; i < size; ++i)
      for (int v = 0; v < N; ++v) s[v] = s[v] + f(i, v);
    tree.total(s);
  } else {
    for (; i < size; ++i)
      for (int v = 0; v < N; ++v) s[v] = s[v] + f(i, v);
  }
}

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
T across(const Vec<T>& v) {  // the largest lane; none is NaN. A chain of 16 scalars takes 20 ns
  using Q = xsimd::batch<T, xsimd::sse2>;
  alignas(64) T t[lanes<T>];
  v.store_aligned(t);
  Q m = Q::load_aligned(t);
  for (Index l = Q::size; l < lanes<T>; l += Q::size) m = xsimd::max(m, Q::load_aligned(t + l));
  m.store_aligned(t);
  T most = t[0];
  for (Index l = 1; l < Index(Q::size); ++l) most = t[l] > most ? t[l] : most;
  return most;
}

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

// y = e^(x-m) / sum(e^(x-m)), m the largest of x. Nothing but -inf: m counts as 0 and 1/sum as 0,
// so that the result is 0. A NaN, or +inf, makes the sum NaN, and with it the whole row.
template <class V>
V shift_of(const V& most) {
  return xsimd::select(most == V(-infinity<typename V::value_type>), V(0), most);
}
template <class V>
V scale_of(const V& sum) {
  return xsimd::select(sum == V(0), V(0), V(1) / sum);
}

template <class T>
void softmax_columns(Index n, Index stride, Index columns, const T* x, T* y) {
  using V = Vec<T>;
  by_vector<T>(columns, [&](Index c, auto k) {
    V most(-infinity<T>);
    for (Index i = 0; i < n; ++i) most = xsimd::max(most, load(x + i * stride + c, k));
    const V m = shift_of(most);
    V sum[1];
    sum_down(n, sum, [&](Index i, int) {
      const V e = exp(load(x + i * stride + c, k) - m);
      store(e, y + i * stride + c, k);
      return e;
    });
    const V scale = scale_of(sum[0]);
    for (Index i = 0; i < n; ++i) store(load(y + i * stride + c, k) * scale, y + i * stride + c, k);
  });
}

// Rows shorter than a vector: as many as there are lanes are turned on their side and treated as
// columns, the last ones together with rows of zeros, so that the place of a row does not matter.
// What a row by itself costs is the way across its lanes, for the maximum and for the sum. Backward
// has two arrays to turn and one sum only: it pays for a quarter of a vector.
template <class T>
struct Side {
  static constexpr Index w = lanes<T>;
  alignas(64) T t[w * w];  // element j of row l: t[j * w + l]

  void from(Index m, Index n, const T* x) {
    transpose(m, n, x, n, t, w);
    if (m < w)
      for (Index j = 0; j < n; ++j)
        for (Index l = m; l < w; ++l) t[j * w + l] = T(0);
  }
  void to(Index m, Index n, T* y) const { transpose(n, m, t, w, y, n); }
};

template <class T>
void softmax_short_rows(Index rows, Index n, const T* x, T* y) {
  constexpr Index w = lanes<T>;
  Side<T> side;
  for (Index r = 0; r < rows; r += w, x += w * n, y += w * n) {
    const Index m = rows - r < w ? rows - r : w;
    side.from(m, n, x);
    softmax_columns<T>(n, w, w, side.t, side.t);
    side.to(m, n, y);
  }
}

template <class T>
void softmax_rows(Index rows, Index n, const T* x, T* y) {
  using V = Vec<T>;
  if (n < lanes<T>) return softmax_short_rows(rows, n, x, y);
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    V most(-infinity<T>);
    by_vector<T>(n,
                 [&](Index j, auto k) { most = xsimd::max(most, load(x + j, k, -infinity<T>)); });
    const V m = shift_of(V(across<T>(most)));
    const T sum = sum_of<T>(n, [&](Index j, auto k) {
      const V e = first(Vec<T>(exp(load(x + j, k) - m)), k);
      store(e, y + j, k);
      return e;
    });
    const V scale = scale_of(V(sum));
    by_vector<T>(n, [&](Index j, auto k) { store(load(y + j, k) * scale, y + j, k); });
  }
}

// dx = y (g - sum(y g))
template <class T>
void softmax_backward_columns(Index n, Index stride, Index columns, const T* y, const T* g, T* dx) {
  by_vector<T>(columns, [&](Index c, auto k) {
    Vec<T> s[1];
    sum_down(n, s, [&](Index i, int) {
      return load(y + i * stride + c, k) * load(g + i * stride + c, k);
    });
    for (Index i = 0; i < n; ++i) {
      const Index o = i * stride + c;
      store(load(y + o, k) * (load(g + o, k) - s[0]), dx + o, k);
    }
  });
}

template <class T>
void softmax_backward_rows(Index rows, Index n, const T* y, const T* g, T* dx) {
  constexpr Index w = lanes<T>;
  if (4 * n <= w) {
    Side<T> of_y, of_g;
    for (Index r = 0; r < rows; r += w, y += w * n, g += w * n, dx += w * n) {
      const Index m = rows - r < w ? rows - r : w;
      of_y.from(m, n, y), of_g.from(m, n, g);
      softmax_backward_columns<T>(n, w, w, of_y.t, of_g.t, of_g.t);
      of_g.to(m, n, dx);
    }
    return;
  }
  for (Index r = 0; r < rows; ++r, y += n, g += n, dx += n) {
    const Vec<T> s(sum_of<T>(n, [&](Index j, auto k) { return load(y + j, k) * load(g + j, k); }));
    by_vector<T>(n,
                 [&](Index j, auto k) { store(load(y + j, k) * (load(g + j, k) - s), dx + j, k); });
  }
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
    .sum_columns = &sum_columns<T>,
    .max_columns = &max_columns<T>,
    .softmax_columns = &softmax_columns<T>,
    .softmax_backward_rows = &softmax_backward_rows<T>,
    .softmax_backward_columns = &softmax_backward_columns<T>,
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
