#include <algorithm>
#include <cmath>
#include <limits>

#include <axisgrad/optim/adam.hpp>

namespace axisgrad {

namespace {

double decay_of(const AdamOptions& o, bool decoupled) {
  return o.weight_decay.value_or(!decoupled ? 0 : o.convention == Convention::keras ? .004 : .01);
}

}  // namespace

template <Scalar T>
Adam<T>::Adam(std::string_view name, const AdamOptions& options, bool decoupled)
    : OptimizerState<T>(name, options.learning_rate.value_or(1e-3), decay_of(options, decoupled)),
      options_(options) {
  const bool keras = options.convention == Convention::keras;
  epsilon_ = options.epsilon.value_or(keras ? 1e-7 : 1e-8);
  shrinks_ = decoupled || keras;
  detail::require_option(name, "beta_1", options.beta_1, 0, 1);
  detail::require_option(name, "beta_2", options.beta_2, 0, 1);
  detail::require_option(name, "epsilon", epsilon_, 0, std::numeric_limits<double>::infinity());
  this->add_slot("m");
  this->add_slot("v");
  if (options.amsgrad) this->add_slot("v_max");
}

template <Scalar T>
void Adam<T>::step() {
  const Size t = this->steps() + 1;
  const double correct_m = 1 - detail::power(options_.beta_1, t);
  const double root_v = std::sqrt(1 - detail::power(options_.beta_2, t));
  // Both conventions are p -= size m / (scale sqrt(v) + epsilon).
  const bool keras = options_.convention == Convention::keras;
  const T scale = static_cast<T>(keras ? 1 : 1 / root_v), epsilon = static_cast<T>(epsilon_);
  const T into_m = static_cast<T>(1 - options_.beta_1),
          into_v = static_cast<T>(1 - options_.beta_2);
  this->each_update([&](const auto& u) {
    const T size = static_cast<T>(u.rate / correct_m * (keras ? root_v : 1));
    const T shrink = static_cast<T>(shrinks_ ? 1 - u.rate * u.weight_decay : 1);
    const T decay = static_cast<T>(shrinks_ ? 0 : u.weight_decay);
    T* const m = u.slots[0];
    T* const v = u.slots[1];
    T* const v_max = options_.amsgrad ? u.slots[2] : nullptr;
    for (Size i = 0; i < u.n; ++i) {
      const T g = u.g[i] + decay * u.p[i];
      m[i] += (g - m[i]) * into_m;
      v[i] += (g * g - v[i]) * into_v;
      T second = v[i];
      if (v_max) second = v_max[i] = std::max(v_max[i], v[i]);
      u.p[i] = shrink * u.p[i] - size * m[i] / (scale * std::sqrt(second) + epsilon);
    }
  });
}

template class Adam<float>;
template class Adam<double>;

}  // namespace axisgrad
