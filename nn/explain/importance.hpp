// What a trained model makes of its inputs, asked of the model rather than of its attention: what
// it loses when an input is scrambled, and how steeply its output rises with it.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/data/dataset.hpp>

namespace axisgrad {

struct PermutationOptions {
  Axis axis = Axis::feature;  // whose positions are scrambled, one at a time
  std::size_t input = 0;      // of several: which
  int repeats = 1;            // permutations, averaged
  std::uint64_t seed = 0;
  Size batch_size = 256;
};

struct InputGradientOptions {
  Axis axis = Axis::feature;  // whose positions are told apart; the others are summed over
  std::size_t input = 0;
  bool times_input = false;  // |gradient * x| instead of |gradient|
  Size batch_size = 256;
};

namespace detail {

/// Number of elements of the last axis of an output (N, ...): what has a row of its own; 1 for (N).
Size output_width(const Shape& y);

/// Adds (p - y)^2 of each element to the entry of its position on the last axis.
template <Scalar T>
void add_squared_errors(const Tensor<T>& p, const Tensor<T>& y, double* sums);

/// The position of an axis of `to` taken from `from`, in all samples. Shapes are equal.
template <Scalar T>
void replace_position(Tensor<T>& to, const Tensor<T>& from, int axis, Size position);

/// Adds |g|, or |g x|, to the entry of its position on the axis.
template <Scalar T>
void add_sizes(const Tensor<T>& g, const Tensor<T>* x, int axis, double* sums);

/// The axis as a number; Error unless it is one of the input's axes behind axis 0, and there is
/// such an input.
int explained_axis(std::string_view where, Axis axis, std::size_t input, std::size_t inputs,
                   const Shape& x, Size batch_size);

template <Scalar T, std::size_t Inputs>
Tensor<T>& input_of(Dataset<T, Inputs>& data, std::size_t k) {
  if constexpr (Inputs == 1)
    return (void)k, data.x;
  else
    return data.x[k];
}

/// Calls f(indices) for the samples 0, 1, ... in batches.
template <class F>
void for_each_batch(Size samples, Size batch_size, const F& f) {
  std::vector<Size> indices;
  for (Size first = 0; first < samples; first += batch_size) {
    indices.resize(static_cast<std::size_t>(std::min(batch_size, samples - first)));
    std::iota(indices.begin(), indices.end(), first);
    f(std::span<const Size>(indices));
  }
}

}  // namespace detail

/// By how much the mean squared error grows when one position of an axis holds the values of other
/// samples instead (Breiman 2001, section 10; Fisher, Rudin and Dominici 2019, arXiv 1801.01489):
/// the whole window of variable j comes from another sample, so that its own distribution stays and
/// its relation to the target is lost. -> (targets, positions), targets being the last axis of y,
/// in squared units of the target. About 0, of either sign, for what the model does not use. With
/// .axis = Axis::time it tells steps apart. One pass over the data for each position and repeat.
/// The model is any callable Var... -> Var of y's shape. Error for an axis that is not one of the
/// input's behind the batch, and for outputs of another shape.
template <class Model, Scalar T, std::size_t Inputs>
[[nodiscard]] Tensor<double> permutation_importance(const Model& model,
                                                    const Dataset<T, Inputs>& data,
                                                    const PermutationOptions& options = {}) {
  const std::string_view name = "permutation_importance";
  const Shape shape = data.input(options.input < Inputs ? options.input : 0).shape();
  const int axis =
      detail::explained_axis(name, options.axis, options.input, Inputs, shape, options.batch_size);
  if (options.repeats < 1) fail(name, "needs at least one permutation, got ", options.repeats);
  const Size samples = data.samples(), targets = detail::output_width(data.y.shape());
  const auto add = [&](const Dataset<T, Inputs>& batch, double* sums) {
    const Var<T> p = batch.with_inputs(
        [&](const auto&... x) -> Var<T> { return model(constant(Tensor<T>(x))...); });
    if (p.shape() != batch.y.shape())
      fail(name, "the model gave the shape ", p.shape(), " for targets ", batch.y.shape());
    detail::add_squared_errors(p.value(), batch.y, sums);
  };

  const auto width = static_cast<std::size_t>(targets);
  std::vector<double> base(width, 0.), scrambled(width);
  detail::for_each_batch(samples, options.batch_size,
                         [&](auto indices) { add(data.gather(indices), base.data()); });
  Tensor<double> result({targets, shape[axis]}, 0.);
  double* const to = result.mutable_data();
  const double errors = static_cast<double>(data.y.size() / targets) * options.repeats;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    const auto order =
        shuffled(samples, mix_keys(options.seed, static_cast<std::uint64_t>(repeat)));
    for (Size position = 0; position < shape[axis]; ++position) {
      std::fill(scrambled.begin(), scrambled.end(), 0.);
      detail::for_each_batch(samples, options.batch_size, [&](auto indices) {
        Dataset<T, Inputs> batch = data.gather(indices);
        const auto others =
            std::span(order).subspan(static_cast<std::size_t>(indices[0]), indices.size());
        detail::replace_position(detail::input_of(batch, options.input),
                                 gather_rows(data.input(options.input), others), axis, position);
        add(batch, scrambled.data());
      });
      for (std::size_t t = 0; t < width; ++t)
        to[static_cast<Size>(t) * shape[axis] + position] += (scrambled[t] - base[t]) / errors;
    }
  }
  return result;
}

