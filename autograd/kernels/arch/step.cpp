// What a training step needs besides its products: masks of dropout, and the step of Adam.
#include <cstdint>

#include <axisgrad/autograd/kernels/arch/vector.hpp>

namespace axisgrad::kernels {
namespace AXISGRAD_ARCH_SPACE {
namespace {

// One block of Philox in each 64-bit lane; only the low half of a lane counts, the high one holds
// what is left of products.
using Wide = xsimd::batch<std::uint64_t>;
constexpr Index abreast = Index(Wide::size);

inline Wide low_product(const Wide& a, const Wide& b) {  // xsimd has no 32 x 32 -> 64
#if defined(__AVX512F__)
  return _mm512_mul_epu32(a, b);
#elif defined(__AVX2__)
  return _mm256_mul_epu32(a, b);
#else
  return _mm_mul_epu32(a, b);
#endif
}

// Philox4x32-10 (random.hpp has it as a formula) of the counters (block, sample) for as many blocks
// as there are lanes: pairs[2q] holds the words 0 and 1 of the q-th, pairs[2q + 1] the words 2
// and 3.
void philox(std::uint64_t block, std::uint64_t sample, std::uint64_t key, std::uint64_t* pairs) {
  alignas(64) std::uint64_t t[abreast], u[abreast];
  for (Index q = 0; q < abreast; ++q) t[q] = block + std::uint64_t(q);
  const Wide a(std::uint64_t(0xD2511F53u)), b(std::uint64_t(0xCD9E8D57u));
  Wide c0 = Wide::load_aligned(t), c1 = c0 >> 32, c2(sample), c3(sample >> 32);
  auto k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const Wide p = low_product(a, c0), r = low_product(b, c2);
    c0 = (r >> 32) ^ c1 ^ Wide(std::uint64_t(k0));
    c2 = (p >> 32) ^ c3 ^ Wide(std::uint64_t(k1));
    c1 = r, c3 = p;
  }
  const Wide low(std::uint64_t(0xFFFFFFFFu));
  ((c0 & low) | (c1 << 32)).store_aligned(t);
  ((c2 & low) | (c3 << 32)).store_aligned(u);
  for (Index q = 0; q < abreast; ++q) pairs[2 * q] = t[q], pairs[2 * q + 1] = u[q];
}

template <class T>
void keep(Index n, std::uint64_t block, std::uint64_t sample, std::uint64_t key,
          std::uint64_t limit, T scale, T* to) {
  constexpr Index group = 4 * abreast;
  alignas(64) std::uint64_t pairs[2 * abreast];
  alignas(64) std::uint32_t words[group];
  alignas(64) T kept[group];
  // All are dropped when limit is 2^32, which no word holds.
  const T most = limit >> 32 ? T(0) : scale;
  const auto from = std::uint32_t(limit);
  for (Index i = 0; i < n; i += group, block += std::uint64_t(abreast)) {
    philox(block, sample, key, pairs);
    __builtin_memcpy(words, pairs, sizeof words);
    for (Index l = 0; l < group; ++l) kept[l] = words[l] < from ? T(0) : most;
    if (n - i >= group)
      __builtin_memcpy(to + i, kept, sizeof kept);
    else
      __builtin_memcpy(to + i, kept, std::size_t(n - i) * sizeof(T));
  }
}

template <class T>
void adam(Index n, const AdamStep<T>& o, const T* g, T* p, T* m, T* v, T* v_max) {
  using V = Vec<T>;
  by_vector<T>(n, [&](Index j, auto k) {
    const V value = load(p + j, k), slope = load(g + j, k) + V(o.decay) * value;
    V first = load(m + j, k), second = load(v + j, k);
    first = first + (slope - first) * V(o.into_m);
    second = second + (slope * slope - second) * V(o.into_v);
    store(first, m + j, k), store(second, v + j, k);
    if (v_max) {
      const V most = load(v_max + j, k);
      second = xsimd::select(most < second, second, most);
      store(second, v_max + j, k);
    }
    const V down = V(o.scale) * xsimd::sqrt(second) + V(o.epsilon);
    store(V(V(o.shrink) * value - V(o.size) * first / down), p + j, k);
  });
}

template <class T>
constexpr StepKernels<T> kernels = {.keep = &keep<T>, .adam = &adam<T>};

}  // namespace
}  // namespace AXISGRAD_ARCH_SPACE

template <>
const StepKernels<float>& step_kernels<Arch::AXISGRAD_ARCH_NAME, float>() {
  return AXISGRAD_ARCH_SPACE::kernels<float>;
}
template <>
const StepKernels<double>& step_kernels<Arch::AXISGRAD_ARCH_NAME, double>() {
  return AXISGRAD_ARCH_SPACE::kernels<double>;
}

}  // namespace axisgrad::kernels
