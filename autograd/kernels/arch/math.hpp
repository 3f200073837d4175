// exp and log where xsimd's are wrong; sin, cos, erf, expm1 and pow by the C library. The overloads
// stand in xsimd's namespace, where the formulas of ops/pointwise.hpp, and xsimd's own tanh, find
// them by their arguments.
#pragma once
#include <limits>

#include <axisgrad/autograd/kernels/arch/vector.hpp>

namespace xsimd {

// xsimd's exp of float gives 0 from -88.4 down, where e^x is a subnormal number or nearly so, and
// infinity from 88.4 up, though e^88.7 is finite; double has the first fault. Far from 0,
//   e^x = e^(x+s) e^-s,  s a power of two with the sign of -x, so that x+s is exact.
template <class T>
inline batch<T> far_exp(const batch<T>& x) noexcept {
  using V = batch<T>;
  constexpr T s = sizeof(T) == 4 ? T(64) : T(512);
  constexpr T up = sizeof(T) == 4 ? T(6.2351490808116168829e27) : T(2.2844135865397566404e222);
  constexpr T down = sizeof(T) == 4 ? T(1.6038108905486378530e-28) : T(4.3774910370530514541e-223);
  const auto low = x<V(-s), high = x> V(s);
  const V shift = select(low, V(s), select(high, V(-s), V(T(0))));
  const V factor = select(low, V(down), select(high, V(up), V(T(1))));
  return kernel::exp<default_arch>(x + shift, default_arch{}) * factor;
}
// The lanes near 0 give the same bits either way: shift 0, factor 1. So does -infinity, which is
// what a mask leaves behind: 0.
template <class T>
inline batch<T> whole_exp(const batch<T>& x) noexcept {
  constexpr T s = sizeof(T) == 4 ? T(64) : T(512);
  if (any(abs(x) > batch<T>(s) && x > batch<T>(-std::numeric_limits<T>::infinity())))
    return far_exp(x);
  return kernel::exp<default_arch>(x, default_arch{});
}
inline batch<float> exp(const batch<float>& x) noexcept { return whole_exp(x); }
inline batch<double> exp(const batch<double>& x) noexcept { return whole_exp(x); }

// xsimd's log of a subnormal double takes the exponent of the number before it was scaled:
//   log x = log(2^54 x) - 54 log 2
inline batch<double> log(const batch<double>& x) noexcept {
  using V = batch<double>;
  const auto subnormal = x > V(0.0) && x < V(std::numeric_limits<double>::min());
  if (!any(subnormal)) return kernel::log<default_arch>(x, default_arch{});
  const V y = kernel::log<default_arch>(select(subnormal, x * V(0x1p54), x), default_arch{});
  return select(subnormal, y - V(37.429947750237046709), y);
}

// One lane after the other. xsimd's sin and cos share a weak helper among architectures, its erf is
// 68 ulp off in double, its pow of a large result loses the digits of the exponent.
template <class T, class F>
inline batch<T> each_lane(const batch<T>& x, F f) noexcept {
  alignas(64) T t[batch<T>::size];
  x.store_aligned(t);
  for (T& v : t) v = f(v);
  return batch<T>::load_aligned(t);
}
inline batch<float> sin(const batch<float>& x) noexcept {
  return each_lane(x, [](float v) { return __builtin_sinf(v); });
}
inline batch<double> sin(const batch<double>& x) noexcept {
  return each_lane(x, [](double v) { return __builtin_sin(v); });
}
inline batch<float> cos(const batch<float>& x) noexcept {
  return each_lane(x, [](float v) { return __builtin_cosf(v); });
}
inline batch<double> cos(const batch<double>& x) noexcept {
  return each_lane(x, [](double v) { return __builtin_cos(v); });
}
inline batch<float> expm1(const batch<float>& x) noexcept {
  return each_lane(x, [](float v) { return __builtin_expm1f(v); });
}
inline batch<double> expm1(const batch<double>& x) noexcept {
  return each_lane(x, [](double v) { return __builtin_expm1(v); });
}
inline batch<double> erf(const batch<double>& x) noexcept {
  return each_lane(x, [](double v) { return __builtin_erf(v); });
}
template <class T, class F>
inline batch<T> each_pair(const batch<T>& x, const batch<T>& p, F f) noexcept {
  alignas(64) T t[batch<T>::size], u[batch<T>::size];
  x.store_aligned(t), p.store_aligned(u);
  for (unsigned l = 0; l < batch<T>::size; ++l) t[l] = f(t[l], u[l]);
  return batch<T>::load_aligned(t);
}
inline batch<float> pow(const batch<float>& x, const batch<float>& p) noexcept {
  return each_pair(x, p, [](float v, float e) { return __builtin_powf(v, e); });
}
inline batch<double> pow(const batch<double>& x, const batch<double>& p) noexcept {
  return each_pair(x, p, [](double v, double e) { return __builtin_pow(v, e); });
}

}  // namespace xsimd
