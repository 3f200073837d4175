// Softmax and its logarithm over rows and down columns, with their ways back.
#pragma once
#include <axisgrad/autograd/kernels/arch/gemm_pack.hpp>
#include <axisgrad/autograd/kernels/arch/math.hpp>
#include <axisgrad/autograd/kernels/arch/sums.hpp>

namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE {
namespace {

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

template <class V>
V log_of(const V& sum) {
  return xsimd::select(sum == V(0), V(0), V(log(sum)));
}

// Flattened: exp stands in the loop, it is not called for each vector.
template <class T>
[[gnu::flatten]] void softmax_columns(Index n, Index stride, Index columns, const T* x, T* y) {
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

template <class T, class Columns>
void on_side(Index rows, Index n, const T* x, T* y, Columns columns) {
  constexpr Index w = lanes<T>;
  Side<T> side;
  for (Index r = 0; r < rows; r += w, x += w * n, y += w * n) {
    const Index m = rows - r < w ? rows - r : w;
    side.from(m, n, x);
    columns(n, w, w, side.t, side.t);
    side.to(m, n, y);
  }
}
// The same for backward, of the results and their cotangents.
template <class T, class Columns>
void on_side(Index rows, Index n, const T* y, const T* g, T* dx, Columns columns) {
  constexpr Index w = lanes<T>;
  Side<T> of_y, of_g;
  for (Index r = 0; r < rows; r += w, y += w * n, g += w * n, dx += w * n) {
    const Index m = rows - r < w ? rows - r : w;
    of_y.from(m, n, y), of_g.from(m, n, g);
    columns(n, w, w, of_y.t, of_g.t, of_g.t);
    of_g.to(m, n, dx);
  }
}

template <class T>
Vec<T> shift_of_row(Index n, const T* x) {
  Vec<T> most(-infinity<T>);
  by_vector<T>(n, [&](Index j, auto k) { most = xsimd::max(most, load(x + j, k, -infinity<T>)); });
  return shift_of(Vec<T>(across<T>(most)));
}

template <class T>
[[gnu::flatten]] void softmax_rows(Index rows, Index n, const T* x, T* y) {
  using V = Vec<T>;
  if (n < lanes<T>) return on_side(rows, n, x, y, &softmax_columns<T>);
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const V m = shift_of_row(n, x);
    const T sum = sum_of<T>(n, [&](Index j, auto k) {
      const V e = first(Vec<T>(exp(load(x + j, k) - m)), k);
      store(e, y + j, k);
      return e;
    });
    const V scale = scale_of(V(sum));
    by_vector<T>(n, [&](Index j, auto k) { store(load(y + j, k) * scale, y + j, k); });
  }
}

// Along rows that come in pieces: see table.hpp.
template <class T>
[[gnu::flatten]] void softmax_piece(Index rows, Index n, T* x, T* most, T* sum, T* shrink) {
  using V = Vec<T>;
  for (Index r = 0; r < rows; ++r, x += n) {
    V top(most[r]);
    by_vector<T>(n, [&](Index j, auto k) { top = xsimd::max(top, load(x + j, k, -infinity<T>)); });
    const T now = across<T>(top);
    const V m = shift_of(V(now));
    const T added = sum_of<T>(n, [&](Index j, auto k) {
      const V e = first(Vec<T>(exp(load(x + j, k) - m)), k);
      store(e, x + j, k);
      return e;
    });
    shrink[r] = most[r] == now ? T(1) : V(exp(V(most[r]) - m)).get(0);
    most[r] = now;
    sum[r] = sum[r] * shrink[r] + added;
  }
}
template <class T>
void softmax_end(Index rows, const T* sum, T* most, T* inverse) {
  by_vector<T>(rows, [&](Index r, auto k) {
    store(shift_of(load(most + r, k)), most + r, k);
    store(scale_of(load(sum + r, k)), inverse + r, k);
  });
}
template <class T>
[[gnu::flatten]] void softmax_again(Index rows, Index n, const T* x, const T* most,
                                    const T* inverse, T* y) {
  using V = Vec<T>;
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const V m(most[r]), scale(inverse[r]);
    by_vector<T>(n, [&](Index j, auto k) { store(V(exp(load(x + j, k) - m)) * scale, y + j, k); });
  }
}
template <class T>
[[gnu::flatten]] void softmax_backward_again(Index rows, Index n, T* x, const T* most,
                                             const T* inverse, const T* d, T* g) {
  using V = Vec<T>;
  for (Index r = 0; r < rows; ++r, x += n, g += n) {
    const V m(most[r]), scale(inverse[r]), less(d[r]);
    by_vector<T>(n, [&](Index j, auto k) {
      const V y = V(exp(load(x + j, k) - m)) * scale;
      store(y, x + j, k);
      store(y * (load(g + j, k) - less), g + j, k);
    });
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
  if (4 * n <= lanes<T>) return on_side(rows, n, y, g, dx, &softmax_backward_columns<T>);
  for (Index r = 0; r < rows; ++r, y += n, g += n, dx += n) {
    const Vec<T> s(sum_of<T>(n, [&](Index j, auto k) { return load(y + j, k) * load(g + j, k); }));
    by_vector<T>(n,
                 [&](Index j, auto k) { store(load(y + j, k) * (load(g + j, k) - s), dx + j, k); });
  }
}

// y = (x - m) - log(sum(e^(x-m))), in this order: x - m is exact for large x. Nothing but -inf
// stays so, and passes no gradient:
//   dx = g - e^y sum(g)
template <class T>
void log_softmax_columns(Index n, Index stride, Index columns, const T* x, T* y) {
  using V = Vec<T>;
  by_vector<T>(columns, [&](Index c, auto k) {
    V most(-infinity<T>);
    for (Index i = 0; i < n; ++i) most = xsimd::max(most, load(x + i * stride + c, k));
    const V m = shift_of(most);
    V sum[1];
    sum_down(n, sum, [&](Index i, int) { return V(exp(load(x + i * stride + c, k) - m)); });
    const V less = log_of(sum[0]);
    for (Index i = 0; i < n; ++i)
      store(load(x + i * stride + c, k) - m - less, y + i * stride + c, k);
  });
}

template <class T>
void log_softmax_rows(Index rows, Index n, const T* x, T* y) {
  using V = Vec<T>;
  if (n < lanes<T>) return on_side(rows, n, x, y, &log_softmax_columns<T>);
  for (Index r = 0; r < rows; ++r, x += n, y += n) {
    const V m = shift_of_row(n, x);
    const V less = log_of(
        V(sum_of<T>(n, [&](Index j, auto k) { return first(V(exp(load(x + j, k) - m)), k); })));
    by_vector<T>(n, [&](Index j, auto k) { store(load(x + j, k) - m - less, y + j, k); });
  }
}

template <class T>
void log_softmax_backward_columns(Index n, Index stride, Index columns, const T* y, const T* g,
                                  T* dx) {
  using V = Vec<T>;
  by_vector<T>(columns, [&](Index c, auto k) {
    V most(-infinity<T>), s[1];
    sum_down(n, s, [&](Index i, int) {
      most = xsimd::max(most, load(y + i * stride + c, k));
      return load(g + i * stride + c, k);
    });
    const auto dead = most == V(-infinity<T>);
    for (Index i = 0; i < n; ++i) {
      const Index o = i * stride + c;
      const V d = load(g + o, k) - V(exp(load(y + o, k))) * s[0];
      store(V(xsimd::select(dead, V(T(0)), d)), dx + o, k);
    }
  });
}

template <class T>
void log_softmax_backward_rows(Index rows, Index n, const T* y, const T* g, T* dx) {
  using V = Vec<T>;
  if (n < lanes<T>) return on_side(rows, n, y, g, dx, &log_softmax_backward_columns<T>);
  for (Index r = 0; r < rows; ++r, y += n, g += n, dx += n) {
    V most(-infinity<T>);
    const V s(sum_of<T>(n, [&](Index j, auto k) {
      most = xsimd::max(most, load(y + j, k, -infinity<T>));
      return load(g + j, k);
    }));
    const auto dead = V(across<T>(most)) == V(-infinity<T>);
    by_vector<T>(n, [&](Index j, auto k) {
      const V d = load(g + j, k) - V(exp(load(y + j, k))) * s;
      store(V(xsimd::select(dead, V(T(0)), d)), dx + j, k);
    });
  }
}

}  // namespace
}  // namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE
