#include <algorithm>
#include <cstdlib>

#include <axisgrad/autograd/kernels/copy.hpp>

namespace axisgrad::kernels {
namespace {

struct Axis {
  Index size, in, out;
};
struct Axes {
  std::array<Axis, 8> axis;
  int rank = 0;
};

// The same set of index pairs with as few axes as possible, the one with the smallest output stride
// last. Axes of size 1 vanish; two that follow each other at equal steps in both views become one.
Axes collapse(int rank, const Index* sizes, const Index* in, const Index* out) {
  Axes a;
  for (int i = 0; i < rank; ++i)
    if (sizes[i] != 1) a.axis[a.rank++] = {sizes[i], in[i], out[i]};
  const auto outer = [](const Axis& p, const Axis& q) {
    const Index x = std::abs(p.out), y = std::abs(q.out);
    return x != y ? x > y : std::abs(p.in) > std::abs(q.in);
  };
  for (int i = 1; i < a.rank; ++i)  // by hand: std::stable_sort would allocate
    for (int j = i; j > 0 && outer(a.axis[j], a.axis[j - 1]); --j)
      std::swap(a.axis[j], a.axis[j - 1]);
  int n = 0;
  for (int i = 0; i < a.rank; ++i) {
    const Axis& next = a.axis[i];
    if (n && a.axis[n - 1].in == next.in * next.size && a.axis[n - 1].out == next.out * next.size)
      a.axis[n - 1] = {a.axis[n - 1].size * next.size, next.in, next.out};
    else
      a.axis[n++] = next;
  }
  a.rank = n;
  return a;
}

template <class T>
struct Copy {
  static void line(Index n, const T* in, Index si, T* out, Index so) {
    if (si == 1 && so == 1)
      std::copy(in, in + n, out);
    else if (si == 0 && so == 1)
      std::fill(out, out + n, *in);
    else
      for (Index i = 0; i < n; ++i) out[i * so] = in[i * si];
  }
  static void one(const T& in, T& out) { out = in; }
};

template <class T>
struct Add {
  static void line(Index n, const T* in, Index si, T* out, Index so) {
    if (so == 1 && si <= 1 && si >= 0 && n >= 8) {
      Run<T> run{1, n, {out, in}, {}, {1, si}, out};
      pointwise<formulas::add_op, T>().value(run);
    } else {
      for (Index i = 0; i < n; ++i) out[i * so] += in[i * si];
    }
  }
  static void one(const T& in, T& out) { out += in; }
};

// Both views step through memory along different axes: squares that keep the lines of both in L1.
template <class Do, class T>
void transposed(const Axis& r, const Axis& c, const T* in, T* out) {
  constexpr Index side = 64 / sizeof(T) * 2;
  for (Index i0 = 0; i0 < r.size; i0 += side)
    for (Index j0 = 0; j0 < c.size; j0 += side) {
      const Index i1 = std::min(i0 + side, r.size), j1 = std::min(j0 + side, c.size);
      for (Index i = i0; i < i1; ++i)
        for (Index j = j0; j < j1; ++j)
          Do::one(in[i * r.in + j * c.in], out[i * r.out + j * c.out]);
    }
}

template <class Do, class T>
void visit(int rank, const Index* sizes, const Index* in_strides, const T* in,
           const Index* out_strides, T* out) {
  for (int i = 0; i < rank; ++i)
    if (sizes[i] == 0) return;
  Axes a = collapse(rank, sizes, in_strides, out_strides);
  if (a.rank == 0) return Do::one(*in, *out);
  const Axis last = a.axis[--a.rank];
  // The axis along which the input is contiguous, if the last one is not it, is taken inside too.
  Axis across{1, 0, 0};
  if (last.in != 1 && last.in != 0 && last.out != 0)
    for (int i = 0; i < a.rank; ++i)
      if (a.axis[i].in == 1 && a.axis[i].out != 0) {
        across = a.axis[i];
        std::copy(a.axis.begin() + i + 1, a.axis.begin() + a.rank, a.axis.begin() + i);
        --a.rank;
        break;
      }
  std::array<Index, 8> at{};
  for (;;) {
    if (across.size > 1)
      transposed<Do>(across, last, in, out);
    else
      Do::line(last.size, in, last.in, out, last.out);
    int i = a.rank - 1;
    for (; i >= 0; --i) {
      in += a.axis[i].in, out += a.axis[i].out;
      if (++at[i] < a.axis[i].size) break;
      in -= a.axis[i].in * a.axis[i].size, out -= a.axis[i].out * a.axis[i].size, at[i] = 0;
    }
    if (i < 0) return;
  }
}

}  // namespace

template <class T>
void copy_strided(int rank, const Index* sizes, const Index* in_strides, const T* in,
                  const Index* out_strides, T* out) {
  visit<Copy<T>>(rank, sizes, in_strides, in, out_strides, out);
}

template <class T>
void add_strided(int rank, const Index* sizes, const Index* in_strides, const T* in,
                 const Index* out_strides, T* out) {
  visit<Add<T>>(rank, sizes, in_strides, in, out_strides, out);
}

template void copy_strided(int, const Index*, const Index*, const float*, const Index*, float*);
template void copy_strided(int, const Index*, const Index*, const double*, const Index*, double*);
template void add_strided(int, const Index*, const Index*, const float*, const Index*, float*);
template void add_strided(int, const Index*, const Index*, const double*, const Index*, double*);

}  // namespace axisgrad::kernels
