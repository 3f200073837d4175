// Random numbers by counter: number i of a stream is a function of (key, i) alone. There is no
// state to carry, so that results depend neither on threads nor on the order in which numbers are
// drawn, and only integer and IEEE + - * / sqrt operations are used, so that every compiler and CPU
// gives the same bits.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <axisgrad/autograd/shape.hpp>

namespace axisgrad {

/// Philox4x32-10 of Salmon, Moraes, Dror, Shaw (2011), "Parallel random numbers: as easy as 1, 2,
/// 3": 128 bits for a counter and a key.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                            std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0],
                        b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9, key[1] += 0xBB67AE85;
  }
  return counter;
}

/// A key made of two others; the order matters. Bits of either input reach all bits of the result
/// (the finalizer of SplitMix64).
[[nodiscard]] constexpr std::uint64_t mix_keys(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0xD1342543DE82EF95u + b + 0x9E3779B97F4A7C15u;
  for (int twice = 0; twice < 2; ++twice) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
  }
  return x;
}

/// A key made of a name (FNV-1a, 64 bits).
[[nodiscard]] constexpr std::uint64_t key_of(std::string_view name) {
  std::uint64_t h = 0xCBF29CE484222325u;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return h;
}

/// The z with P(Z <= z) = p for a standard normal Z and 0 < p < 1: algorithm AS 241 (Wichura 1988),
/// relative error about 1e-15.
[[nodiscard]] double normal_quantile(double p);

/// Independent numbers 0, 1, 2, ... in any order. With two indices, (block, i), each block is a
/// stream of its own: a sample and an index within it, say.
class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t key)
      : key_{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)} {}

  /// 64 uniform bits.
  [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t i) const { return bits(0, i); }
  [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t block, std::uint64_t i) const {
    const auto word = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto four = philox({word(i >> 1), word(i >> 33), word(block), word(block >> 32)}, key_);
    const unsigned half = i & 1 ? 2 : 0;
    return four[half] | std::uint64_t{four[half + 1]} << 32;
  }
  /// Uniform in [0, 1), a multiple of 2^-53.
  [[nodiscard]] constexpr double uniform(std::uint64_t i) const { return uniform(0, i); }
  [[nodiscard]] constexpr double uniform(std::uint64_t block, std::uint64_t i) const {
    return static_cast<double>(bits(block, i) >> 11) * 0x1p-53;
  }
  /// Standard normal. The probability it is made of is (k + 1/2) 2^-52, which is exact, symmetric
  /// and never 0 or 1.
  [[nodiscard]] double normal(std::uint64_t i) const { return normal(0, i); }
  [[nodiscard]] double normal(std::uint64_t block, std::uint64_t i) const {
    return normal_quantile((static_cast<double>(bits(block, i) >> 12) + 0.5) * 0x1p-52);
  }

 private:
  std::array<std::uint32_t, 2> key_;
};

/// Brings the elements into a random order that depends on the key and their number only
/// (Fisher-Yates, every order equally likely).
void shuffle(std::span<Size> elements, std::uint64_t key);

/// 0, 1, ..., n-1 in the order that shuffle gives them. Error for n < 0.
[[nodiscard]] std::vector<Size> shuffled(Size n, std::uint64_t key);

}  // namespace axisgrad