/// Mean over the samples of |d output / d input| (Simonyan et al. 2014, arXiv 1312.6034), or of
/// |d output / d input * input| -> (targets, positions): each output's gradient by each element of
/// the input, absolute, summed over the axes of the input that are not told apart, averaged over
/// the axes of the output that are neither batch nor last. One backward pass for each element of a
/// sample's output, so (B,96,7) asks for 672 in every batch; take fewer samples, or a model that
/// returns the steps of interest. Samples must not depend on each other. Errors as above.
template <class Model, Scalar T, std::size_t Inputs>
[[nodiscard]] Tensor<double> input_gradients(const Model& model, const Dataset<T, Inputs>& data,
                                             const InputGradientOptions& options = {}) {
  const std::string_view name = "input_gradients";
  const Shape shape = data.input(options.input < Inputs ? options.input : 0).shape();
  const int axis =
      detail::explained_axis(name, options.axis, options.input, Inputs, shape, options.batch_size);
  Tensor<double> result;
  Size targets = 0, outputs = 0;
  detail::for_each_batch(data.samples(), options.batch_size, [&](auto indices) {
    const auto batch = data.gather(indices);
    Tape<T> tape;
    Var<T> at;
    std::size_t number = 0;
    const auto on_tape = [&](const Tensor<T>& x) {
      const bool explained = number++ == options.input;
      const Var<T> v = tape.input(x, {.gradient = explained});
      if (explained) at = v;
      return v;
    };
    const Var<T> y = batch.with_inputs([&](const auto&... x) -> Var<T> {
      const std::array<Var<T>, Inputs> vars{on_tape(x)...};  // in order
      return std::apply(model, vars);
    });
    const Size n = batch.samples();
    if (y.rank() < 1 || y.shape()[0] != n || y.size() == 0)
      fail(name, "the model gave the shape ", y.shape(), " for ", n, " samples");
    if (result.empty()) {
      targets = detail::output_width(y.shape()), outputs = y.size() / n;
      result = Tensor<double>({targets, shape[axis]}, 0.);
    }
    for (Size o = 0; o < outputs; ++o) {
      Tensor<T> one(y.shape(), T(0));
      for (Size i = 0; i < n; ++i) one.mutable_data()[i * outputs + o] = 1;
      const Tensor<T> g = grad<T>(y, at, {.cotangents = {Var<T>(one)}}).value();
      detail::add_sizes(g, options.times_input ? &at.value() : nullptr, axis,
                        result.mutable_data() + o % targets * shape[axis]);
    }
  });
  const double counted = static_cast<double>(data.samples() * (outputs / targets));
  double* const sums = result.mutable_data();
  std::transform(sums, sums + result.size(), sums, [&](double s) { return s / counted; });
  return result;
}

}  // namespace axisgrad
