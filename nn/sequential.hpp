// Layers one after the other.
#pragma once
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <axisgrad/nn/module.hpp>

namespace axisgrad {

namespace detail {

struct NoScalar {};
template <class... Layers>
struct FirstScalar {
  using type = NoScalar;
};
template <class First, class... Rest>
struct FirstScalar<First, Rest...> : FirstScalar<Rest...> {};
template <class First, class... Rest>
requires requires { typename First::scalar; }
struct FirstScalar<First, Rest...> {
  using type = typename First::scalar;
};

// What a recurrent layer gives, chosen: the layer's parameters keep their names.
template <class Layer, bool whole>
struct Recurrent {
  using scalar = typename Layer::scalar;
  using shown_as = Layer;  // by summary()
  Layer layer;

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    if constexpr (whole)
      return layer(x).sequence();
    else
      return layer(x).last();
  }
  void visit(auto&& visitor) { layer.visit(visitor); }
};

}  // namespace detail

/// An LSTM or Bidirectional as a layer that gives all steps: (B,T,D) -> (B,T,U).
template <class Layer>
[[nodiscard]] auto sequence(Layer layer) {
  return detail::Recurrent<Layer, true>{std::move(layer)};
}
/// The same giving the last step only: (B,T,D) -> (B,U).
template <class Layer>
[[nodiscard]] auto last(Layer layer) {
  return detail::Recurrent<Layer, false>{std::move(layer)};
}

/// y = layers[n](...layers[1](layers[0](x))). A layer is any callable Var -> Var: a module,
/// Flatten, Activate, Dropout, sequence(LSTM), a lambda, another Sequential. The parameters are
/// named by the layer's number: "0.kernel", "2.bias". Errors are those of the layers.
///   Sequential model(last(LSTM<float>({.inputs = 3, .units = 16})), Dropout(.2), Dense<float>(16,
///   1));
template <class... Layers>
class Sequential {
 public:
  using scalar = typename detail::FirstScalar<Layers...>::type;
  static constexpr std::size_t size = sizeof...(Layers);

  explicit Sequential(Layers... layers) : layers_(std::move(layers)...) {
    static_assert(size > 0, "a Sequential needs a layer");
  }

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    Var<U> y = x;
    std::apply([&](const auto&... layer) { (static_cast<void>(y = layer(y)), ...); }, layers_);
    return y;
  }

  template <std::size_t k>
  auto& layer() {
    return std::get<k>(layers_);
  }
  template <std::size_t k>
  const auto& layer() const {
    return std::get<k>(layers_);
  }
  /// f(number, layer) for each, also for those without parameters.
  void for_each_layer(const auto& f) {
    [&]<std::size_t... k>(std::index_sequence<k...>) { (f(k, std::get<k>(layers_)), ...); }
    (std::make_index_sequence<size>());
  }

  void visit(auto&& visitor) {
    for_each_layer([&](std::size_t k, auto& layer) {
      if constexpr (Module<std::remove_reference_t<decltype(layer)>>)
        visitor(std::to_string(k), layer);
    });
  }

 private:
  std::tuple<Layers...> layers_;
};

}  // namespace axisgrad
