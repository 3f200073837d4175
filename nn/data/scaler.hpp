// Scaling by feature: y = (x - shift) / scale + offset, fitted on the rows that training may see
// and on no others.
#pragma once
#include <vector>

#include <axisgrad/nn/data/dataset.hpp>

namespace axisgrad {

/// What the scalers share. The last axis of a tensor is its features: (N, F), (B, T, F). Before
/// fit() a transform is an error.
class FeatureScaler {
 public:
  /// (..., F) -> (..., F). Error when F is not the number of features fitted.
  template <Scalar T>
  [[nodiscard]] Tensor<T> transform(const Tensor<T>& x) const {
    return apply(x, false);
  }
  /// Back to the original units.
  template <Scalar T>
  [[nodiscard]] Tensor<T> inverse(const Tensor<T>& y) const {
    return apply(y, true);
  }

 protected:
  template <Scalar T>
  Tensor<T> apply(const Tensor<T>& x, bool inverse) const;
  void select_features(const std::vector<Size>& features);

  Tensor<double> shift_, scale_;  // (F)
  double offset_ = 0;
};

/// To mean 0 and standard deviation 1 (of the population: divided by N). A constant feature has its
/// deviation set to 1, so that it becomes 0 and stays finite.
class StandardScaler : public FeatureScaler {
 public:
  /// On all rows of (N, F), or on some. Error when there is none, or one is not finite.
  template <Scalar T>
  void fit(const Tensor<T>& x, Rows rows);
  template <Scalar T>
  void fit(const Tensor<T>& x) {
    fit(x, {0, x.rank() ? x.shape()[0] : 0});
  }
  [[nodiscard]] Tensor<double> mean() const { return shift_; }
  [[nodiscard]] Tensor<double> deviation() const { return scale_; }
  /// The scaler of some of the features, in this order: of those predicted, say.
  [[nodiscard]] StandardScaler select(const std::vector<Size>& features) const {
    StandardScaler s = *this;
    s.select_features(features);
    return s;
  }
  void visit(auto&& visitor) { visitor("mean", shift_), visitor("deviation", scale_); }
};

struct MinMaxOptions {
  double low = 0, high = 1;
};
/// To low at the smallest value and high at the largest. A constant feature becomes low.
class MinMaxScaler : public FeatureScaler {
 public:
  /// Error unless low < high.
  explicit MinMaxScaler(MinMaxOptions options = {});
  /// On all rows of (N, F), or on some. Error when there is none, or one is not finite.
  template <Scalar T>
  void fit(const Tensor<T>& x, Rows rows);
  template <Scalar T>
  void fit(const Tensor<T>& x) {
    fit(x, {0, x.rank() ? x.shape()[0] : 0});
  }
  [[nodiscard]] MinMaxScaler select(const std::vector<Size>& features) const {
    MinMaxScaler s = *this;
    s.select_features(features);
    return s;
  }
  void visit(auto&& visitor) { visitor("minimum", shift_), visitor("scale", scale_); }

 private:
  double span_;  // high - low
};

}  // namespace axisgrad
