#include "known_answers.hpp"

#include <cmath>

#include <axisgrad/autograd/ops.hpp>

#include "gradients.hpp"

namespace ag = axisgrad;

namespace lesson {

ag::Dataset<float> correlated_pairs(ag::Size samples, ag::Size steps, double r,
                                    std::uint64_t seed) {
  constexpr ag::Size variables = 6;
  auto x = normal_values<float>({samples, steps, variables}, seed);
  ag::Tensor<float> y({variables, variables}, 0.f);
  for (ag::Size v = 0; v < variables; ++v) y.set({v, v}, 1);
  for (const ag::Size v : {0, 2}) {
    const double wanted = v == 0 ? r : -r, own = std::sqrt(1 - r * r);
    y.set({v, v + 1}, static_cast<float>(wanted)), y.set({v + 1, v}, static_cast<float>(wanted));
    for (ag::Size n = 0; n < samples; ++n)
      for (ag::Size t = 0; t < steps; ++t)
        x.set({n, t, v + 1}, static_cast<float>(wanted * static_cast<double>(x(n, t, v)) +
                                                own * static_cast<double>(x(n, t, v + 1))));
  }
  return {x, ag::expand(ag::constant(y), {samples, variables, variables}).value()};
}

AskedSteps asked_steps(ag::Size samples, ag::Size steps, std::uint64_t seed) {
  constexpr ag::Size asking = 3, marker = 3, noise = 4;
  const ag::RandomStream random(seed);
  ag::Tensor<float> x({samples, steps, 5}, 0.f), y({samples, steps, 1, asking}),
      right({samples, asking, steps, steps}, 0.f);
  for (ag::Size n = 0; n < samples; ++n) {
    const auto sample = static_cast<std::uint64_t>(n);
    std::uint64_t draw = 0;
    const auto below = [&](ag::Size end) {
      return static_cast<ag::Size>(random.uniform(sample, draw++) * static_cast<double>(end));
    };
    const ag::Size plus = below(steps), minus = (plus + 1 + below(steps - 1)) % steps;
    x.set({n, plus, marker}, 1), x.set({n, minus, marker}, -1);
    for (ag::Size t = 0; t < steps; ++t)
      x.set({n, t, noise}, static_cast<float>(random.normal(sample, draw++)));
    for (ag::Size t = 0; t < steps; ++t)
      for (ag::Size v = 0; v < asking; ++v) {
        const bool up = below(2) == 1;
        const ag::Size at = up ? plus : minus;
        x.set({n, t, v}, up ? 1 : -1);
        y.set({n, t, 0, v}, x(n, at, noise));
        right.set({n, v, t, at}, 1);
      }
  }
  return {{x, y}, right};
}

}  // namespace lesson
