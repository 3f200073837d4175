// RMSprop (Tieleman and Hinton 2012, lecture 6e).
#pragma once
#include <axisgrad/optim/optimizer.hpp>

namespace axisgrad {

struct RMSpropOptions {
  std::optional<double> learning_rate{};  // 0.001; torch 0.01
  std::optional<double> rho{};            // 0.9; torch, which calls it alpha, 0.99; [0, 1)
  double momentum = 0;                    // [0, 1)
  std::optional<double> epsilon{};        // 1e-7; torch 1e-8
  bool centered = false;                  // divide by the deviation instead of the mean square
  /// Keras: the value shrinks by the factor 1 - learning_rate weight_decay first. torch: the
  /// gradient becomes g + weight_decay p.
  double weight_decay = 0;
  Convention convention = Convention::keras;
};

/// v = rho v + (1-rho) g^2;  centered: a = rho a + (1-rho) g, and v - a^2 in the place of v;
/// Keras: d = lr g / sqrt(v + epsilon);   b = momentum b + d;  p -= b
/// torch: d = g / (sqrt(v) + epsilon);    b = momentum b + d;  p -= lr b
/// State "v", "mean" (centered), "velocity" (momentum).
template <Scalar T>
class RMSprop : public OptimizerState<T> {
 public:
  /// Error for an option out of range.
  explicit RMSprop(const RMSpropOptions& options = {});
  void step();

 private:
  RMSpropOptions options_;
  double rho_, epsilon_;
};

extern template class RMSprop<float>;
extern template class RMSprop<double>;

}  // namespace axisgrad
