// Activations (see pointwise.hpp).
#pragma once
#include <axisgrad/autograd/ops/formula.hpp>

namespace axisgrad::formulas {

struct tanh_op {
  static constexpr std::string_view name = "tanh";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return tanh(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V& y, const V&) {
    return {g * (V(1) - y * y)};
  }
};

struct sigmoid_op {
  static constexpr std::string_view name = "sigmoid";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return logistic(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V& y, const V&) {
    return {g * y * (V(1) - y)};
  }
};

struct relu_op {  // slope 0 at 0; NaN stays NaN
  static constexpr std::string_view name = "relu";
  static constexpr std::array<Range, 1> samples{{{-3, 3, .1}}};
  template <class V>
  static V value(const V& x) {
    return select(x < V(0), V(0), x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {select(x > V(0), g, V(0))};
  }
};

struct softplus_op {  // log(1 + e^x), without e^x for large x
  static constexpr std::string_view name = "softplus";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return select(x < V(0), V(0), x) + log1p(exp(-abs(x)));
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {g * logistic(x)};
  }
};

struct log_sigmoid_op {  // -softplus(-x)
  static constexpr std::string_view name = "log_sigmoid";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return select(x > V(0), V(0), x) - log1p(exp(-abs(x)));
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {g * logistic(-x)};
  }
};

// x above 0, slope x below; the slope is an input, so it can be learnt (PReLU).
struct leaky_relu_op {
  static constexpr std::string_view name = "leaky_relu";
  static constexpr std::array<Range, 2> samples{{{-3, 3, .1}, {.1, .5}}};
  template <class V>
  static V value(const V& x, const V& slope) {
    return select(x > V(0), x, slope * x);
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& x, const V& slope) {
    return {select(x > V(0), g, g * slope), g * select(x > V(0), V(0), x)};
  }
};

// x above 0, alpha (e^x - 1) below. The exponential sees min(x,0): otherwise its overflow would
// reach the second derivative of the side not chosen.
struct elu_op {
  static constexpr std::string_view name = "elu";
  static constexpr std::array<Range, 2> samples{{{-3, 3, .1}, {.5, 2}}};
  template <class V>
  static V value(const V& x, const V& alpha) {
    return select(x > V(0), x, alpha * expm1(select(x > V(0), V(0), x)));
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& x, const V& alpha) {
    const V below = select(x > V(0), V(0), x);
    return {select(x > V(0), g, g * alpha * exp(below)), g * expm1(below)};
  }
};

// x Phi(x), Phi the normal distribution: slope Phi(x) + x e^(-x^2/2) / sqrt(2 pi).
struct gelu_op {
  static constexpr std::string_view name = "gelu";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V normal(const V& x) {
    return V(.5) + V(.5) * erf(V(.70710678118654752440) * x);
  }
  template <class V>
  static V value(const V& x) {
    return x * normal(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {g * (normal(x) + V(.39894228040143267794) * x * exp(V(-.5) * x * x))};
  }
};

// x (1 + tanh u) / 2, u = sqrt(2/pi) (x + .044715 x^3): the approximation that BERT and GPT use.
struct gelu_tanh_op {
  static constexpr std::string_view name = "gelu_tanh";
  static constexpr std::array<Range, 1> samples{};
  // From |x| = 10 on, where u = 43, tanh is 1 to the last place and its slope 0: cut there, x^3
  // cannot overflow, and no infinity meets that 0.
  template <class V>
  static V cut(const V& x) {
    return select(x > V(10), V(10), select(x < V(-10), V(-10), x));
  }
  template <class V>
  static V bent(const V& z) {
    return tanh(V(.79788456080286535588) * z * (V(1) + V(.044715) * z * z));
  }
  template <class V>
  static V value(const V& x) {
    return V(.5) * x * (V(1) + bent(cut(x)));
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    const V z = cut(x), t = bent(z);
    const V slope = V(.79788456080286535588) * (V(1) + V(3 * .044715) * z * z);
    return {V(.5) * g * (V(1) + t + z * (V(1) - t * t) * slope)};
  }
};

}  // namespace axisgrad::formulas
