#include <algorithm>
#include <cmath>
#include <limits>

#include <axisgrad/optim/rmsprop.hpp>

namespace axisgrad {
namespace {

double rate_of(const RMSpropOptions& o) {
  return o.learning_rate.value_or(o.convention == Convention::keras ? 1e-3 : 1e-2);
}

}  // namespace

template <Scalar T>
RMSprop<T>::RMSprop(const RMSpropOptions& options)
    : OptimizerState<T>("RMSprop", rate_of(options), options.weight_decay), options_(options) {
  const bool keras = options.convention == Convention::keras;
  rho_ = options.rho.value_or(keras ? .9 : .99);
  epsilon_ = options.epsilon.value_or(keras ? 1e-7 : 1e-8);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  detail::require_option("RMSprop", "rho", rho_, 0, 1);
  detail::require_option("RMSprop", "momentum", options.momentum, 0, 1);
  detail::require_option("RMSprop", "epsilon", epsilon_, 0, infinity);
  this->add_slot("v");
  if (options.centered) this->add_slot("mean");
  if (options.momentum > 0) this->add_slot("velocity");
}

template <Scalar T>
void RMSprop<T>::step() {
  const bool keras = options_.convention == Convention::keras;
  const T epsilon = static_cast<T>(epsilon_), into = static_cast<T>(1 - rho_),
          momentum = static_cast<T>(options_.momentum);
  this->each_update([&](const auto& u) {
    const T rate = static_cast<T>(u.rate);
    const T shrink = static_cast<T>(keras ? 1 - u.rate * u.weight_decay : 1);
    const T decay = static_cast<T>(keras ? 0 : u.weight_decay);
    const T inner = keras ? rate : T(1), outer = keras ? T(1) : rate;
    T* const v = u.slots[0];
    T* const mean = options_.centered ? u.slots[1] : nullptr;
    T* const velocity = options_.momentum > 0 ? u.slots.back() : nullptr;
    for (Size i = 0; i < u.n; ++i) {
      const T g = u.g[i] + decay * u.p[i];
      v[i] += (g * g - v[i]) * into;
      T square = v[i];
      if (mean) {
        mean[i] += (g - mean[i]) * into;
        // A variance, but rounding can take it below 0 when the gradient hardly changes.
        square = std::max(square - mean[i] * mean[i], T(0));
      }
      T d = inner * g / (keras ? std::sqrt(square + epsilon) : std::sqrt(square) + epsilon);
      if (velocity) d = velocity[i] = momentum * velocity[i] + d;
      u.p[i] = shrink * u.p[i] - outer * d;
    }
  });
}

template class RMSprop<float>;
template class RMSprop<double>;

}  // namespace axisgrad
