// Shape, Tensor and the pool below them.
#include <sstream>
#include <thread>

#include <doctest/doctest.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/tensor.hpp>

using namespace axisgrad;

namespace {

template <class X>
std::string text(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

}  // namespace

TEST_CASE("shape: rank 0 has one element, an axis of 0 none") {
  CHECK(Shape{}.size() == 1);
  CHECK(Shape{2, 0, 3}.size() == 0);
  CHECK(Shape{2, 3, 5}.size() == 30);
  CHECK(text(Shape{}) == "()");
  CHECK(text(Shape{2, 3}) == "(2,3)");
}

TEST_CASE("shape: sizes whose product does not fit are refused, also beside an axis of 0") {
  const Size big = Size(1) << 31;
  CHECK(Shape{big, Size(1) << 28}.size() == Size(1) << 59);
  CHECK_THROWS_AS((Shape{big, big}), Error);
  CHECK_THROWS_WITH_AS((Shape{big, big, 2}),
                       "[shape] too many elements in (2147483648,2147483648,2)", Error);
  CHECK_THROWS_AS((Shape{big, 0, big, big}), Error);
  CHECK_THROWS_WITH_AS((Shape{3, -1}), "[shape] a size is negative in (3,-1)", Error);
}

TEST_CASE("shape: axes changed, put in, left out") {
  const Shape s{2, 3, 5};
  CHECK(s.with(1, 7) == Shape{2, 7, 5});
  CHECK(s.inserted(0, 7) == Shape{7, 2, 3, 5});
  CHECK(s.inserted(3, 7) == Shape{2, 3, 5, 7});
  CHECK(s.without(0b101) == Shape{3});
  CHECK(s.without(0b101, true) == Shape{1, 3, 1});
  CHECK(s.product(1, 3) == 15);
  CHECK(s != Shape{2, 3});
}

TEST_CASE("shape: broadcasting as in NumPy") {
  CHECK(broadcast({2, 3, 5}, {3, 1}, "") == Shape{2, 3, 5});
  CHECK(broadcast({4, 1}, {1, 3}, "") == Shape{4, 3});
  CHECK(broadcast({}, {2}, "") == Shape{2});
  CHECK(broadcast({0, 3}, {1}, "") == Shape{0, 3});
  CHECK(broadcast({1}, {0}, "") == Shape{0});
  CHECK(broadcasts_to({3, 1}, {2, 3, 5}));
  CHECK(!broadcasts_to({2, 3, 5}, {3, 1}));
  CHECK(!broadcasts_to({2}, {3}));
}

TEST_CASE("tensor: empty is not the same as of size 0") {
  const Tensor<double> empty, none(Shape{0, 3});
  CHECK(empty.empty());
  CHECK(!none.empty());
  CHECK(none.size() == 0);
  CHECK(none.values().empty());
  CHECK(same_bits(none, Tensor<double>(Shape{0, 3})));
  CHECK(!same_bits(none, Tensor<double>(Shape{3, 0})));
  CHECK(!same_bits(none, empty));
  CHECK(text(empty) == "[empty]");
}

TEST_CASE("tensor: copies share until one is written to") {
  Tensor<double> a({2}, {1., 2.});
  const double* before = a.data();
  Tensor<double> b = a;
  CHECK(b.data() == a.data());
  b.set({1}, 5);
  CHECK(a.data() == before);
  CHECK(b.data() != before);
  CHECK(a(1) == 2);
  CHECK(b(1) == 5);
  const double* own = b.data();
  b.mutable_data()[0] = 7;  // alone now: no copy
  CHECK(b.data() == own);
  CHECK(a.reshaped({1, 2}).data() == before);
}

TEST_CASE("tensor: elements by index, from either end") {
  Tensor<float> x({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(x(1, 0) == 4);
  CHECK(x(-1, -1) == 6);
  x.set({0, -1}, 9);
  CHECK(x(0, 2) == 9);
  CHECK(x.size(Axis(-1)) == 3);
  CHECK(Tensor<float>({1, 1}, 3.f).item() == 3);
}

TEST_CASE("tensor: between float and double") {
  const Tensor<double> d({2}, {.1, 1e300});
  const Tensor<float> f(d);
  CHECK(f(0) == .1f);
  CHECK(f(1) == std::numeric_limits<float>::infinity());
  CHECK(Tensor<double>(f)(0) == double(.1f));
}

TEST_CASE("tensor: same_bits tells -0 from 0, and NaN is itself") {
  const Tensor<double> zero({1}, 0.), negative({1}, -0.),
      nan({1}, std::numeric_limits<double>::quiet_NaN());
  CHECK(!same_bits(zero, negative));
  CHECK(same_bits(nan, Tensor<double>(nan)));
}

TEST_CASE("tensor: printed in brackets, long axes shortened") {
  CHECK(text(Tensor<float>({}, 2.5f)) == "2.5");
  CHECK(text(Tensor<float>({2, 2}, {1, 2, 3, 4})) == "[[1, 2],\n [3, 4]]");
  CHECK(text(Tensor<float>(Shape{0, 3})) == "[]");
  CHECK(text(Tensor<float>({12}, 1.f)) == "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]");
  Tensor<float> longer(Shape{300});
  for (Size i = 0; i < 300; ++i) longer.set({i}, float(i));
  CHECK(text(longer) == "[0, 1, 2, ..., 297, 298, 299]");
}

TEST_CASE("pool: a freed buffer serves the next tensor of its size") {
  const void* first;
  {
    Tensor<float> x(Shape{1000});
    first = x.data();
  }
  const auto before = pool::statistics();
  Tensor<float> y(Shape{990});  // of the same class
  CHECK(y.data() == first);
  CHECK(pool::statistics().system_allocations == before.system_allocations);
  CHECK(pool::statistics().cached_bytes < before.cached_bytes);
}

TEST_CASE("pool: elements are aligned to a cache line, whatever the size") {
  for (Size n : {1, 15, 16, 17, 31, 33, 100, 1000, 4097, 100'000}) {
    const Tensor<float> x(Shape{n}, 1.f);
    CHECK(reinterpret_cast<std::uintptr_t>(x.data()) % 64 == 0);
    CHECK(x(n - 1) == 1);
  }
}

TEST_CASE("pool: a buffer may be freed by another thread than its maker") {
  for (int i = 0; i < 50; ++i) {
    Tensor<double> x(Shape{513}, double(i)), y;
    std::thread([moved = std::move(x), &y]() mutable {
      y = Tensor<double>(Shape{257}, moved(512));
      moved = {};
    }).join();  // the thread ends: what it cached goes to the shared store
    CHECK(y(256) == i);
  }
  const auto before = pool::statistics().system_allocations;
  for (int i = 0; i < 50; ++i)
    std::thread([x = Tensor<double>(Shape{513}, 1.)]() mutable { x = {}; }).join();
  CHECK(pool::statistics().system_allocations <= before + 1);
}

TEST_CASE("pool: threads share and copy one tensor at once") {
  const Tensor<double> shared(Shape{100}, 1.);
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (double& sum : sums)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        Tensor<double> own = shared;
        if (i % 2) own.mutable_data()[i % 100] += 1;
        sum += own(i % 100);
      }
    });
  for (auto& t : threads) t.join();
  for (double sum : sums) CHECK(sum == 1500);
  CHECK(shared(1) == 1);
}

TEST_CASE("pool: trim gives everything cached back to the system") {
  { Tensor<float> x(Shape{5000}); }
  CHECK(pool::statistics().cached_bytes > 0);
  pool::trim();
  CHECK(pool::statistics().cached_bytes == 0);
}

TEST_CASE("tensor: nested lists are a matrix, or a stack of them") {
  const Tensor<double> matrix{{1, 2}, {3, 4}};
  CHECK(matrix.shape() == Shape{2, 2});
  CHECK(matrix(0, 1) == 2);
  CHECK(matrix(1, 0) == 3);
  CHECK(Tensor<float>{{1, 2, 3}}.shape() == Shape{1, 3});
  CHECK(Tensor<float>({{1}, {2}, {3}}).shape() == Shape{3, 1});
  const Tensor<float> stack{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
  CHECK(stack.shape() == Shape{2, 3, 2});
  CHECK(stack(1, 2, 0) == 11);
  CHECK_THROWS_WITH_AS((Tensor<double>{{1, 2}, {3}}), "[tensor] the rows differ in length: 2 and 1",
                       Error);
  CHECK_THROWS_WITH_AS((Tensor<double>{{{1, 2}, {3, 4}}, {{5, 6}}}),
                       "[tensor] the matrices differ in shape: (2,2) and (1,2)", Error);
  // A shape with values, or with one for all, is as before.
  CHECK(Tensor<double>({1, 2}, {3, 4}).shape() == Shape{1, 2});
  CHECK(Tensor<double>({2, 3}).shape() == Shape{2, 3});
  CHECK(Tensor<double>(Shape{2, 3}, 7.)(1, 2) == 7);
  CHECK(Tensor<double>{{2, 3}, 7.}.shape() == Shape{2, 3});
}
