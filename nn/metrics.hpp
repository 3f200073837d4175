// Metrics: how good a prediction is, in terms for people. Not differentiable; plain functions of
// two tensors of equal shape.
#pragma once
#include <string_view>

#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

/// A metric is a mean over elements (or rows) that may be transformed at the end, as the root in
/// rmse: fit() takes the means of the batches, weighted by their samples, and finishes once, so
/// that the result does not depend on the batches.
struct Metric {
  std::string_view name;
  double (*mean_float)(const Tensor<float>& p, const Tensor<float>& t);
  double (*mean_double)(const Tensor<double>& p, const Tensor<double>& t);
  double (*finish)(double mean) = [](double mean) { return mean; };

  double mean(const Tensor<float>& p, const Tensor<float>& t) const { return mean_float(p, t); }
  double mean(const Tensor<double>& p, const Tensor<double>& t) const { return mean_double(p, t); }
  /// Of prediction p and truth t; NaN when they are of size 0. Error when the shapes differ.
  template <Scalar T>
  [[nodiscard]] double operator()(const Tensor<T>& p, const Tensor<T>& t) const {
    return finish(mean(p, t));
  }
};

namespace metrics {

/// Root of the mean of (p - t)^2.
extern const Metric rmse;
/// Mean of |p - t|.
extern const Metric mae;
/// Mean of |p - t| / max(|t|, 1e-7), in percent.
extern const Metric mape;
/// How often p > 0.5 where t > 0.5 and only there.
extern const Metric binary_accuracy;
/// The same of logits: p > 0.
extern const Metric binary_accuracy_from_logits;
/// How often p and t are largest at the same position of the last axis; the first of equals counts.
extern const Metric categorical_accuracy;

/// The metric of this name; Error listing the names when there is none.
[[nodiscard]] const Metric& by_name(std::string_view name);

}  // namespace metrics
}  // namespace axisgrad
