// xsimd for one architecture, with its gaps filled: fma, partial loads and stores, edge cases.
//
// A unit in this folder is compiled three times, with flags of three architectures. An inline
// function that two of them emit under one name would be merged by the linker: an SSE2 entry point
// then runs AVX-512 code. Hence
//  - `xsimd` is a macro (meson.build) that renames xsimd's namespace to xsimd_sse2, xsimd_avx2, ...
//  - our code lives in kernels::AXISGRAD_ARCH_SPACE
//  - no std containers, no TBB; always optimised, so that what is left of std is inlined.
// tests/kernels/weak_symbols.sh checks that nothing is shared.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined pass-through operands in its own AVX-512 headers for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif

#ifdef __AVX512F__
// xsimd 8.1 has no fma for AVX-512, it multiplies and adds. Its exp, log and tanh find ours only if
// it was declared before they are defined.
namespace xsimd {
struct avx512f;
template <class T, class A>
class batch;
namespace kernel {
template <class A>
inline batch<float, A> fma(batch<float, A> const& x, batch<float, A> const& y,
                           batch<float, A> const& z, avx512f const&) noexcept;
template <class A>
inline batch<double, A> fma(batch<double, A> const& x, batch<double, A> const& y,
                            batch<double, A> const& z, avx512f const&) noexcept;
}  // namespace kernel
}  // namespace xsimd
#endif

#include <xsimd/xsimd.hpp>

#include <axisgrad/autograd/kernels/table.hpp>

namespace xsimd {
#ifdef __AVX512F__
namespace kernel {
template <class A>
inline batch<float, A> fma(batch<float, A> const& x, batch<float, A> const& y,
                           batch<float, A> const& z, avx512f const&) noexcept {
  return _mm512_fmadd_ps(x, y, z);
}
template <class A>
inline batch<double, A> fma(batch<double, A> const& x, batch<double, A> const& y,
                            batch<double, A> const& z, avx512f const&) noexcept {
  return _mm512_fmadd_pd(x, y, z);
}
}  // namespace kernel
#endif

// NaN differs from everything (xsimd says no on AVX2 and AVX-512), and -x of 0 is -0 (xsimd says +0
// on AVX-512).
template <>
inline batch_bool<float> batch<float>::operator!=(const batch& other) const noexcept {
  return !(*this == other);
}
template <>
inline batch_bool<double> batch<double>::operator!=(const batch& other) const noexcept {
  return !(*this == other);
}
template <>
inline batch<float> batch<float>::operator-() const noexcept {
  return *this ^ batch(-0.0f);
}
template <>
inline batch<double> batch<double>::operator-() const noexcept {
  return *this ^ batch(-0.0);
}
}  // namespace xsimd

namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE {

template <class T>
using Vec = xsimd::batch<T>;
template <class T>
constexpr Index lanes = Vec<T>::size;

// a*b + c in one rounding where the hardware has it, for vectors of any length: under AVX flags
// xsimd's own fma of 128-bit vectors rounds twice.
template <class T, class A>
inline xsimd::batch<T, A> fused(xsimd::batch<T, A> a, xsimd::batch<T, A> b, xsimd::batch<T, A> c) {
#ifdef __FMA__
  using V = xsimd::batch<T, A>;
  if constexpr (sizeof(V) == 16 && sizeof(T) == 4)
    return V(_mm_fmadd_ps(a, b, c));
  else if constexpr (sizeof(V) == 16)
    return V(_mm_fmadd_pd(a, b, c));
  else
#endif
    return xsimd::fma(a, b, c);
}

#if defined(__AVX2__) && !defined(__AVX512F__)
template <class T>
inline __m256i first_lanes(Index n) {
  if constexpr (sizeof(T) == 4)
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(int(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  else
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
#endif

// The first n lanes at p, the others `other`. xsimd 8.1 has no masked loads and stores; a copy
// through an array, as SSE2 needs it, costs 10 to 30 ns.
template <class T>
inline Vec<T> load_part(const T* p, Index n, T other) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return _mm512_mask_loadu_ps(Vec<T>(other), __mmask16((1u << n) - 1), p);
  else
    return _mm512_mask_loadu_pd(Vec<T>(other), __mmask8((1u << n) - 1), p);
#elif defined(__AVX2__)
  const __m256i m = first_lanes<T>(n);
  if constexpr (sizeof(T) == 4)
    return _mm256_blendv_ps(Vec<T>(other), _mm256_maskload_ps(p, m), _mm256_castsi256_ps(m));
  else
    return _mm256_blendv_pd(Vec<T>(other), _mm256_maskload_pd(p, m), _mm256_castsi256_pd(m));
#else
  alignas(16) T t[lanes<T>];
  for (Index l = 0; l < lanes<T>; ++l) t[l] = l < n ? p[l] : other;
  return Vec<T>::load_aligned(t);
#endif
}
template <class T>
inline void store_part(Vec<T> v, T* p, Index n) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    _mm512_mask_storeu_ps(p, __mmask16((1u << n) - 1), v);
  else
    _mm512_mask_storeu_pd(p, __mmask8((1u << n) - 1), v);
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4)
    _mm256_maskstore_ps(p, first_lanes<T>(n), v);
  else
    _mm256_maskstore_pd(p, first_lanes<T>(n), v);
#else
  alignas(16) T t[lanes<T>];
  v.store_aligned(t);
  for (Index l = 0; l < n; ++l) p[l] = t[l];
#endif
}
// v with zeros from lane n on.
template <class T>
inline Vec<T> first(Vec<T> v, Index n) {
  if (n == lanes<T>) return v;
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return _mm512_maskz_mov_ps(__mmask16((1u << n) - 1), v);
  else
    return _mm512_maskz_mov_pd(__mmask8((1u << n) - 1), v);
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4)
    return _mm256_and_ps(v, _mm256_castsi256_ps(first_lanes<T>(n)));
  else
    return _mm256_and_pd(v, _mm256_castsi256_pd(first_lanes<T>(n)));
#else
  alignas(16) T t[lanes<T>];
  v.store_aligned(t);
  for (Index l = n; l < lanes<T>; ++l) t[l] = T(0);
  return Vec<T>::load_aligned(t);
#endif
}
template <class T>
inline Vec<T> load(const T* p, Index n = lanes<T>, T other = T(0)) {
  return n == lanes<T> ? Vec<T>::load_unaligned(p) : load_part(p, n, other);
}
template <class T>
inline void store(Vec<T> v, T* p, Index n = lanes<T>) {
  n == lanes<T> ? v.store_unaligned(p) : store_part(v, p, n);
}

// A number known to the compiler, so that a loop body called with it has no partial vectors.
template <class T>
struct Whole {
  constexpr operator Index() const { return lanes<T>; }
};
// f(j, n) for the whole vectors of 0..size, then once for the rest, n < lanes.
template <class T, class F>
[[gnu::always_inline]] inline void by_vector(Index size, F f) {
  Index j = 0;
  for (; j + lanes<T> <= size; j += lanes<T>) f(j, Whole<T>());
  if (j < size) f(j, size - j);
}

}  // namespace axisgrad::kernels::AXISGRAD_ARCH_SPACE
