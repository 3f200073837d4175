// Samples: one or several inputs and a target, all with the samples on their first axis.
//
// Training asks two things of its data, samples() and gather(indices); what offers them is a
// DataSource. A Dataset holds its samples, a Windows (windows.hpp) cuts them from a table when they
// are asked for.
#pragma once
#include <array>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

/// A range of rows or samples, begin <= i < end.
struct Rows {
  Size begin = 0, end = 0;
  [[nodiscard]] Size size() const { return end - begin; }
  friend bool operator==(const Rows&, const Rows&) = default;
};

/// Rows of x by index, in this order, repeats allowed: (N, ...) -> (indices, ...). Error for an
/// index that is not a row of x.
template <Scalar T>
[[nodiscard]] Tensor<T> gather_rows(const Tensor<T>& x, std::span<const Size> indices);

/// A copy of rows begin <= i < end: (N, ...) -> (end - begin, ...). Error when they are not rows of
/// x.
template <Scalar T>
[[nodiscard]] Tensor<T> take_rows(const Tensor<T>& x, Rows rows);

/// x is one tensor or, for several inputs, an array of them. Dataset data{x, y} and Dataset
/// data{std::array{x1, x2}, y} deduce which.
template <Scalar T, std::size_t Inputs = 1>
struct Dataset {
  static_assert(Inputs > 0);
  using scalar = T;
  using X = std::conditional_t<Inputs == 1, Tensor<T>, std::array<Tensor<T>, Inputs>>;
  static constexpr std::size_t inputs = Inputs;

  X x;
  Tensor<T> y;

  /// Error unless all have the same number of samples.
  Dataset(X x_, Tensor<T> y_) : x(std::move(x_)), y(std::move(y_)) { require_consistent(); }

  [[nodiscard]] Size samples() const { return y.empty() || y.rank() == 0 ? 0 : y.shape()[0]; }
  [[nodiscard]] Tensor<T> input(std::size_t i) const {
    if constexpr (Inputs == 1)
      return (void)i, x;
    else
      return x[i];
  }
  /// f(x1, x2, ...): how a model is called with the inputs.
  template <class F>
  decltype(auto) with_inputs(F&& f) const {
    return [&]<std::size_t... i>(std::index_sequence<i...>)->decltype(auto) {
      return std::forward<F>(f)(input(i)...);
    }
    (std::make_index_sequence<Inputs>());
  }

  /// Samples by index, in this order, repeats allowed; in steady state without an allocation. Error
  /// for an index out of range.
  [[nodiscard]] Dataset gather(std::span<const Size> indices) const {
    return map([&](const Tensor<T>& t) { return gather_rows(t, indices); });
  }
  /// The samples begin <= i < end. Error when they are not there.
  [[nodiscard]] Dataset take(Size begin, Size end) const {
    return map([&](const Tensor<T>& t) { return take_rows(t, {begin, end}); });
  }
  [[nodiscard]] Dataset take(Rows rows) const { return take(rows.begin, rows.end); }

  /// Error, naming tensor and index, when something in it is NaN or infinite.
  void require_finite() const {
    for (std::size_t i = 0; i < Inputs; ++i)
      axisgrad::require_finite(input(i), "dataset",
                               Inputs == 1 ? "x" : "x[" + std::to_string(i) + "]");
    axisgrad::require_finite(y, "dataset", "y");
  }
  /// Error unless all have the same number of samples: x and y may be written to.
  void require_consistent() const {
    for (std::size_t i = 0; i < Inputs; ++i) {
      const Tensor<T>& in = input(i);
      if (in.empty() || y.empty())
        fail("dataset", in.empty() ? "an input" : "the target", " is empty: it has no values");
      if (in.rank() == 0 || y.rank() == 0 || in.shape()[0] != y.shape()[0])
        fail("dataset", "inputs and target must have the same number of samples on axis 0, got ",
             in.shape(), " and ", y.shape());
    }
  }

 private:
  template <class F>
  Dataset map(F f) const {
    if constexpr (Inputs == 1)
      return {f(x), f(y)};
    else
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return Dataset(X{f(x[i])...}, f(y));
      }
    (std::make_index_sequence<Inputs>());
  }
};
template <Scalar T>
Dataset(Tensor<T>, Tensor<T>) -> Dataset<T, 1>;
template <Scalar T, std::size_t Inputs>
Dataset(std::array<Tensor<T>, Inputs>, Tensor<T>) -> Dataset<T, Inputs>;

/// What fit() trains on: gather returns a Dataset of the samples asked for.
template <class D>
concept DataSource = requires(const D& d, std::span<const Size> indices) {
  typename D::scalar;
  { d.samples() } -> std::same_as<Size>;
  { d.gather(indices).y } -> std::convertible_to<Tensor<typename D::scalar>>;
};

extern template Tensor<float> gather_rows(const Tensor<float>&, std::span<const Size>);
extern template Tensor<double> gather_rows(const Tensor<double>&, std::span<const Size>);
extern template Tensor<float> take_rows(const Tensor<float>&, Rows);
extern template Tensor<double> take_rows(const Tensor<double>&, Rows);

}  // namespace axisgrad
