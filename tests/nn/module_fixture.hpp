// Modules with values in all their parameters, and what is asked of every one of them.
#pragma once
#include <string>

#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/nn/module.hpp>

#include "../autograd/differences.hpp"

namespace axisgrad::tests {

/// Every parameter away from 0, so that a forgotten one is seen.
template <class M>
M filled(M module) {
  std::uint64_t seed = 20;
  for (auto* p : parameters(module)) {
    auto x = noise<typename M::scalar>(p->shape(), ++seed);
    for (Size i = 0; i < x.size(); ++i) x.mutable_data()[i] *= .6;
    p->set_value(x);
  }
  return module;
}

inline Var<double> values(const Shape& shape, std::uint64_t seed = 1) {
  return Var<double>(noise<double>(shape, seed));
}

/// "name (shape)" of each parameter, in order: what get_weights() of Keras would list.
template <class M>
std::string listed(M& module) {
  std::ostringstream text;
  for (auto* p : parameters(module))
    text << (text.tellp() > 0 ? ", " : "") << p->name() << ' ' << p->shape();
  return text.str();
}

/// First and second order, in double, to 1e-6.
template <class F, class... X>
void check_gradients(const F& f, const X&... x) {
  const auto first = gradcheck(f, x...);
  CHECK_MESSAGE(bool(first), first);
  const auto second = gradgradcheck(f, x...);
  CHECK_MESSAGE(bool(second), second);
}

inline double off(const Var<double>& a, const Var<double>& b) {
  return distance(a.value(), b.value());
}
/// How far the sums along an axis are from 1.
inline double off_one(const Var<double>& weights, Axis axis) {
  return max(abs(sum(weights, axis) - 1.)).item();
}

}  // namespace axisgrad::tests
