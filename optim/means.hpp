// Running means of a loss and of metrics.
#pragma once
#include <span>
#include <vector>

#include <axisgrad/nn/metrics.hpp>

namespace axisgrad {

/// The mean loss and metrics over samples, gathered batch by batch.
class Means {
 public:
  explicit Means(std::span<const Metric> metrics) : metrics_(metrics), sums_(metrics.size()) {}
  void clear();
  template <Scalar T>
  void add(double loss, const Tensor<T>& p, const Tensor<T>& y) {
    const double n = static_cast<double>(y.shape()[0]);
    samples_ += n, loss_ += n * loss;
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += n * metrics_[i].mean(p, y);
  }
  [[nodiscard]] double loss() const { return loss_ / samples_; }
  [[nodiscard]] std::span<const Metric> measured() const { return metrics_; }
  /// Of measured()[i].
  [[nodiscard]] double metric(std::size_t i) const {
    return metrics_[i].finish(sums_[i] / samples_);
  }
  [[nodiscard]] std::vector<double> metrics() const;

 private:
  std::span<const Metric> metrics_;
  std::vector<double> sums_;
  double loss_ = 0, samples_ = 0;
};

}  // namespace axisgrad
