// Matrix products beside a BLAS that is given by its file: MKL, OpenBLAS. One thread, one after the
// other in turns, processor time, so that what else the machine does disturbs both alike.
//
//   products --library .../libopenblas.so.0 [--double]
//   OPENBLAS_CORETYPE=Haswell AXISGRAD_ARCH=avx2 products --library .../libopenblas.so.0
//
// Prints a row for each shape: what both reach, and the ratio of their speeds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>

#include "command_line.hpp"
#include "measure.hpp"

namespace bench {
namespace {

using axisgrad::kernels::Index;

// C (m,n) = A B. a_turned: A lies as (k,m); b_turned: B lies as (n,k).
struct Shape {
  const char* what;
  Index count, m, n, k;
  bool a_turned = false, b_turned = false;
};

// What the workloads multiply, and squares.
const std::vector<Shape> shapes{
    {"square", 1, 32, 32, 32},
    {"square", 1, 64, 64, 64},
    {"square", 1, 128, 128, 128},
    {"square", 1, 256, 256, 256},
    {"square", 1, 512, 512, 512},
    {"square", 1, 1024, 1024, 1024},
    {"square, B turned", 1, 256, 256, 256, false, true},
    {"LSTM step, h U", 1, 64, 1024, 256},
    {"LSTM step, h U", 1, 64, 128, 32},
    {"LSTM step, h U", 1, 100, 256, 64},
    {"LSTM step backward, g U'", 1, 64, 256, 1024, false, true},
    {"LSTM step backward, g U'", 1, 64, 32, 128, false, true},
    {"x W", 1, 1280, 128, 34},
    {"x W", 1, 224, 768, 256},
    {"x W", 1, 6400, 1024, 64},
    {"x W", 1, 5136, 512, 512},
    {"g W'", 1, 5136, 512, 512, false, true},
    {"weight gradient", 1, 12, 256, 6400, true},
    {"weight gradient", 1, 34, 128, 1280, true},
    {"weight gradient", 1, 64, 1024, 6400, true},
    {"weight gradient", 1, 256, 1024, 6400, true},
    {"weight gradient", 1, 512, 512, 5136, true},
    {"scores q k'", 800, 4, 4, 8, false, true},
    {"scores q k'", 800, 12, 12, 8, false, true},
    {"weights' times g", 800, 12, 8, 12, true},
    {"scores q k'", 128, 321, 321, 64, false, true},
    {"weights' times g", 128, 321, 64, 321, true},
};

// The BLAS function as Fortran has it: matrices by columns, sizes of 32 bits.
template <class T>
using Blas = void (*)(const char* turn_a, const char* turn_b, const int* m, const int* n,
                      const int* k, const T* alpha, const T* a, const int* lda, const T* b,
                      const int* ldb, const T* beta, T* c, const int* ldc);

void* load(const std::string& library, const char* function) {
  // One thread, whatever the library is called.
  for (const char* name : {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"})
    setenv(name, "1", 1);
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) axisgrad::fail("products", dlerror());
  void* found = dlsym(handle, function);
  if (!found) axisgrad::fail("products", library, " has no ", function);
  return found;
}

template <class T>
std::vector<T> numbers(Index n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  unsigned k = 1;
  for (T& v : x) k = k * 1664525u + 1013904223u, v = T(k >> 8) * T(0x1p-23) - 1;
  return x;
}

template <class T>
struct Product {
  Shape s;
  std::vector<T> a = numbers<T>(s.count * s.m * s.k), b = numbers<T>(s.count * s.k * s.n),
                 c = numbers<T>(s.count * s.m * s.n);

  void ours() {
    using axisgrad::kernels::Matrix;
    const Matrix<T> left = s.a_turned ? Matrix<T>{a.data(), 1, s.m, s.m * s.k}
                                      : Matrix<T>{a.data(), s.k, 1, s.m * s.k};
    const Matrix<T> right = s.b_turned ? Matrix<T>{b.data(), 1, s.k, s.k * s.n}
                                       : Matrix<T>{b.data(), s.n, 1, s.k * s.n};
    axisgrad::kernels::gemm<T>(s.count, s.m, s.n, s.k, left, right, {}, c.data(), s.n, s.m * s.n);
  }
  // By columns, C' = B' A'.
  void theirs(Blas<T> gemm) {
    const int m = int(s.m), n = int(s.n), k = int(s.k), lda = s.a_turned ? m : k,
              ldb = s.b_turned ? k : n;
    const T one = 1, zero = 0;
    for (Index q = 0; q < s.count; ++q)
      gemm(s.b_turned ? "T" : "N", s.a_turned ? "T" : "N", &n, &m, &k, &one,
           b.data() + q * s.k * s.n, &ldb, a.data() + q * s.m * s.k, &lda, &zero,
           c.data() + q * s.m * s.n, &n);
  }
  double flops() const { return 2.0 * double(s.count) * double(s.m) * double(s.n) * double(s.k); }
};

double median(std::vector<double> x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

template <class F>
double time_of(int times, F f) {
  const double start = seconds(Clock::cpu);
  for (int i = 0; i < times; ++i) f();
  return (seconds(Clock::cpu) - start) / times;
}

template <class T>
void compare(const std::string& library, int rounds, const std::string& only) {
  const auto gemm = reinterpret_cast<Blas<T>>(load(library, sizeof(T) == 4 ? "sgemm_" : "dgemm_"));
  fmt::print("| product | M, N, K | ours GFLOP/s | theirs | ratio |\n|---|---|--:|--:|--:|\n");
  for (const Shape& s : shapes) {
    const std::string title = fmt::format(
        "{}{}, {}, {}", s.count > 1 ? fmt::format("{} x ", s.count) : "", s.m, s.n, s.k);
    if (!only.empty() && title != only) continue;
    Product<T> p{s};
    p.ours(), p.theirs(gemm);
    const double once = std::min(time_of(1, [&] { p.ours(); }), time_of(1, [&] { p.ours(); }));
    const int times = std::max(1, int(4e-3 / once));
    std::vector<double> ours, theirs, ratios;
    for (int r = 0; r < rounds; ++r) {
      ours.push_back(time_of(times, [&] { p.ours(); }));
      theirs.push_back(time_of(times, [&] { p.theirs(gemm); }));
      ratios.push_back(theirs.back() / ours.back());
    }
    fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.2f} |\n", s.what, title,
               p.flops() / median(ours) * 1e-9, p.flops() / median(theirs) * 1e-9, median(ratios));
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  CommandLine line("Times matrix products here and in a BLAS, one thread.");
  std::string library, only;
  bool in_double = false;
  int rounds = 15;
  line.option("--library", library, "file of a library with sgemm_ and dgemm_");
  line.require("--library");
  line.flag("--double", in_double, "double instead of float");
  line.positive("--rounds", rounds, "how often each is timed");
  line.option("--only", only, "one shape, as the table writes it: \"64, 1024, 256\"");
  if (const auto code = line.parse(argc, argv)) return *code;
  axisgrad::kernels::set_threads(1);
  fmt::print("axisgrad on {}, {}\n\n", axisgrad::kernels::arch(), in_double ? "double" : "float");
  in_double ? compare<double>(library, rounds, only) : compare<float>(library, rounds, only);
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "products: {}\n", e.what());
    return 1;
  }
}
