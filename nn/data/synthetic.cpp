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

template Dataset<float> attention_column(AttentionColumnOptions);
template Dataset<double> attention_column(AttentionColumnOptions);
template Dataset<float> attention_feature(AttentionFeatureOptions);
template Dataset<double> attention_feature(AttentionFeatureOptions);

}  // namespace axisgrad
