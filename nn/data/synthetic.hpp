// Synthetic data with a known answer: which time step, or which feature, tells the target.
#pragma once
#include <cstdint>

#include <axisgrad/nn/data/dataset.hpp>

namespace axisgrad {

struct AttentionColumnOptions {
  Size samples = 10'000;
  Size time_steps = 20;
  Size features = 2;
  Size column = 10;  // the time step that holds the target
  std::uint64_t seed = 0;
};
/// x (samples, time_steps, features) ~ N(0,1) but for x[:, column, :] = y; y (samples, 1) is 0 or 1
/// with equal probability. The first samples of a longer set are those of a shorter one. Source:
/// get_data_recurrent of github.com/philipperemy/keras-attention. Error for a size below 1 or a
/// column that is not a time step.
template <Scalar T>
[[nodiscard]] Dataset<T> attention_column(AttentionColumnOptions options);

struct AttentionFeatureOptions {
  Size samples = 10'000;
  Size time_steps = 10;
  Size features = 8;
  Size column = 3;  // the feature that holds the target
  std::uint64_t seed = 0;
};
/// The same with the target in a feature: x[:, :, column] = y.
template <Scalar T>
[[nodiscard]] Dataset<T> attention_feature(AttentionFeatureOptions options);

}  // namespace axisgrad
