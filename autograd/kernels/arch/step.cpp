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

// The even, or the odd, lanes of a and b side by side: (a0, b0), (a2, b2), ...
inline Wide even_pairs(const Wide& a, const Wide& b) {
#if defined(__AVX512F__)
  return _mm512_unpacklo_epi64(a, b);
#elif defined(__AVX2__)
  return _mm256_unpacklo_epi64(a, b);
#else
  return _mm_unpacklo_epi64(a, b);
#endif
}
inline Wide odd_pairs(const Wide& a, const Wide& b) {
#if defined(__AVX512F__)
  return _mm512_unpackhi_epi64(a, b);
#elif defined(__AVX2__)
  return _mm256_unpackhi_epi64(a, b);
#else
  return _mm_unpackhi_epi64(a, b);
#endif
}

// Philox4x32-10 (random.hpp has it as a formula) of the counters (block, sample) for as many blocks
// as there are lanes.
class Philox {
 public:
  static constexpr Index words = 4 * abreast;  // of a draw

  Philox(std::uint64_t sample, std::uint64_t key) : sample_(sample) {
    auto k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
      keys_[round][0] = k0, keys_[round][1] = k1;
    // The first half of the blocks in the even lanes: what even_pairs() makes of the results is
    // then in the order of the blocks.
    for (Index l = 0; l < abreast / 2; ++l)
      order_[2 * l] = std::uint64_t(l), order_[2 * l + 1] = std::uint64_t(abreast / 2 + l);
  }
  // The four words of `block`, of block + 1, ...; `to` is aligned.
  [[gnu::always_inline]] void draw(std::uint64_t block, std::uint32_t* to) const {
    const Wide a(std::uint64_t(0xD2511F53u)), b(std::uint64_t(0xCD9E8D57u));
    Wide c0 = Wide(block) + Wide::load_aligned(order_), c1 = c0 >> 32, c2(sample_),
         c3(sample_ >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const Wide p = low_product(a, c0), r = low_product(b, c2);
      c0 = (r >> 32) ^ c1 ^ Wide(keys_[round][0]);
      c2 = (p >> 32) ^ c3 ^ Wide(keys_[round][1]);
      c1 = r, c3 = p;
    }
    const Wide low(std::uint64_t(0xFFFFFFFFu));
    c0 = (c0 & low) | (c1 << 32), c2 = (c2 & low) | (c3 << 32);
    auto* pairs = reinterpret_cast<std::uint64_t*>(to);
    even_pairs(c0, c2).store_aligned(pairs);
    odd_pairs(c0, c2).store_aligned(pairs + abreast);
  }

 private:
  alignas(64) std::uint64_t order_[abreast];
  std::uint64_t keys_[10][2], sample_;
};

template <class T>
void keep(Index n, std::uint64_t first, std::uint64_t sample, std::uint64_t key,
          std::uint64_t limit, T scale, T* to) {
  constexpr Index group = Philox::words;
  alignas(64) std::uint32_t words[group];
  // All are dropped when limit is 2^32, which no word holds.
  const T most = limit >> 32 ? T(0) : scale;
  const auto from = std::uint32_t(limit);
  const Philox philox(sample, key);
  std::uint64_t block = first / 4;
  for (Index skip = Index(first % 4), count; n > 0;
       skip = 0, n -= count, to += count, block += std::uint64_t(abreast)) {
    // By way of an array, which overlaps nothing: the choices go by vectors then.
    alignas(64) T kept[group];
    philox.draw(block, words);
    for (Index l = 0; l < group; ++l) kept[l] = words[l] < from ? T(0) : most;
    count = n < group - skip ? n : group - skip;
    if (count == group)
      __builtin_memcpy(to, kept, sizeof kept);
    else
      __builtin_memcpy(to, kept + skip, std::size_t(count) * sizeof(T));
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
