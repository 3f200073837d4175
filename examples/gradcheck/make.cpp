#include "make.hpp"

namespace checks {

ag::Tensor<double> normal_values(const ag::Shape& shape, std::uint64_t seed) {
  const ag::RandomStream random(seed);
  ag::Tensor<double> x(shape);
  for (ag::Size i = 0; i < x.size(); ++i)
    x.mutable_data()[i] =
        static_cast<double>(static_cast<float>(random.normal(static_cast<std::uint64_t>(i))));
  return x;
}

void initialise(const ag::Parameters<float>& parameters) {
  ag::initialise(parameters, 1);
  std::uint64_t seed = 1000;
  for (ag::Parameter<float>* p : parameters) {
    const auto noise = normal_values(p->shape(), ++seed);
    float* const value = p->mutable_data();
    for (ag::Size i = 0; i < noise.size(); ++i)
      value[i] += static_cast<float>(.1 * noise.data()[i]);
  }
}

}  // namespace checks
