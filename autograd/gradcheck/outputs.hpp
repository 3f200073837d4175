// Whatever a checked function returns, as a list of Vars: a Var, a range or a tuple of them, or a
// plain struct such as {out, weights, scores}.
#pragma once
#include <ranges>
#include <tuple>
#include <type_traits>
#include <vector>

#include <axisgrad/autograd/var.hpp>

namespace axisgrad::gradchecking {

template <Scalar T>
struct OutputsIn {
  std::vector<Var<T>> ys;
  bool other_precision = false;  // something came back in it, which is not on the tape
};
using Outputs = OutputsIn<double>;

struct Anything {
  template <class T>
  operator T() const;
};
template <class S, class... Members>
concept HoldsMembers = std::is_aggregate_v<S> && requires {
  S{Members{}...};
};

template <class R, Scalar T>
void collect(const R& result, OutputsIn<T>& outputs) {
  using Other = std::conditional_t<std::is_same_v<T, double>, float, double>;
  auto each = [&](const auto&... parts) { (collect(parts, outputs), ...); };
  if constexpr (std::is_same_v<R, Var<T>>) {
    if (!result.value().empty()) outputs.ys.push_back(result);  // empty: an output left out
  } else if constexpr (std::is_same_v<R, Var<Other>>) {
    outputs.other_precision = true;
  } else if constexpr (std::ranges::range<R>) {
    for (const auto& part : result) collect(part, outputs);
  } else if constexpr (requires { std::tuple_size<R>::value; }) {
    std::apply(each, result);
  } else if constexpr (HoldsMembers<R, Anything, Anything, Anything, Anything>) {
    const auto& [a, b, c, d] = result;
    each(a, b, c, d);
  } else if constexpr (HoldsMembers<R, Anything, Anything, Anything>) {
    const auto& [a, b, c] = result;
    each(a, b, c);
  } else if constexpr (HoldsMembers<R, Anything, Anything>) {
    const auto& [a, b] = result;
    each(a, b);
  } else if constexpr (HoldsMembers<R, Anything>) {
    const auto& [a] = result;
    each(a);
  } else {
    static_assert(sizeof(R) == 0,
                  "gradcheck: f must return a Var, or a range, tuple or plain struct of Vars");
  }
}

}  // namespace axisgrad::gradchecking
