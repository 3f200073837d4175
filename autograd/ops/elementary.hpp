// Elementary functions and comparisons (see pointwise.hpp).
#pragma once
#include <axisgrad/autograd/ops/formula.hpp>

namespace axisgrad::formulas {

struct expm1_op {
  static constexpr std::string_view name = "expm1";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return expm1(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V& y, const V&) {
    return {g * (y + V(1))};
  }
};

// x^p. By x: p x^(p-1), with the exponent 0 put in place of p-1 where p is 0, so that x^0 has slope
// 0 also at x = 0, where x^-1 is infinite. By p: y log x, and 0 at x = 0; NaN for negative x, where
// y is defined for integer p only.
struct pow_op {
  static constexpr std::string_view name = "pow";
  static constexpr std::array<Range, 2> samples{{{.3, 3}, {-3, 3, .1}}};
  template <class V>
  static V value(const V& x, const V& p) {
    return pow(x, p);
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V& y, const V& x, const V& p) {
    const V less_one = select(p == V(0), V(1), p) - V(1);
    return {g * p * pow(x, less_one), g * y * log(select(x == V(0), V(1), x))};
  }
};

struct sin_op {
  static constexpr std::string_view name = "sin";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return sin(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {g * cos(x)};
  }
};

struct cos_op {
  static constexpr std::string_view name = "cos";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return cos(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {-(g * sin(x))};
  }
};

struct erf_op {  // slope 2/sqrt(pi) e^(-x^2)
  static constexpr std::string_view name = "erf";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return erf(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {V(1.1283791670955125739) * g * exp(-(x * x))};
  }
};

struct sign_op {  // a step: its slope is 0 wherever it has one, so it is never recorded
  static constexpr std::string_view name = "sign";
  static constexpr std::array<Range, 1> samples{{{-1, 1, 0, true}}};
  static constexpr bool differentiable = false;
  template <class V>
  static V value(const V& x) {
    return select(x > V(0), V(1), select(x < V(0), V(-1), x));
  }
  template <class V>
  static std::array<V, 1> gradient(const V&, const V&, const V&) {
    return {V(0)};
  }
};

struct maximum_op {  // NaN if either is; at a tie each side gets half
  static constexpr std::string_view name = "maximum";
  static constexpr std::array<Range, 2> samples{{{-3, 3, 0, true}, {-.7, .7, .3}}};
  template <class V>
  static V value(const V& a, const V& b) {
    return select(a > b, a, select(a != a, a, b));
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& a, const V& b) {
    const V half = V(.5) * g;
    return {select(a > b, g, select(a < b, V(0), half)),
            select(a > b, V(0), select(a < b, g, half))};
  }
};

struct minimum_op {  // NaN if either is; at a tie each side gets half
  static constexpr std::string_view name = "minimum";
  static constexpr std::array<Range, 2> samples{{{-3, 3, 0, true}, {-.7, .7, .3}}};
  template <class V>
  static V value(const V& a, const V& b) {
    return select(a < b, a, select(a != a, a, b));
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& a, const V& b) {
    const V half = V(.5) * g;
    return {select(a < b, g, select(a > b, V(0), half)),
            select(a < b, V(0), select(a > b, g, half))};
  }
};

struct clamp_op {  // slope 1 from one bound to the other, both included
  static constexpr std::string_view name = "clamp";
  static constexpr std::array<Range, 3> samples{{{-3, 3, 0, true}, {-1.7, -1.3}, {1.3, 1.7}}};
  template <class V>
  static V value(const V& x, const V& low, const V& high) {
    return select(x < low, low, select(x > high, high, x));
  }
  template <class V>
  static std::array<V, 3> gradient(const V& g, const V&, const V& x, const V& low, const V& high) {
    return {select(x < low, V(0), select(x > high, V(0), g)), select(x < low, g, V(0)),
            select(x < low, V(0), select(x > high, g, V(0)))};
  }
};

struct greater_op {
  static constexpr std::string_view name = "greater";
  static constexpr std::array<Range, 2> samples{{{-1, 1, 0, true}, {-1, 1, 0, true}}};
  static constexpr bool differentiable = false;
  template <class V>
  static V value(const V& a, const V& b) {
    return select(a > b, V(1), V(0));
  }
  template <class V>
  static std::array<V, 2> gradient(const V&, const V&, const V&, const V&) {
    return {V(0), V(0)};
  }
};

struct less_op {
  static constexpr std::string_view name = "less";
  static constexpr std::array<Range, 2> samples{{{-1, 1, 0, true}, {-1, 1, 0, true}}};
  static constexpr bool differentiable = false;
  template <class V>
  static V value(const V& a, const V& b) {
    return select(a < b, V(1), V(0));
  }
  template <class V>
  static std::array<V, 2> gradient(const V&, const V&, const V&, const V&) {
    return {V(0), V(0)};
  }
};

struct equal_op {
  static constexpr std::string_view name = "equal";
  static constexpr std::array<Range, 2> samples{{{-1, 1, 0, true}, {-1, 1, 0, true}}};
  static constexpr bool differentiable = false;
  template <class V>
  static V value(const V& a, const V& b) {
    return select(a == b, V(1), V(0));
  }
  template <class V>
  static std::array<V, 2> gradient(const V&, const V&, const V&, const V&) {
    return {V(0), V(0)};
  }
};

struct greater_equal_op {
  static constexpr std::string_view name = "greater_equal";
  static constexpr std::array<Range, 2> samples{{{-1, 1, 0, true}, {-1, 1, 0, true}}};
  static constexpr bool differentiable = false;
  template <class V>
  static V value(const V& a, const V& b) {
    return select(a > b, V(1), select(a == b, V(1), V(0)));
  }
  template <class V>
  static std::array<V, 2> gradient(const V&, const V&, const V&, const V&) {
    return {V(0), V(0)};
  }
};

struct less_equal_op {
  static constexpr std::string_view name = "less_equal";
  static constexpr std::array<Range, 2> samples{{{-1, 1, 0, true}, {-1, 1, 0, true}}};
  static constexpr bool differentiable = false;
  template <class V>
  static V value(const V& a, const V& b) {
    return select(a < b, V(1), select(a == b, V(1), V(0)));
  }
  template <class V>
  static std::array<V, 2> gradient(const V&, const V&, const V&, const V&) {
    return {V(0), V(0)};
  }
};

struct not_equal_op {
  static constexpr std::string_view name = "not_equal";
  static constexpr std::array<Range, 2> samples{{{-1, 1, 0, true}, {-1, 1, 0, true}}};
  static constexpr bool differentiable = false;
  template <class V>
  static V value(const V& a, const V& b) {
    return select(a != b, V(1), V(0));
  }
  template <class V>
  static std::array<V, 2> gradient(const V&, const V&, const V&, const V&) {
    return {V(0), V(0)};
  }
};

}  // namespace axisgrad::formulas
