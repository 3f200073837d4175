// Losses of one element (see pointwise.hpp).
#pragma once
#include <axisgrad/autograd/ops/formula.hpp>

namespace axisgrad::formulas {

struct squared_error_op {
  static constexpr std::string_view name = "squared_error";
  static constexpr std::array<Range, 2> samples{};
  template <class V>
  static V value(const V& p, const V& t) {
    const V d = p - t;
    return d * d;
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& p, const V& t) {
    const V d = V(2) * g * (p - t);
    return {d, -d};
  }
};

struct absolute_error_op {  // slope 0 where both are equal
  static constexpr std::string_view name = "absolute_error";
  static constexpr std::array<Range, 2> samples{{{-3, 3, 0, true}, {-.7, .7, .3}}};
  template <class V>
  static V value(const V& p, const V& t) {
    return abs(p - t);
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& p, const V& t) {
    const V d = select(p > t, g, select(p < t, -g, V(0)));
    return {d, -d};
  }
};

// Binary cross-entropy of the logit x: max(x,0) - x t + log(1 + e^-|x|), exact for any size of x.
struct cross_entropy_from_logit_op {
  static constexpr std::string_view name = "cross_entropy_from_logit";
  static constexpr std::array<Range, 2> samples{{{-3, 3, .1}, {0, 1}}};
  template <class V>
  static V value(const V& x, const V& t) {
    return select(x < V(0), V(0), x) - x * t + log1p(exp(-abs(x)));
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& x, const V& t) {
    return {g * (logistic(x) - t), -(g * x)};
  }
};

// Binary cross-entropy of the probability p, clipped to [1e-7, 1 - 1e-7] as Keras does; no slope
// where it is clipped.
struct cross_entropy_op {
  static constexpr std::string_view name = "cross_entropy";
  static constexpr std::array<Range, 2> samples{{{.05, .95}, {0, 1}}};
  template <class V>
  static V clip(const V& p) {
    return select(p < V(1e-7), V(1e-7), select(p > V(1 - 1e-7), V(1 - 1e-7), p));
  }
  template <class V>
  static V value(const V& p, const V& t) {
    const V q = clip(p);
    return -(t * log(q) + (V(1) - t) * log(V(1) - q));
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& p, const V& t) {
    const V q = clip(p), slope = g * (q - t) / (q * (V(1) - q));
    const V inside = select(p < V(1e-7), V(0), select(p > V(1 - 1e-7), V(0), slope));
    return {inside, g * (log(V(1) - q) - log(q))};
  }
};

// d^2/2 for |d| <= delta, else delta (|d| - delta/2): the slope is d cut to [-delta, delta].
struct huber_op {
  static constexpr std::string_view name = "huber_error";
  static constexpr std::array<Range, 3> samples{{{}, {}, {.5, 2}}};
  template <class V>
  static V value(const V& p, const V& t, const V& delta) {
    const V a = abs(p - t);
    return select(a > delta, delta * (a - V(.5) * delta), V(.5) * a * a);
  }
  template <class V>
  static std::array<V, 3> gradient(const V& g, const V&, const V& p, const V& t, const V& delta) {
    const V d = p - t, slope = g * select(d > delta, delta, select(d < -delta, -delta, d));
    return {slope, -slope, g * select(abs(d) > delta, abs(d) - delta, V(0))};
  }
};

}  // namespace axisgrad::formulas
