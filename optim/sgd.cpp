#include <axisgrad/optim/sgd.hpp>

namespace axisgrad {
namespace {

double rate_of(const SGDOptions& o) {
  return o.learning_rate.value_or(o.convention == Convention::keras ? 1e-2 : 1e-3);
}

}  // namespace

template <Scalar T>
SGD<T>::SGD(const SGDOptions& options)
    : OptimizerState<T>("SGD", rate_of(options), options.weight_decay), options_(options) {
  detail::require_option("SGD", "momentum", options.momentum, 0, 1);
  if (options.nesterov && options.momentum == 0)
    fail("SGD", "nesterov needs a momentum greater than 0");
  if (options.momentum > 0) this->add_slot("velocity");
}

template <Scalar T>
void SGD<T>::step() {
  const bool keras = options_.convention == Convention::keras, nesterov = options_.nesterov;
  const T momentum = static_cast<T>(options_.momentum);
  this->each_update([&](const auto& u) {
    const T rate = static_cast<T>(u.rate);
    const T shrink = static_cast<T>(keras ? 1 - u.rate * u.weight_decay : 1);
    const T decay = static_cast<T>(keras ? 0 : u.weight_decay);
    // With v in units of the gradient (torch) or of the parameter (Keras): v = momentum v + into g;
    // p += out (v, or into g + momentum v).
    const T into = keras ? -rate : T(1), out = keras ? T(1) : -rate;
    T* const v = u.slots.empty() ? nullptr : u.slots[0];
    for (Size i = 0; i < u.n; ++i) {
      const T g = into * (u.g[i] + decay * u.p[i]);
      T change = g;
      if (v) {
        v[i] = momentum * v[i] + g;
        change = nesterov ? g + momentum * v[i] : v[i];
      }
      u.p[i] = shrink * u.p[i] + out * change;
    }
  });
}

template class SGD<float>;
template class SGD<double>;

}  // namespace axisgrad
