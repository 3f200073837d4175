// Dropout masks and the step of Adam against their formulas, bit for bit on every architecture.
#include <axisgrad/autograd/random.hpp>

#include "common.hpp"

using namespace axisgrad::kernels;

namespace {

template <class T>
void check_masks(Index n, std::uint64_t first, std::uint64_t sample, std::uint64_t limit) {
  CAPTURE(n);
  CAPTURE(first);
  CAPTURE(limit);
  const std::uint64_t key = 0x0123456789ABCDEF;
  const auto word = [](std::uint64_t v) { return std::uint32_t(v); };
  std::vector<T> expected(n + 1, T(-1)), got(n + 1, T(-1));  // the last one must stay as it is
  for (Index i = 0; i < n; ++i) {
    const std::uint64_t e = first + std::uint64_t(i), b = e / 4;
    const auto words = axisgrad::philox({word(b), word(b >> 32), word(sample), word(sample >> 32)},
                                        {word(key), word(key >> 32)});
    expected[i] = words[e % 4] < limit ? T(0) : T(1.25);
  }
  table<T>().step.keep(n, first, sample, key, limit, T(1.25), got.data());
  CHECK(same_bits(got, expected));
}

template <class T>
void check_adam(Index n, bool amsgrad) {
  CAPTURE(n);
  std::mt19937 random(3);
  const auto g = normal<T>(random, n);
  auto p = normal<T>(random, n), m = normal<T>(random, n), v = normal<T>(random, n), most = v;
  for (T& x : v) x = x * x;
  for (T& x : most) x = x * x;
  auto p_own = p, m_own = m, v_own = v, most_own = most;
  const AdamStep<T> o{T(.01), T(.1), T(.001), T(.99), T(.002), T(1.5), T(1e-7)};
  for (Index i = 0; i < n; ++i) {
    const T slope = g[i] + o.decay * p[i];
    m[i] += (slope - m[i]) * o.into_m;
    v[i] += (slope * slope - v[i]) * o.into_v;
    if (amsgrad) most[i] = std::max(most[i], v[i]);
    p[i] = o.shrink * p[i] -
           o.size * m[i] / (o.scale * std::sqrt(amsgrad ? most[i] : v[i]) + o.epsilon);
  }
  table<T>().step.adam(n, o, g.data(), p_own.data(), m_own.data(), v_own.data(),
                       amsgrad ? most_own.data() : nullptr);
  CHECK(same_bits(p_own, p));
  CHECK(same_bits(m_own, m));
  CHECK(same_bits(v_own, v));
  CHECK(same_bits(most_own, most));
}

}  // namespace

TEST_CASE("dropout masks: the words of Philox, for any length, first element and sample") {
  for_each_arch([] {
    for (Index n : {1, 3, 4, 31, 32, 33, 200})
      for (std::uint64_t first :
           {std::uint64_t(0), std::uint64_t(3), std::uint64_t(29), (std::uint64_t(1) << 34) - 11})
        for (std::uint64_t limit : {std::uint64_t(0), std::uint64_t(0x4CCCCCCC),
                                    std::uint64_t(0xFFFFFFFF), std::uint64_t(1) << 32}) {
          check_masks<float>(n, first, ~std::uint64_t(0), limit);
          check_masks<double>(n, first, 5, limit);
        }
  });
}

TEST_CASE("Adam's step: the formula, for any length") {
  for_each_arch([] {
    for (Index n : {1, 7, 16, 37})
      for (bool amsgrad : {false, true})
        check_adam<float>(n, amsgrad), check_adam<double>(n, amsgrad);
  });
}
