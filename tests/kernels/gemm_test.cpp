#include <tuple>

#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/scratch.hpp>

#include "common.hpp"

namespace axisgrad::kernels {
namespace {

struct Size {
  Index m, n, k;
};

// C against a long double loop; the elements between the rows of C must stay as they were.
template <class T>
void check(std::mt19937& g, Size s, Index count = 1) {
  const Index m = s.m, n = s.n, k = s.k;
  const bool ta = g() & 1, tb = g() & 1;
  const int added = g() % 3;  // nothing, C itself, a bias
  auto pad = [&] { return Index(g() % 3 == 0 ? g() % 9 : 0); };
  const Index lda = (ta ? m : k) + pad(), ldb = (tb ? k : n) + pad(), ldc = n + pad();
  const Index sa = (ta ? k : m) * lda, sb = g() % 4 ? (tb ? n : k) * ldb : 0, sc = m * ldc;
  const auto a = normal<T>(g, count * sa), b = normal<T>(g, count * (tb ? n : k) * ldb),
             bias = normal<T>(g, n), before = normal<T>(g, count * sc);
  auto c = before;
  Matrix<T> d{};
  if (added == 1) d = {c.data(), ldc, 1, sc};
  if (added == 2) d = {bias.data()};
  gemm<T>(count, m, n, k, {a.data(), ta ? 1 : lda, ta ? lda : 1, sa},
          {b.data(), tb ? 1 : ldb, tb ? ldb : 1, sb}, d, c.data(), ldc, sc);
  double worst = 0;
  bool untouched = true;
  for (Index q = 0; q < count; ++q)
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < ldc; ++j) {
        const Index at = q * sc + i * ldc + j;
        if (j >= n) {
          untouched = untouched && c[at] == before[at];
          continue;
        }
        long double sum = added == 1 ? before[at] : added == 2 ? bias[j] : T(0);
        long double size = std::abs(sum);
        for (Index l = 0; l < k; ++l) {
          const long double p = (long double)a[q * sa + (ta ? l * lda + i : i * lda + l)] *
                                b[q * sb + (tb ? j * ldb + l : l * ldb + j)];
          sum += p, size += std::abs(p);
        }
        const double unit = std::numeric_limits<T>::epsilon() * (std::sqrt(double(k)) + 4);
        keep_worst(worst, double(std::abs(sum - c[at]) / (unit * size + 1e-300L)));
      }
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  CAPTURE(ta);
  CAPTURE(tb);
  CAPTURE(added);
  CAPTURE(count);
  CHECK(worst <= 1);
  CHECK(untouched);
}

template <class T>
void check_sizes() {
  std::mt19937 g(7);
  auto to = [&](Index most) { return Index(1 + g() % most); };
  for (int i = 0; i < 300; ++i) check<T>(g, {to(70), to(70), to(70)});
  for (int i = 0; i < 100; ++i) check<T>(g, {to(40), to(40), to(40)}, to(9));
  for (int i = 0; i < 3; ++i) check<T>(g, {to(300), to(300), to(700)});
  for (Size s : {Size{12, 256, 2000},
                 {34, 128, 1280},
                 {1, 1, 5000},
                 {3, 700, 3},
                 {700, 3, 3},
                 {1, 600, 600},
                 {600, 1, 600},
                 {20, 20, 3000},
                 {97, 1100, 33},
                 {100, 2, 513}})
    for (int r = 0; r < 2; ++r) check<T>(g, s);
}

// All ways to the same product give the same bits.
template <class T>
void check_bits() {
  std::mt19937 g(11);
  for (Size s : {Size{64, 1024, 256},
                 {65, 100, 700},
                 {64, 32, 128},
                 {1, 50, 300},
                 {300, 321, 64},
                 {34, 128, 1280},
                 {12, 256, 6400},
                 {130, 129, 2000},
                 {100, 3, 40},
                 {600, 17, 513},
                 {30, 2200, 260}}) {
    const Index m = s.m, n = s.n, k = s.k;
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    const auto a = normal<T>(g, m * k), b = normal<T>(g, k * n), bias = normal<T>(g, n);
    std::vector<T> at(m * k), bt(k * n), first(m * n), c(m * n);
    for (Index i = 0; i < m; ++i)
      for (Index l = 0; l < k; ++l) at[l * m + i] = a[i * k + l];
    for (Index l = 0; l < k; ++l)
      for (Index j = 0; j < n; ++j) bt[j * k + l] = b[l * n + j];
    const Matrix<T> d{bias.data()};
    const Matrix<T> as[] = {{a.data(), k}, {at.data(), 1, m}};
    const Matrix<T> bs[] = {{b.data(), n}, {bt.data(), 1, k}};
    const Scratch<T> packed(packed_size<T>(n, k));
    pack_b(n, k, bs[1], packed.get());
    for (int threads : {1, 2}) {
      const Threads use(threads);
      for (const auto& x : as) {
        for (const auto& y : bs) {
          gemm<T>(1, m, n, k, x, y, d, c.data(), n);
          if (threads == 1 && &x == as && &y == bs) first = c;
          CHECK(same_bits(c, first));
        }
        gemm_packed<T>(m, n, k, x, packed.get(), d, c.data(), n);
        CHECK(same_bits(c, first));
      }
      // rows in two parts
      gemm<T>(1, m / 2, n, k, as[0], bs[0], d, c.data(), n);
      gemm<T>(1, m - m / 2, n, k, {a.data() + m / 2 * k, k}, bs[0], d, c.data() + m / 2 * n, n);
      CHECK(same_bits(c, first));
    }
  }
}

// The definition itself, where fma is to be had: one chain per 256 values of k.
template <class T>
void check_definition() {
  if (arch() == "sse2") return;
  std::mt19937 g(3);
  const Index m = 5, n = 19, k = 700;
  const auto a = normal<T>(g, m * k), b = normal<T>(g, k * n), bias = normal<T>(g, n);
  std::vector<T> c(m * n), expected(m * n);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      T sum = bias[j];
      for (Index k0 = 0; k0 < k; k0 += 256) {
        T p = 0;
        for (Index l = k0; l < std::min(k, k0 + 256); ++l)
          p = std::fma(a[i * k + l], b[l * n + j], p);
        sum += p;
      }
      expected[i * n + j] = sum;
    }
  gemm<T>(1, m, n, k, {a.data(), k}, {b.data(), n}, {bias.data()}, c.data(), n);
  CHECK(same_bits(c, expected));
}

