// Sums of a row or down columns, and what goes across the lanes of a vector.
#pragma once
#include <limits>

#include <axisgrad/autograd/kernels/arch/vector.hpp>

namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE {
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

}  // namespace
}  // namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE
