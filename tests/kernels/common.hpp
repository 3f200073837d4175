// What the kernel tests share.
#pragma once
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {

/// Runs f once for each architecture the CPU has, with its kernels in use; then the first choice
/// is back.
template <class F>
void for_each_arch(F f) {
  const std::string first(arch());
  for (const char* name : {"sse2", "avx2", "avx512"}) {
    if (!has_arch(name)) {
      MESSAGE("not on this CPU, or not built: " << name);
      continue;
    }
    CAPTURE(name);
    use_arch(name);
    f();
  }
  use_arch(first);
}

/// Restores the number of threads.
struct Threads {
  explicit Threads(int n) : before(threads()) { set_threads(n); }
  ~Threads() { set_threads(before); }
  int before;
};

template <class T>
std::vector<T> normal(std::mt19937& g, Index n) {
  std::normal_distribution<double> d;
  std::vector<T> v(n);
  for (T& x : v) x = T(d(g));
  return v;
}

/// Keeps the largest error; NaN counts as infinite (std::max would drop it).
inline void keep_worst(double& worst, double error) {
  if (!(error <= worst))
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// Equal bit for bit (so that NaN equals NaN, and -0 differs from 0).
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Distance from the exact value in units of the last place of T; 0 when both are NaN or the same
/// infinity.
template <class T>
double ulps(T got, long double exact) {
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : 1e300;
  const T rounded = T(exact);
  if (std::isinf(rounded) || std::isinf(got)) {
    if (got == rounded) return 0;
    // Within one step of the border to infinity either side is right.
    const long double most = std::numeric_limits<T>::max();
    return std::abs(std::isinf(got) ? exact : (long double)got) >= most * (1 - 1e-6L) &&
                   std::signbit(got) == std::signbit(exact)
               ? 0
               : 1e300;
  }
  int e = 0;
  std::frexp(rounded, &e);
  const int least = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  const long double ulp = std::ldexp(1.0L, std::max(e - std::numeric_limits<T>::digits, least));
  return double(std::abs((long double)got - exact) / ulp);
}

}  // namespace axisgrad::kernels
