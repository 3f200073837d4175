#include <algorithm>
#include <cmath>
#include <limits>

#include <axisgrad/autograd/kernels/parallel.hpp>
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
    const kernels::AdamStep<T> step{decay, into_m, into_v, shrink, size, scale, epsilon};
    T* const v_max = options_.amsgrad ? u.slots[2] : nullptr;
    constexpr Size chunk = Size(1) << 16, parallel_from = Size(1) << 18;
    kernels::parallel_chunks(u.n, u.n < parallel_from ? u.n : chunk, [&](Size begin, Size end) {
      kernels::table<T>().step.adam(end - begin, step, u.g + begin, u.p + begin, u.slots[0] + begin,
                                    u.slots[1] + begin, v_max ? v_max + begin : nullptr);
    });
  });
}

template class Adam<float>;
template class Adam<double>;

}  // namespace axisgrad
