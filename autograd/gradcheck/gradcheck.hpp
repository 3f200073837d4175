// Is this gradient right? Compares what grad() gives with differences of the function itself, for a
// function, a module or a whole model, in double. docs/gradcheck.md says what is computed and how
// to read the report.
#pragma once
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <axisgrad/autograd/gradcheck/options.hpp>
#include <axisgrad/autograd/gradcheck/outputs.hpp>
#include <axisgrad/autograd/gradcheck/report.hpp>

namespace axisgrad {
namespace gradchecking {

using Function = std::function<void(std::span<const Var<double>>, Outputs&)>;

GradcheckReport check(const Function& f, std::vector<Tensor<double>> inputs, int order,
                      const GradcheckOptions& options);

template <class X>
concept Input = std::is_convertible_v<X, double> || requires(const X& x) {
  []<Scalar T>(const Tensor<T>&) {}(x);
} || requires(const X& x) {
  []<Scalar T>(const Var<T>&) {}(x);
};

template <class X>
Tensor<double> in_double(const X& x) {
  if constexpr (std::is_convertible_v<X, double>)
    return Tensor<double>(Shape{}, double(x));
  else if constexpr (requires { x.value(); })
    return Tensor<double>(x.value());
  else
    return Tensor<double>(x);
}

// f on one Var for each input, the tensors being the first sizeof...(K) of the arguments.
template <class F, class Arguments, std::size_t... K>
GradcheckReport check_each(F& f, const Arguments& arguments, int order,
                           const GradcheckOptions& options, std::index_sequence<K...>) {
  const Function call = [&f](std::span<const Var<double>> x, Outputs& y) {
    collect(f(x[K]...), y);
  };
  return check(call, {in_double(std::get<K>(arguments))...}, order, options);
}
template <class F, class... X>
GradcheckReport check_arguments(F& f, int order, const X&... x) {
  const auto arguments = std::tie(x...);
  using Last = std::tuple_element_t<sizeof...(X) - 1, std::tuple<X...>>;
  if constexpr (std::is_same_v<Last, GradcheckOptions>)
    return check_each(f, arguments, order, std::get<sizeof...(X) - 1>(arguments),
                      std::make_index_sequence<sizeof...(X) - 1>());
  else
    return check_each(f, arguments, order, {}, std::make_index_sequence<sizeof...(X)>());
}
template <class F>
GradcheckReport check_list(F& f, const std::vector<Tensor<double>>& inputs, int order,
                           const GradcheckOptions& options) {
  std::vector<Var<double>> list;
  const Function call = [&](std::span<const Var<double>> x, Outputs& y) {
    list.assign(x.begin(), x.end());
    collect(f(std::as_const(list)), y);
    list.clear();
  };
  return check(call, inputs, order, options);
}

template <class X>
concept Argument = Input<X> || std::is_same_v<X, GradcheckOptions>;

}  // namespace gradchecking

/// Checks the gradient of f by every input and by every trainable parameter that f uses. Inputs are
/// tensors, constants or numbers of either precision, checked in double; f takes one Var<double>
/// for each and returns a Var, or a range, tuple or plain struct of Vars. The last argument may be
/// GradcheckOptions{...}. No module is changed. f must give the same for the same input; Errors
/// that it throws at the given point are passed on.
template <class F, gradchecking::Argument... X>
requires(sizeof...(X) > 0) [[nodiscard]] GradcheckReport gradcheck(F&& f, const X&... x) {
  return gradchecking::check_arguments(f, 1, x...);
}
/// The same for an f that takes its inputs as one list (std::vector or std::span of Var<double>).
template <class F>
[[nodiscard]] GradcheckReport gradcheck(F&& f, const std::vector<Tensor<double>>& inputs,
                                        const GradcheckOptions& options = {}) {
  return gradchecking::check_list(f, inputs, 1, options);
}

/// Checks the second order: the gradient of what grad(.create_graph) gives, by inputs, parameters
/// and cotangents.
template <class F, gradchecking::Argument... X>
requires(sizeof...(X) > 0) [[nodiscard]] GradcheckReport gradgradcheck(F&& f, const X&... x) {
  return gradchecking::check_arguments(f, 2, x...);
}
template <class F>
[[nodiscard]] GradcheckReport gradgradcheck(F&& f, const std::vector<Tensor<double>>& inputs,
                                            const GradcheckOptions& options = {}) {
  return gradchecking::check_list(f, inputs, 2, options);
}

}  // namespace axisgrad
