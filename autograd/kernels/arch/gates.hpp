// The logistic function, tanh and e^x of x <= 0 without branches, for the kernels that compute
// several of them for each element. At most 3 ulp off in float and double, subnormal results
// included (tests/kernels/gates_test.cpp).
//
//   e^x = 2^n (1 + m),  n = round(x / log 2),  m = e^r - 1 with |r| = |x - n log 2| <= (log 2) / 2
//
// tanh needs m by itself: near 0 the 1 would swallow its digits.
#pragma once
#include <axisgrad/autograd/kernels/arch/vector.hpp>

namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE {
namespace {

template <class T>
struct ExpNumbers;
template <>
struct ExpNumbers<float> {
  using Bits = std::int32_t;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr float round = 12582912.f;                          // 1.5 2^23: no digit below 1
  static constexpr float high = 0.693359375f, low = -2.12194440e-4f;  // log 2 in two parts
  static constexpr float lowest = -104;                               // e^x is 0 from here down
  static constexpr float tanh_is_1 = 10;
  // (e^r - 1 - r) / r^2 by the polynomial of Cephes (expf), highest power first.
  static constexpr float p[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
};
template <>
struct ExpNumbers<double> {
  using Bits = std::int64_t;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double round = 6755399441055744.0;  // 1.5 2^52
  static constexpr double high = 6.93145751953125e-1, low = 1.42860682030941723212e-6;
  static constexpr double lowest = -746;
  static constexpr double tanh_is_1 = 20;
  // The same by the series, 1/13! to 1/2!.
  static constexpr double p[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                 1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                 1.0 / 120,        1.0 / 24,        1.0 / 6,        1.0 / 2};
};

// c - a b in one rounding.
template <class T>
[[gnu::always_inline]] inline Vec<T> fused_minus(const Vec<T>& a, const Vec<T>& b,
                                                 const Vec<T>& c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return _mm512_fnmadd_ps(a, b, c);
  else
    return _mm512_fnmadd_pd(a, b, c);
#else
  return fused(Vec<T>(-a), b, c);
#endif
}

// n = round(x / log 2)
template <class T>
[[gnu::always_inline]] inline Vec<T> exponent(const Vec<T>& x) {
  using V = Vec<T>;
  const V round(ExpNumbers<T>::round);
  return fused(x, V(T(1.44269504088896340736)), round) - round;
}
// e^r - 1. The polynomial in pairs, p r + q, joined by powers of r^2: half as long a chain.
template <class T>
[[gnu::always_inline]] inline Vec<T> small_exp_minus_1(const Vec<T>& r) {
  using N = ExpNumbers<T>;
  using V = Vec<T>;
  const V r2 = r * r;
  V p = fused(V(N::p[0]), r, V(N::p[1]));
#pragma GCC unroll 16
  for (unsigned k = 2; k < sizeof N::p / sizeof(T); k += 2)
    p = fused(p, r2, fused(V(N::p[k]), r, V(N::p[k + 1])));
  return fused(p, r2, r);
}
// 2^n for a whole n with a normal result: put where the exponent lies.
template <class T>
[[gnu::always_inline]] inline Vec<T> power_of_2(const Vec<T>& n) {
  using N = ExpNumbers<T>;
  using I = xsimd::batch<typename N::Bits>;
  return xsimd::bitwise_cast<Vec<T>>(xsimd::bitwise_cast<I>(n + Vec<T>(N::round + T(N::bias)))
                                     << N::mantissa);
}

/// e^x for x <= 0 (-infinity too) or NaN.
template <class T>
[[gnu::always_inline]] inline Vec<T> exp_of_negative(const Vec<T>& x) {
  using N = ExpNumbers<T>;
  using V = Vec<T>;
  // x86's maximum with a NaN is its second operand.
  const V bounded = xsimd::max(V(N::lowest), x), n = exponent<T>(bounded);
  const V r = fused_minus<T>(n, V(N::low), fused_minus<T>(n, V(N::high), bounded));
  const V y = V(T(1)) + small_exp_minus_1<T>(r);
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return _mm512_scalef_ps(y, n);
  else
    return _mm512_scalef_pd(y, n);
#else
  // In two factors, since 2^n may be subnormal.
  const V normal = xsimd::max(V(T(1 - N::bias)), n);
  return y * power_of_2<T>(normal) * power_of_2<T>(n - normal);
#endif
}

// x / d for d in [1, 2]. By an estimate of 1/d to 14 bits and Newton's steps where the hardware has
// one: a division of 16 lanes keeps the divider busy for 16 cycles.
template <class T>
[[gnu::always_inline]] inline Vec<T> quotient(const Vec<T>& x, const Vec<T>& d) {
#if defined(__AVX512F__)
  using V = Vec<T>;
  V r;
  if constexpr (sizeof(T) == 4) {
    r = _mm512_rcp14_ps(d);
  } else {
    r = _mm512_rcp14_pd(d);
    r = fused(r, fused_minus<T>(d, r, V(T(1))), r);
  }
  const V y = x * r;
  return fused(r, fused_minus<T>(d, y, x), y);
#else
  return x / d;
#endif
}

/// 1 / (1 + e^-x), as e^-|x| / (1 + e^-|x|) for x < 0.
template <class T>
[[gnu::always_inline]] inline Vec<T> logistic(const Vec<T>& x) {
  using V = Vec<T>;
  const V one(T(1)), t = exp_of_negative<T>(V(x | V(T(-0.0))));
  return quotient<T>(xsimd::select(x < V(T(0)), t, one), V(one + t));
}

/// tanh |x| = -u / (2 + u),  u = e^(-2|x|) - 1 = 2^n m + (2^n - 1). log 2 in one part will do:
/// where n is large, u is nearly -1 whatever the last digits of m.
template <class T>
[[gnu::always_inline]] inline Vec<T> hyperbolic_tangent(const Vec<T>& x) {
  using V = Vec<T>;
  const V sign(T(-0.0)), one(T(1));
  const V size = xsimd::min(V(ExpNumbers<T>::tanh_is_1), xsimd::abs(x));
  const V twice = size * V(T(-2)), n = exponent<T>(twice), scale = power_of_2<T>(n);
  const V m = small_exp_minus_1<T>(fused_minus<T>(n, V(T(0.69314718055994530942)), twice));
  const V u = fused(scale, m, V(scale - one));
  return xsimd::abs(quotient<T>(u, V(V(T(2)) + u))) | (x & sign);
}

}  // namespace
}  // namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE
