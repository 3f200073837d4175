// Weights of samples: fit(model, parameters, adam, mse, weighted(data, weights)).
#pragma once
#include <vector>

#include <axisgrad/nn/data/dataset.hpp>

namespace axisgrad {

/// Samples of any source with a weight each; what weighted() makes. Their losses are multiplied by
/// the weights and divided by the number of losses, as in Keras.
template <DataSource D>
class WeightedData {
 public:
  using scalar = typename D::scalar;

  /// A batch of the source, with its weights.
  struct Batch : decltype(std::declval<const D&>().gather(std::span<const Size>())) {
    Tensor<scalar> weights;  // (N)
  };

  WeightedData(D data, Tensor<scalar> weights)
      : data_(std::move(data)), weights_(std::move(weights)) {
    if (weights_.empty() || weights_.shape() != Shape{data_.samples()})
      fail("weighted", "needs one weight for each of the ", data_.samples(),
           " samples, got the shape ", weights_.shape());
  }

  [[nodiscard]] Size samples() const { return data_.samples(); }
  [[nodiscard]] Batch gather(std::span<const Size> indices) const {
    return {data_.gather(indices), gather_rows(weights_, indices)};
  }
  void require_consistent() const {
    if constexpr (requires { data_.require_consistent(); }) data_.require_consistent();
  }
  void require_finite() const {
    if constexpr (requires { data_.require_finite(); }) data_.require_finite();
    axisgrad::require_finite(weights_, "weighted", "weights");
  }

 private:
  D data_;
  Tensor<scalar> weights_;
};

/// Data whose samples count more or less, weights (N). Error for another shape.
template <DataSource D>
[[nodiscard]] WeightedData<D> weighted(D data, Tensor<typename D::scalar> weights) {
  return {std::move(data), std::move(weights)};
}

/// Sample weights from a weight for each class, as Keras's class_weight: y holds class numbers, (N)
/// or (N,1), or is one-hot, (N, classes). -> (N). Error for a class without a weight.
template <Scalar T>
[[nodiscard]] Tensor<T> class_weights(const Tensor<T>& y, const std::vector<double>& weights);

extern template Tensor<float> class_weights(const Tensor<float>&, const std::vector<double>&);
extern template Tensor<double> class_weights(const Tensor<double>&, const std::vector<double>&);

}  // namespace axisgrad
