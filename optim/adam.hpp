// Adam (Kingma and Ba 2015, arXiv 1412.6980), AMSGrad (Reddi et al. 2018, arXiv 1904.09237) and
// AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101).
#pragma once
#include <axisgrad/optim/optimizer.hpp>

namespace axisgrad {

struct AdamOptions {
  std::optional<double> learning_rate{};  // 0.001
  double beta_1 = .9, beta_2 = .999;      // [0, 1)
  std::optional<double> epsilon{};        // 1e-7; torch 1e-8
  bool amsgrad = false;                   // divide by the largest v so far
  /// Adam: 0. Keras: the value shrinks by the factor 1 - learning_rate weight_decay first; torch:
  /// the gradient becomes g + weight_decay p. AdamW: 0.004, torch 0.01, shrinking in both.
  std::optional<double> weight_decay{};
  Convention convention = Convention::keras;
};

/// m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;  at step t, counted once for all parameters,
/// Keras: p -= lr sqrt(1-b2^t)/(1-b1^t) m / (sqrt(v) + epsilon)
/// torch: p -= lr/(1-b1^t) m / (sqrt(v/(1-b2^t)) + epsilon)
/// With amsgrad v there is the largest uncorrected v so far. State "m", "v", "v_max".
template <Scalar T>
class Adam : public OptimizerState<T> {
 public:
  /// Error for an option out of range.
  explicit Adam(const AdamOptions& options = {}) : Adam("Adam", options, false) {}
  void step();

 protected:
  Adam(std::string_view name, const AdamOptions& options, bool decoupled);

 private:
  AdamOptions options_;
  double epsilon_;
  bool shrinks_;  // weight decay acts on the value, not on the gradient
};

/// Adam whose weight decay acts on the value, apart from the moments, in both conventions.
template <Scalar T>
class AdamW : public Adam<T> {
 public:
  explicit AdamW(const AdamOptions& options = {}) : Adam<T>("AdamW", options, true) {}
};

extern template class Adam<float>;
extern template class Adam<double>;

}  // namespace axisgrad