template <class T>
void check_batches() {
  std::mt19937 g(5);
  for (Size s : {Size{4, 4, 8}, {12, 12, 8}, {12, 8, 12}, {7, 1, 9}, {33, 2, 65}, {80, 64, 70}}) {
    const Index m = s.m, n = s.n, k = s.k;
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    const Index count = 300;
    const auto a = normal<T>(g, count * m * k), b = normal<T>(g, count * k * n);
    for (bool tb : {false, true}) {
      std::vector<T> single(count * m * n), c(count * m * n);
      const Matrix<T> x{a.data(), k, 1, m * k}, y{b.data(), tb ? 1 : n, tb ? k : 1, k * n};
      for (Index q = 0; q < count; ++q)
        gemm<T>(1, m, n, k, {x.p + q * x.batch, x.row, x.col}, {y.p + q * y.batch, y.row, y.col},
                {}, single.data() + q * m * n, n);
      for (int threads : {1, 2}) {
        const Threads use(threads);
        gemm<T>(count, m, n, k, x, y, {}, c.data(), n, m * n);
        CHECK(same_bits(c, single));
      }
    }
  }
}

void check_empty_sides() {
  const float a[] = {1, 2}, b[] = {3, 4}, bias[] = {5, 6};
  float c[] = {7, 7};
  gemm<float>(1, 0, 2, 1, {a, 1}, {b, 2}, {}, c, 2);
  gemm<float>(1, 1, 0, 1, {a, 1}, {b, 2}, {}, c, 2);
  gemm<float>(0, 1, 2, 1, {a, 1}, {b, 2}, {}, c, 2);
  CHECK(c[0] == 7);
  gemm<float>(1, 1, 2, 0, {a, 1}, {b, 2}, {bias}, c, 2);
  CHECK((c[0] == 5 && c[1] == 6));
  gemm<float>(1, 1, 2, 0, {}, {}, {}, c, 2);
  CHECK((c[0] == 0 && c[1] == 0));
}

}  // namespace

TEST_CASE("gemm is right for all shapes, layouts and added matrices") {
  for_each_arch([] {
    check_sizes<float>();
    check_sizes<double>();
  });
}
TEST_CASE("gemm gives the same bits on all paths and with any number of threads") {
  for_each_arch([] {
    check_bits<float>();
    check_bits<double>();
    check_batches<float>();
    check_batches<double>();
  });
}
TEST_CASE("gemm keeps to the definition of its result") {
  for_each_arch([] {
    check_definition<float>();
    check_definition<double>();
  });
}
TEST_CASE("gemm with empty sides") { for_each_arch(check_empty_sides); }

}  // namespace axisgrad::kernels
