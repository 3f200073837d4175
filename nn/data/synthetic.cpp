#include <algorithm>

#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/data/synthetic.hpp>

namespace axisgrad {
namespace {

template <class Options>
void validate(const Options& o, std::string_view where, std::string_view axis, Size steps) {
  if (o.samples < 1 || o.time_steps < 1 || o.features < 1)
    fail(where, "samples, time_steps and features must be at least 1, got ", o.samples, ", ",
         o.time_steps, " and ", o.features);
  if (o.column < 0 || o.column >= steps)
    fail(where, "column ", o.column, " is not one of the ", steps, ' ', axis, " (counted from 0)");
}

// planted(t, f): whether this element of a sample is its target.
template <Scalar T, class Options, class Planted>
Dataset<T> plant(const Options& o, std::string_view name, Planted planted) {
  const std::uint64_t key = mix_keys(o.seed, key_of(name));
  const RandomStream noise(mix_keys(key, 0)), coin(mix_keys(key, 1));
  Tensor<T> x({o.samples, o.time_steps, o.features}), y({o.samples, 1});
  T *to = x.mutable_data(), *target = y.mutable_data();
  for (Size n = 0; n < o.samples; ++n) {
    const auto sample = static_cast<std::uint64_t>(n);
    target[n] = static_cast<T>(coin.bits(sample) & 1);
    for (Size t = 0; t < o.time_steps; ++t)
      for (Size f = 0; f < o.features; ++f)
        *to++ = planted(t, f) ? target[n]
                              : static_cast<T>(noise.normal(
                                    sample, static_cast<std::uint64_t>(t * o.features + f)));
  }
  return {std::move(x), std::move(y)};
}

}  // namespace

template <Scalar T>
Dataset<T> attention_column(AttentionColumnOptions o) {
  validate(o, "attention_column", "time steps", o.time_steps);
  return plant<T>(o, "attention_column", [&](Size t, Size) { return t == o.column; });
}

template <Scalar T>
Dataset<T> attention_feature(AttentionFeatureOptions o) {
  validate(o, "attention_feature", "features", o.features);
  return plant<T>(o, "attention_feature", [&](Size, Size f) { return f == o.column; });
}

template <Scalar T>
Dataset<T> add_two_numbers(AddTwoNumbersOptions o) {
  if (o.samples < 1 || o.time_steps < 3)
    fail("add_two_numbers", "needs at least 1 sample and 3 time steps, got ", o.samples, " and ",
         o.time_steps);
  const std::uint64_t key = mix_keys(o.seed, key_of("add_two_numbers"));
  const RandomStream numbers(mix_keys(key, 0)), places(mix_keys(key, 1));
  Tensor<T> x({o.samples, o.time_steps, 1}), y({o.samples, 1});
  T *sequence = x.mutable_data(), *target = y.mutable_data();
  for (Size n = 0; n < o.samples; ++n, sequence += o.time_steps) {
    const auto sample = static_cast<std::uint64_t>(n);
    const auto number = [&](Size t) {
      return numbers.uniform(sample, static_cast<std::uint64_t>(t));
    };
    const auto choose = [&](std::uint64_t draw, Size from) {
      return static_cast<Size>(places.uniform(sample, draw) * static_cast<double>(from));
    };
    for (Size t = 0; t < o.time_steps; ++t) sequence[t] = static_cast<T>(number(t));
    const Size a = 1 + choose(0, o.time_steps - 1);
    Size b = 1 + choose(1, o.time_steps - 2);
    b += b >= a;  // skips a: every pair is equally likely
    target[n] = static_cast<T>(.5 * number(a) + .5 * number(b));
    sequence[a - 1] = sequence[b - 1] = 0;
  }
  return {std::move(x), std::move(y)};
}

template <Scalar T>
Dataset<T> find_max(FindMaxOptions o) {
  if (o.samples < 1 || o.time_steps < 1)
    fail("find_max", "needs at least 1 sample and 1 time step, got ", o.samples, " and ",
         o.time_steps);
  const RandomStream numbers(mix_keys(o.seed, key_of("find_max")));
  Tensor<T> x({o.samples, o.time_steps, 1}), y({o.samples, 1});
  T *to = x.mutable_data(), *target = y.mutable_data();
  for (Size n = 0; n < o.samples; ++n) {
    for (Size t = 0; t < o.time_steps; ++t) {
      // The distribution function of Beta(1/10, 1) is v^(1/10), its inverse u^10.
      const double u = numbers.uniform(static_cast<std::uint64_t>(n),
                                       static_cast<std::uint64_t>(t)),
                   u2 = u * u, u4 = u2 * u2;
      to[t] = static_cast<T>(u4 * u4 * u2);
    }
    target[n] = *std::max_element(to, to + o.time_steps);
    to += o.time_steps;
  }
  return {std::move(x), std::move(y)};
}

template Dataset<float> attention_column(AttentionColumnOptions);
template Dataset<double> attention_column(AttentionColumnOptions);
template Dataset<float> attention_feature(AttentionFeatureOptions);
template Dataset<double> attention_feature(AttentionFeatureOptions);
template Dataset<float> add_two_numbers(AddTwoNumbersOptions);
template Dataset<double> add_two_numbers(AddTwoNumbersOptions);
template Dataset<float> find_max(FindMaxOptions);
template Dataset<double> find_max(FindMaxOptions);

}  // namespace axisgrad
