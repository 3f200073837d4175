// Modules are plain structs of parameters and other modules. A module says what it is made of with
// one function:
//
//   void visit(auto&& visitor) { visitor("kernel", kernel); visitor("lstm", lstm); }
//
// and everything that walks parameters (names, initialisation, optimizers, weight files) goes
// through it.
#pragma once
#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include <axisgrad/nn/parameter.hpp>

namespace axisgrad {

namespace detail {
struct AnyVisitor {
  void operator()(std::string_view, auto&&) const {}
};
}  // namespace detail

template <class M>
concept Module = requires(M& m) {
  m.visit(detail::AnyVisitor{});
};

/// The parameters of a model in the order of visiting, each once, by full path.
template <Scalar T>
using Parameters = std::vector<Parameter<T>*>;

/// Calls f(path, parameter) for every parameter of a module, also for one that is met again (a tied
/// weight).
template <class M, class F>
void for_each_parameter(M& module, const F& f, const std::string& prefix = "") {
  module.visit([&](std::string_view name, auto& part) {
    const std::string path = prefix + std::string(name);
    if constexpr (requires { part.visit(detail::AnyVisitor{}); })
      for_each_parameter(part, f, path + ".");
    else
      f(path, part);
  });
}

/// The parameters of one module, or of several named 0., 1., ... in this order; one that is shared
/// is listed once. Writes each parameter's full path into its name.
template <Module First, Module... More>
[[nodiscard]] auto parameters(First& first, More&... more) {
  using T = typename First::scalar;
  Parameters<T> all;
  auto add = [&](const std::string& path, Parameter<T>& p) {
    if (std::find(all.begin(), all.end(), &p) != all.end()) return;
    p.set_name(path);
    all.push_back(&p);
  };
  int number = 0;
  auto walk = [&](auto& module) {
    for_each_parameter(module, add,
                       sizeof...(More) ? std::to_string(number++) + "." : std::string());
  };
  walk(first), (walk(more), ...);
  return all;
}

/// Number of elements of all parameters of some modules, one that is shared counted once. Names
/// stay as they are.
template <Module... Modules>
[[nodiscard]] Size count_parameters(Modules&... modules) {
  std::vector<ParameterId> met;
  Size n = 0;
  auto add = [&](const std::string&, auto& p) {
    if (std::find(met.begin(), met.end(), p.id()) != met.end()) return;
    met.push_back(p.id());
    n += p.shape().size();
  };
  (for_each_parameter(modules, add), ...);
  return n;
}

/// Number of elements of all parameters.
template <Scalar T>
[[nodiscard]] Size count(const Parameters<T>& parameters) {
  Size n = 0;
  for (const Parameter<T>* p : parameters) n += p->shape().size();
  return n;
}

/// Empties every grad.
template <Scalar T>
void zero_gradients(const Parameters<T>& parameters) {
  for (Parameter<T>* p : parameters) p->mutable_grad() = Tensor<T>();
}

/// Gives every parameter its first value (see Init), which depends on the seed, its name and its
/// shape only; a float parameter gets the rounded values of its double twin. Error for a parameter
/// without a name, or two of one name; then none is changed.
template <Scalar T>
void initialise(const Parameters<T>& parameters, std::uint64_t seed);

}  // namespace axisgrad
