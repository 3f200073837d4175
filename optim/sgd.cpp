#include <limits>

#include <axisgrad/optim/sgd.hpp>

namespace axisgrad {
namespace {

double rate_of(const SGDOptions& o) {
  return o.learning_rate.value_or(o.convention == Convention::keras ? 1e-2 : 1e-3);
}

}  // namespace

template <Scalar T>
SGD<T>::SGD(const SGDOptions& options)
    : OptimizerState<T>("SGD", rate_of(options)), options_(options) {
  detail::require_option("SGD", "momentum", options.momentum, 0, 1);
  detail::require_option("SGD", "weight_decay", options.weight_decay, 0,
                         std::numeric_limits<double>::infinity());
  if (options.nesterov && options.momentum == 0)
    fail("SGD", "nesterov needs a momentum greater than 0");
  if (options.momentum > 0) this->add_slot("velocity");
}

template <Scalar T>
void SGD<T>::step() {
  const double learning_rate = this->learning_rate();
  const bool keras = options_.convention == Convention::keras, nesterov = options_.nesterov;
  const T rate = static_cast<T>(learning_rate), momentum = static_cast<T>(options_.momentum);
  const T shrink = static_cast<T>(keras ? 1 - learning_rate * options_.weight_decay : 1);
  const T decay = static_cast<T>(keras ? 0 : options_.weight_decay);
  // With v in units of the gradient (torch) or of the parameter (Keras): v = momentum v + into g;
  // p += out (v, or into g + momentum v).
  const T into = keras ? -rate : T(1), out = keras ? T(1) : -rate;
  this->each_update([&](const auto& u) {
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
