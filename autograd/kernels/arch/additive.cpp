// Attention by additive scores, one query a sample: see Additive in table.hpp. No score's tanh is
// kept for backward: computing it again is no slower than reading it from the third cache.
//
// Backward, with g_i the cotangent of weights_i, z = tanh(query + key_i):
//   de_i = weights_i (g_i - sum over k of weights_k g_k)
//   dkey_i = dquery_i = de_i v (1 - z^2),  dv_i = de_i z, where query and v take part in every i
#include <limits>

#include <axisgrad/autograd/kernels/arch/gates.hpp>

namespace axisgrad::kernels {
namespace AXISGRAD_ARCH_SPACE {
namespace {

template <class T>
T largest(Index n, const T* x) {
  using V = Vec<T>;
  constexpr T none = -std::numeric_limits<T>::infinity();
  V most(none);
  by_vector<T>(n, [&](Index j, auto k) { most = xsimd::max(most, load(x + j, k, none)); });
  alignas(64) T t[lanes<T>];
  most.store_aligned(t);
  for (Index w = lanes<T> / 2; w > 0; w /= 2)
    for (Index l = 0; l < w; ++l) t[l] = t[l] > t[l + w] ? t[l] : t[l + w];
  return t[0];
}

// e^(e - max) / sum, in place. A NaN makes all of it NaN.
template <class T>
void softmax_row(Index n, T* e) {
  using V = Vec<T>;
  const V m(largest<T>(n, e));
  V sum(T(0));
  by_vector<T>(n, [&](Index j, auto k) {
    const V y = first(exp_of_negative<T>(V(load(e + j, k) - m)), k);
    store(y, e + j, k);
    sum = sum + y;
  });
  const V scale(T(1) / xsimd::hadd(sum));
  by_vector<T>(n, [&](Index j, auto k) { store(V(load(e + j, k) * scale), e + j, k); });
}

// to = weights (g - sum(weights g)); to may be g.
template <class T>
void softmax_row_backward(Index n, const T* weights, const T* g, T* to) {
  using V = Vec<T>;
  V sum(T(0));
  by_vector<T>(n, [&](Index j, auto k) { sum = fused(load(weights + j, k), load(g + j, k), sum); });
  const V total(xsimd::hadd(sum));
  by_vector<T>(n, [&](Index j, auto k) {
    store(V(load(weights + j, k) * (load(g + j, k) - total)), to + j, k);
  });
}

template <class T>
void gate(const Additive<T>& a, T* out, Index out_row) {
  using V = Vec<T>;
  for (Index r = 0; r < a.rows; ++r) {
    const T *keys = a.keys + r * a.size * a.positions, *query = a.query + r * a.size,
            *values = a.values + r * a.values_row;
    T *weights = a.weights + r * a.weights_row, *to = out + r * out_row;
    by_vector<T>(
        a.positions, [&](Index i, auto n) __attribute__((always_inline)) {
          V e(T(0));
          for (Index j = 0; j < a.size; ++j)
            e = fused(V(a.v[j]),
                      hyperbolic_tangent<T>(V(V(query[j]) + load(keys + j * a.positions + i, n))),
                      e);
          store(e, weights + i, n);
        });
    softmax_row<T>(a.positions, weights);
    by_vector<T>(
        a.positions, [&](Index i, auto n) __attribute__((always_inline)) {
          store(V(load(weights + i, n) * load(values + i, n)), to + i, n);
        });
  }
}

template <class T>
void gate_backward(const Additive<T>& a, const AdditiveGradients<T>& g) {
  using V = Vec<T>;
  for (Index r = 0; r < a.rows; ++r) {
    const Index at = r * a.size * a.positions;
    const T *keys = a.keys + at, *query = a.query + r * a.size,
            *values = a.values + r * a.values_row, *weights = a.weights + r * a.weights_row;
    const T *up = g.out + r * g.out_row,
            *more = g.weights ? g.weights + r * g.weights_row : nullptr;
    T *de = g.scratch, *dkeys = g.keys + at, *dquery = g.query + r * a.size, *dv = g.v + r * a.size;
    T* dvalues = g.values ? g.values + r * g.values_row : nullptr;
    by_vector<T>(
        a.positions, [&](Index i, auto n) __attribute__((always_inline)) {
          const V u = load(up + i, n);
          V d = u * load(values + i, n);
          if (more) d = d + load(more + i, n);
          store(d, de + i, n);
          if (dvalues) store(V(u * load(weights + i, n)), dvalues + i, n);
        });
    softmax_row_backward<T>(a.positions, weights, de, de);
    for (Index j = 0; j < a.size; ++j) {
      const V v(a.v[j]), q(query[j]);
      V slope(T(0)), of_v(T(0));
      by_vector<T>(
          a.positions, [&](Index i, auto n) __attribute__((always_inline)) {
            const Index o = j * a.positions + i;
            const V z = hyperbolic_tangent<T>(V(q + load(keys + o, n))), d = load(de + i, n),
                    dz = d * z;
            const V s = fused_minus<T>(dz, z, d);
            slope = slope + s, of_v = of_v + dz;
            store(fused(v, s, load(dkeys + o, n)), dkeys + o, n);
          });
      dquery[j] = a.v[j] * xsimd::hadd(slope);
      dv[j] += xsimd::hadd(of_v);
    }
  }
}

template <class T>
void attend(const Additive<T>& a, T* out, Index out_row) {
  using V = Vec<T>;
  for (Index r = 0; r < a.rows; ++r) {
    const T *keys = a.keys + r * a.size * a.positions, *query = a.query + r * a.size,
            *values = a.values + r * a.values_row;
    T *weights = a.weights + r * a.weights_row, *to = out + r * out_row;
    for (Index i = 0; i < a.positions; ++i) {
      V e(T(0));
      by_vector<T>(
          a.size, [&](Index j, auto n) __attribute__((always_inline)) {
            const V z =
                hyperbolic_tangent<T>(V(load(query + j, n) + load(keys + i * a.size + j, n)));
            e = fused(load(a.v + j, n), z, e);
          });
      weights[i] = xsimd::hadd(e);
    }
    softmax_row<T>(a.positions, weights);
    by_vector<T>(
        a.width, [&](Index j, auto n) __attribute__((always_inline)) {
          V sum(T(0));
          for (Index i = 0; i < a.positions; ++i)
            sum = fused(V(weights[i]), load(values + i * a.width + j, n), sum);
          store(sum, to + j, n);
        });
  }
}

template <class T>
void attend_backward(const Additive<T>& a, const AdditiveGradients<T>& g) {
  using V = Vec<T>;
  for (Index r = 0; r < a.rows; ++r) {
    const Index at = r * a.size * a.positions;
    const T *keys = a.keys + at, *query = a.query + r * a.size,
            *values = a.values + r * a.values_row, *weights = a.weights + r * a.weights_row;
    const T *up = g.out + r * g.out_row,
            *more = g.weights ? g.weights + r * g.weights_row : nullptr;
    T *de = g.scratch, *dkeys = g.keys + at, *dquery = g.query + r * a.size, *dv = g.v + r * a.size;
    T* dvalues = g.values + r * g.values_row;
    for (Index i = 0; i < a.positions; ++i) {
      const V weight(weights[i]);
      V sum(T(0));
      by_vector<T>(
          a.width, [&](Index j, auto n) __attribute__((always_inline)) {
            const Index o = i * a.width + j;
            const V u = load(up + j, n);
            sum = fused(u, load(values + o, n), sum);
            store(fused(weight, u, load(dvalues + o, n)), dvalues + o, n);
          });
      de[i] = xsimd::hadd(sum) + (more ? more[i] : T(0));
    }
    softmax_row_backward<T>(a.positions, weights, de, de);
    by_vector<T>(
        a.size, [&](Index j, auto n) __attribute__((always_inline)) {
          const V v = load(a.v + j, n), q = load(query + j, n);
          V slope(T(0)), of_v(T(0));
          for (Index i = 0; i < a.positions; ++i) {
            const Index o = i * a.size + j;
            const V z = hyperbolic_tangent<T>(V(q + load(keys + o, n))), d(de[i]), dz = d * z;
            const V s = fused_minus<T>(dz, z, d);
            slope = slope + s, of_v = of_v + dz;
            store(fused(v, s, load(dkeys + o, n)), dkeys + o, n);
          }
          store(V(v * slope), dquery + j, n);
          store(V(of_v + load(dv + j, n)), dv + j, n);
        });
  }
}

template <class T>
constexpr AdditiveKernels<T> kernels = {
    .gate = &gate<T>,
    .attend = &attend<T>,
    .gate_backward = &gate_backward<T>,
    .attend_backward = &attend_backward<T>,
};

}  // namespace
}  // namespace AXISGRAD_ARCH_SPACE

template <>
const AdditiveKernels<float>& additive_kernels<Arch::AXISGRAD_ARCH_NAME, float>() {
  return AXISGRAD_ARCH_SPACE::kernels<float>;
}
template <>
const AdditiveKernels<double>& additive_kernels<Arch::AXISGRAD_ARCH_NAME, double>() {
  return AXISGRAD_ARCH_SPACE::kernels<double>;
}

}  // namespace axisgrad::kernels
