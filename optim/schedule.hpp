// Schedules of the learning rate: pure functions of the step (0 at the first update), so that going
// on from step k gives the rest of the same curve. fit() takes any callable of that form.
#pragma once
#include <optional>

#include <axisgrad/optim/optimizer.hpp>

namespace axisgrad {

/// r gamma^floor(step / step_size). torch: StepLR.
struct StepDecay {
  double initial_learning_rate = 0;
  Size step_size = 1;
  double gamma = .1;
  [[nodiscard]] double operator()(Size step) const;
};

/// r decay_rate^(step / decay_steps), the exponent rounded down with staircase.
struct ExponentialDecay {
  double initial_learning_rate = 0;
  Size decay_steps = 1;
  double decay_rate = .9;
  bool staircase = false;
  [[nodiscard]] double operator()(Size step) const;
};

/// Keras's CosineDecay. r ((1 - alpha) (1 + cos(pi s/decay_steps))/2 + alpha), s = step, at most
/// decay_steps. With a warm-up the rate first rises in a straight line from initial_learning_rate
/// at step 0 to warmup_target at step warmup_steps; from there r = warmup_target and s counts from
/// 0. (An initial rate of 0 makes the first update change nothing.)
struct CosineDecay {
  double initial_learning_rate = 0;
  Size decay_steps = 1;
  double alpha = 0;
  std::optional<double> warmup_target{};
  Size warmup_steps = 0;
  [[nodiscard]] double operator()(Size step) const;
};

/// torch's CosineAnnealingLR: low + (r - low) (1 + cos(pi step/period))/2; rises again after
/// `period` steps.
struct CosineAnnealing {
  double initial_learning_rate = 0;
  Size period = 1;  // T_max
  double low = 0;   // eta_min
  [[nodiscard]] double operator()(Size step) const;
};

/// A warm-up in front of a schedule: step i < steps has the rate peak (i+1)/steps, so that the
/// first update does something and the peak, then(0), is in force once; then(1) follows it.
/// LinearWarmup{10, StepDecay{...}}
template <class Then>
struct LinearWarmup {
  Size steps;
  Then then;
  [[nodiscard]] double operator()(Size step) const {
    if (steps < 1) fail("LinearWarmup", "steps must be at least 1, got ", steps);
    if (step >= steps) return then(step - steps + 1);
    return then(0) * static_cast<double>(step + 1) / static_cast<double>(steps);
  }
};
template <class Then>
LinearWarmup(Size, Then) -> LinearWarmup<Then>;

struct PlateauOptions {
  double factor = .1;       // (0, 1)
  Size patience = 10;       // epochs without improvement before the rate falls
  double min_delta = 1e-4;  // an improvement is more than this (Keras), or this share (torch)
  Size cooldown = 0;        // epochs after a reduction that do not count
  double min_learning_rate = 0;
  Convention convention = Convention::keras;  // torch waits for one more epoch than `patience`
};

/// Reduces the learning rate when a loss no longer falls. All that it remembers is visited.
class ReduceOnPlateau {
 public:
  /// Error for an option out of range.
  explicit ReduceOnPlateau(const PlateauOptions& options = {});
  /// The rate for the next epoch, from this epoch's loss and rate.
  [[nodiscard]] double operator()(double loss, double learning_rate);
  void visit(auto&& visitor) {
    visitor("best", best_), visitor("wait", wait_), visitor("cooldown", cooldown_);
  }

 private:
  PlateauOptions options_;
  Tensor<double> best_, wait_, cooldown_;  // rank 0
};

}  // namespace axisgrad
