#include <algorithm>
#include <numeric>

#include <axisgrad/autograd/kernels/copy.hpp>

#include "common.hpp"

namespace axisgrad::kernels {
namespace {

// Index by index, as the definition says.
template <class F>
void walk(const std::vector<Index>& sizes, F f) {
  std::vector<Index> at(sizes.size());
  for (Index s : sizes)
    if (s == 0) return;
  for (;;) {
    f(at);
    int i = int(sizes.size()) - 1;
    for (; i >= 0 && ++at[i] == sizes[i]; --i) at[i] = 0;
    if (i < 0) return;
  }
}
Index offset(const std::vector<Index>& at, const std::vector<Index>& strides) {
  return std::inner_product(at.begin(), at.end(), strides.begin(), Index(0));
}

// Strides of a view with its axes in a random order, some of them broadcast, some with gaps.
std::vector<Index> random_strides(std::mt19937& g, const std::vector<Index>& sizes, bool broadcast,
                                  Index& extent) {
  std::vector<int> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  if (g() % 3) std::shuffle(order.begin(), order.end(), g);
  std::vector<Index> strides(sizes.size());
  Index step = 1;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    if (broadcast && g() % 4 == 0) continue;
    strides[*i] = step;
    step *= std::max<Index>(sizes[*i], 1) + (g() % 5 == 0);
  }
  extent = step;
  return strides;
}

template <class T>
void check(std::mt19937& g, const std::vector<Index>& sizes) {
  Index in_size = 0, out_size = 0;
  const auto in_strides = random_strides(g, sizes, true, in_size);
  const auto in = normal<T>(g, in_size);
  const int rank = int(sizes.size());

  const auto copy_strides = random_strides(g, sizes, false, out_size);
  auto out = normal<T>(g, out_size), expected = out;
  walk(sizes, [&](auto& at) { expected[offset(at, copy_strides)] = in[offset(at, in_strides)]; });
  copy_strided(rank, sizes.data(), in_strides.data(), in.data(), copy_strides.data(), out.data());
  CHECK(same_bits(out, expected));

  const auto add_strides = random_strides(g, sizes, true, out_size);
  std::vector<T> sum(out_size, T(1));
  std::vector<long double> exact(out_size, 1), size(out_size, 1);
  walk(sizes, [&](auto& at) {
    const T x = in[offset(at, in_strides)];
    exact[offset(at, add_strides)] += x, size[offset(at, add_strides)] += std::abs(x);
  });
  add_strided(rank, sizes.data(), in_strides.data(), in.data(), add_strides.data(), sum.data());
  double worst = 0;
  for (Index i = 0; i < out_size; ++i)
    keep_worst(worst, double(std::abs(exact[i] - sum[i]) / size[i]));
  CHECK(worst < 100 * std::numeric_limits<T>::epsilon());
}

template <class T>
void check_all() {
  std::mt19937 g(1);
  for (int r = 0; r < 3000; ++r) {
    std::vector<Index> sizes(g() % 6);
    for (Index& s : sizes) s = g() % 20 == 0 ? 0 : 1 + g() % 7;
    check<T>(g, sizes);
  }
  for (int r = 0; r < 60; ++r)
    check<T>(g, {Index(1 + g() % 150), Index(1 + g() % 3), Index(1 + g() % 150)});
}

}  // namespace

TEST_CASE("strided copies and additions") {
  check_all<float>();
  check_all<double>();
}
TEST_CASE("negative strides turn an axis round") {
  const double in[] = {1, 2, 3, 4, 5, 6};
  double out[6] = {};
  const Index sizes[] = {2, 3}, from[] = {3, -1}, to[] = {3, 1};
  copy_strided(2, sizes, from, in + 2, to, out);
  const double expected[] = {3, 2, 1, 6, 5, 4};
  CHECK(std::equal(out, out + 6, expected));
}

}  // namespace axisgrad::kernels
