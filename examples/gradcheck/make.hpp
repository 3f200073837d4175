// How a module becomes a check: what the lines of registry.cpp call.
#pragma once
#include <concepts>
#include <memory>
#include <utility>

#include <axisgrad/autograd/gradcheck/outputs.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/module.hpp>

#include "check.hpp"

namespace checks {

/// Elements of N(0,1), in float.
ag::Tensor<double> normal_values(const ag::Shape& shape, std::uint64_t seed);

/// Initial values, moved a little: a bias that is 0 would hide what depends on it.
void initialise(const ag::Parameters<float>& parameters);

// All that a module gives: its output; of a recurrent one the sequence, the last h and c.
struct Output {
  auto operator()(const auto& module, const auto&... x) const {
    if constexpr (requires { module(x...).sequence(); }) {
      const auto result = module(x...);
      std::vector all{result.sequence(), result.last()};
      if constexpr (requires { result.state().c; }) all.push_back(result.state().c);
      return all;
    } else {
      return module(x...);
    }
  }
};
struct WithWeights {
  auto operator()(const auto& module, const auto&... x) const { return module.with_weights(x...); }
};

// call(module, x...) as a function of a list.
template <ag::Scalar T, std::size_t inputs, class M, class Call>
Function<T> listed(std::shared_ptr<const M> module, Call call) {
  return [module, call](std::span<const ag::Var<T>> x) {
    ag::gradchecking::OutputsIn<T> outputs;
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      ag::gradchecking::collect(call(*module, x[k]...), outputs);
    }
    (std::make_index_sequence<inputs>());
    return outputs.ys;
  };
}

template <class Make, class Call, std::same_as<ag::Shape>... Shapes>
Case make_case(const std::string& title, const Make& make, const Call& call,
               const Shapes&... shapes) {
  using M = decltype(make());
  const auto module = std::make_shared<M>(make());
  std::size_t parameters = 0;
  if constexpr (ag::Module<M>) {
    const auto all = ag::parameters(*module);
    initialise(all);
    parameters = all.size();
  }
  std::uint64_t seed = 0;
  constexpr std::size_t inputs = sizeof...(Shapes);
  return {.title = title,
          .inputs = {normal_values(shapes, ++seed)...},
          .in_double = listed<double, inputs, M>(module, call),
          .in_float = listed<float, inputs, M>(module, call),
          .parameters = parameters};
}

/// A check of what make() returns, a module in float, called with one input of each shape; its
/// with_weights() as well, where it has one.
template <class Make, std::same_as<ag::Shape>... Shapes>
Check module(const std::string& name, Make make, Shapes... shapes) {
  return {name, "module", [=] {
            std::vector<Case> all{make_case("", make, Output{}, shapes...)};
            if constexpr (requires(decltype(make()) m, ag::Var<double> x) {
                            m.with_weights((void(shapes), x)...);
                          })
              all.push_back(make_case("with_weights()", make, WithWeights{}, shapes...));
            return all;
          }};
}
/// The same of a call that says itself how: call(module, x...).
template <class Make, class Call, std::same_as<ag::Shape>... Shapes>
Check module_called(const std::string& name, Make make, Call call, Shapes... shapes) {
  return {name, "module", [=] { return std::vector<Case>{make_case("", make, call, shapes...)}; }};
}
/// A composition of modules.
template <class Make, std::same_as<ag::Shape>... Shapes>
Check model(const std::string& name, Make make, Shapes... shapes) {
  Check check = module(name, make, shapes...);
  check.kind = "model";
  return check;
}
/// The same in a training recording, so that dropout drops, always the same elements.
inline Check in_training(Check check) {
  check.cases = [cases = check.cases] {
    std::vector<Case> all = cases();
    for (Case& c : all) c.recording = {.training = true, .seed = 3};
    return all;
  };
  return check;
}

}  // namespace checks
