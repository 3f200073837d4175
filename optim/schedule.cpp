#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <axisgrad/optim/schedule.hpp>

namespace axisgrad {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require_step(std::string_view schedule, Size step) {
  if (step < 0) fail(schedule, "a step counts from 0, got ", step);
}

void require_period(std::string_view schedule, std::string_view option, Size steps) {
  if (steps < 1) fail(schedule, option, " must be at least 1, got ", steps);
}

void require_rate(std::string_view schedule, std::string_view option, double rate) {
  detail::require_option(schedule, option, rate, 0, infinity);
}

// From 1 at x = 0 to 0 at x = 1.
double half_cosine(double x) { return .5 * (1 + std::cos(std::numbers::pi * x)); }

double ratio(Size a, Size b) { return static_cast<double>(a) / static_cast<double>(b); }

}  // namespace

double StepDecay::operator()(Size step) const {
  require_step("StepDecay", step);
  require_period("StepDecay", "step_size", step_size);
  require_rate("StepDecay", "initial_learning_rate", initial_learning_rate);
  require_rate("StepDecay", "gamma", gamma);
  return initial_learning_rate * detail::power(gamma, step / step_size);
}

double ExponentialDecay::operator()(Size step) const {
  require_step("ExponentialDecay", step);
  require_period("ExponentialDecay", "decay_steps", decay_steps);
  require_rate("ExponentialDecay", "initial_learning_rate", initial_learning_rate);
  require_rate("ExponentialDecay", "decay_rate", decay_rate);
  if (staircase) return initial_learning_rate * detail::power(decay_rate, step / decay_steps);
  return initial_learning_rate * std::pow(decay_rate, ratio(step, decay_steps));
}

double CosineDecay::operator()(Size step) const {
  require_step("CosineDecay", step);
  require_period("CosineDecay", "decay_steps", decay_steps);
  require_rate("CosineDecay", "initial_learning_rate", initial_learning_rate);
  require_rate("CosineDecay", "alpha", alpha);
  if (warmup_steps < 0) fail("CosineDecay", "warmup_steps must be at least 0, got ", warmup_steps);
  if ((warmup_steps > 0) != warmup_target.has_value())
    fail("CosineDecay", "warmup_steps and warmup_target belong together: one is missing");
  const double top = warmup_target.value_or(initial_learning_rate);
  require_rate("CosineDecay", "warmup_target", top);
  if (step < warmup_steps)
    return initial_learning_rate + (top - initial_learning_rate) * ratio(step, warmup_steps);
  const double x = ratio(std::min(step - warmup_steps, decay_steps), decay_steps);
  return top * ((1 - alpha) * half_cosine(x) + alpha);
}

double CosineAnnealing::operator()(Size step) const {
  require_step("CosineAnnealing", step);
  require_period("CosineAnnealing", "period", period);
  require_rate("CosineAnnealing", "initial_learning_rate", initial_learning_rate);
  require_rate("CosineAnnealing", "low", low);
  return low + (initial_learning_rate - low) * half_cosine(ratio(step, period));
}

ReduceOnPlateau::ReduceOnPlateau(const PlateauOptions& options)
    : options_(options), best_(Shape{}, infinity), wait_(Shape{}, 0.0), cooldown_(Shape{}, 0.0) {
  constexpr std::string_view name = "ReduceOnPlateau";
  if (!(options.factor > 0 && options.factor < 1))
    fail(name, "factor must be greater than 0 and less than 1, got ", options.factor);
  if (options.patience < 0) fail(name, "patience must be at least 0, got ", options.patience);
  if (options.cooldown < 0) fail(name, "cooldown must be at least 0, got ", options.cooldown);
  require_rate(name, "min_delta", options.min_delta);
  require_rate(name, "min_learning_rate", options.min_learning_rate);
}

double ReduceOnPlateau::operator()(double loss, double learning_rate) {
  const bool keras = options_.convention == Convention::keras;
  double& best = *best_.mutable_data();
  double& wait = *wait_.mutable_data();
  double& cooldown = *cooldown_.mutable_data();
  // The first loss is always better, also with a relative threshold: infinity times a share.
  const bool better =
      loss < (keras ? best - options_.min_delta : best - std::abs(best) * options_.min_delta) ||
      (std::isinf(best) && loss < best);
  if (better) best = loss, wait = 0;
  const bool cooling = cooldown > 0;
  // Keras counts down first, and the last epoch of a cool-down already counts; torch's does not.
  if (cooling) --cooldown, wait = 0;
  if (!better && (keras ? cooldown == 0 : !cooling)) ++wait;
  if (keras ? better || wait < std::max<double>(1, static_cast<double>(options_.patience))
            : wait <= static_cast<double>(options_.patience))
    return learning_rate;
  wait = 0;
  cooldown = static_cast<double>(options_.cooldown);
  return std::min(learning_rate,
                  std::max(learning_rate * options_.factor, options_.min_learning_rate));
}

}  // namespace axisgrad
