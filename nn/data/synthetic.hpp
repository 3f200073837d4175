// Synthetic data with a known answer: which time step, or which feature, tells the target. For data
// in which series depend on each other see planted_dependency.hpp.
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

struct AddTwoNumbersOptions {
  Size samples = 10'000;
  Size time_steps = 20;
  std::uint64_t seed = 0;
};
/// Two numbers of each sequence are to be averaged, and a 0 in front of each says which: x
/// (samples, time_steps, 1) ~ U(0,1), two different positions a and b, neither the first,
/// y (samples, 1) = (x[a] + x[b]) / 2; after that x[a-1] = x[b-1] = 0. Where a and b are
/// neighbours, 2 of time_steps - 1 samples, the second 0 has replaced a number, and the best guess
/// errs by 1/8: no mean absolute error is below 1 / (4 (time_steps - 1)), .013 for 20 steps.
/// Source: add_two_numbers.py of github.com/philipperemy/keras-attention. Error for less than one
/// sample or three steps.
template <Scalar T>
[[nodiscard]] Dataset<T> add_two_numbers(AddTwoNumbersOptions options);

struct FindMaxOptions {
  Size samples = 10'000;
  Size time_steps = 10;
  std::uint64_t seed = 0;
};
/// x (samples, time_steps, 1) ~ Beta(1/10, 1), of which most is near 0; y (samples, 1) is the
/// largest of the sequence. Source: find_max.py of the same repository. Error for a size below 1.
template <Scalar T>
[[nodiscard]] Dataset<T> find_max(FindMaxOptions options);

}  // namespace axisgrad
