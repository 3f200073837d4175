#include <algorithm>

#include <axisgrad/autograd/kernels/dropout.hpp>

namespace axisgrad::kernels {

template <class T>
void dropout_factors(const Dropout& d, Index begin, Index n, T* to) {
  const auto limit = static_cast<std::uint64_t>(d.rate * 0x1p32);
  const T scale = static_cast<T>(1 / (1 - d.rate));
  while (n > 0) {
    const Index sample = begin / d.per_sample, at = begin % d.per_sample;
    const Index count = std::min(n, d.per_sample - at);
    table<T>().step.keep(count, static_cast<std::uint64_t>(at),
                         d.first_sample + static_cast<std::uint64_t>(sample), d.key, limit, scale,
                         to);
    begin += count, n -= count, to += count;
  }
}

template void dropout_factors(const Dropout&, Index, Index, float*);
template void dropout_factors(const Dropout&, Index, Index, double*);

}  // namespace axisgrad::kernels
