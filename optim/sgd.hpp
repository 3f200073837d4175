// Stochastic gradient descent with momentum.
#pragma once
#include <axisgrad/optim/optimizer.hpp>

namespace axisgrad {

struct SGDOptions {
  std::optional<double> learning_rate{};  // 0.01; torch 0.001
  double momentum = 0;                    // [0, 1)
  bool nesterov = false;                  // needs momentum
  /// Keras: the value shrinks by the factor 1 - learning_rate weight_decay first. torch: the
  /// gradient becomes g + weight_decay p.
  double weight_decay = 0;
  Convention convention = Convention::keras;
};

/// Keras: v = momentum v - lr g; p += v, with nesterov p += momentum v - lr g.
/// torch: v = momentum v + g;    p -= lr v, with nesterov p -= lr (g + momentum v).
/// Equal while the learning rate stays the same; state "velocity" where there is momentum.
template <Scalar T>
class SGD : public OptimizerState<T> {
 public:
  /// Error for an option out of range.
  explicit SGD(const SGDOptions& options = {});
  void step();

 private:
  SGDOptions options_;
};

extern template class SGD<float>;
extern template class SGD<double>;

}  // namespace axisgrad
