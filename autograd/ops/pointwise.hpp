// The pointwise ops: one formula each, over a value type V that is a SIMD batch in the kernels, a
// Var when a gradient is itself to be differentiated, a plain Scalar in tests and user-defined ops.
// A formula uses operators and functions that are found by argument-dependent lookup only, so this
// header needs neither xsimd nor Var.
//
//   value(x...)            the result for one element
//   gradient(g, y, x...)   the cotangent of each input, given the cotangent g and the result y
//   samples                for each input the range from which the tests draw
//
// To add an op: write its struct, add it to pointwise_ops below, give it a function in ops.hpp
// (docs/adding_an_op.md).
#pragma once
#include <array>
#include <string_view>

#include <axisgrad/autograd/ops/list.hpp>

namespace axisgrad {

/// Test inputs are drawn from [low, high], at least `gap` away from zero; whole numbers only where
/// equal or zero inputs are a case of their own.
struct Range {
  double low = -3, high = 3, gap = 0;
  bool whole = false;
};

namespace formulas {

// 1 / (1 + e^-x): right in both tails, since e^-x may be infinite but not NaN. A Var has an op of
// that name.
template <class V>
V logistic(const V& x) {
  if constexpr (requires { sigmoid(x); })
    return sigmoid(x);
  else
    return V(1) / (V(1) + exp(-x));
}

struct negate_op {
  static constexpr std::string_view name = "negate";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return -x;
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V&) {
    return {-g};
  }
};

struct add_op {
  static constexpr std::string_view name = "add";
  static constexpr std::array<Range, 2> samples{};
  template <class V>
  static V value(const V& a, const V& b) {
    return a + b;
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V&, const V&) {
    return {g, g};
  }
};

struct subtract_op {
  static constexpr std::string_view name = "subtract";
  static constexpr std::array<Range, 2> samples{};
  template <class V>
  static V value(const V& a, const V& b) {
    return a - b;
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V&, const V&) {
    return {g, -g};
  }
};

struct multiply_op {
  static constexpr std::string_view name = "multiply";
  static constexpr std::array<Range, 2> samples{};
  template <class V>
  static V value(const V& a, const V& b) {
    return a * b;
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& a, const V& b) {
    return {g * b, g * a};
  }
};

struct divide_op {
  static constexpr std::string_view name = "divide";
  static constexpr std::array<Range, 2> samples{{{}, {-3, 3, .5}}};
  template <class V>
  static V value(const V& a, const V& b) {
    return a / b;
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V& y, const V&, const V& b) {
    return {g / b, -(g * y) / b};
  }
};

struct exp_op {
  static constexpr std::string_view name = "exp";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return exp(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V& y, const V&) {
    return {g * y};
  }
};

struct log_op {
  static constexpr std::string_view name = "log";
  static constexpr std::array<Range, 1> samples{{{.1, 4}}};
  template <class V>
  static V value(const V& x) {
    return log(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {g / x};
  }
};

struct log1p_op {
  static constexpr std::string_view name = "log1p";
  static constexpr std::array<Range, 1> samples{{{-.8, 4}}};
  template <class V>
  static V value(const V& x) {
    return log1p(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {g / (V(1) + x)};
  }
};

struct sqrt_op {  // the slope at 0 is +infinity, as the definition says: choose (where) before the
                  // root, not after
  static constexpr std::string_view name = "sqrt";
  static constexpr std::array<Range, 1> samples{{{.1, 4}}};
  template <class V>
  static V value(const V& x) {
    return sqrt(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V& y, const V&) {
    return {g / (V(2) * y)};
  }
};

struct square_op {
  static constexpr std::string_view name = "square";
  static constexpr std::array<Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return x * x;
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {V(2) * g * x};
  }
};

struct abs_op {  // slope 0 at 0
  static constexpr std::string_view name = "abs";
  static constexpr std::array<Range, 1> samples{{{-3, 3, .1}}};
  template <class V>
  static V value(const V& x) {
    return abs(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {select(x > V(0), g, select(x < V(0), -g, V(0)))};
  }
};

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

struct where_op {  // c != 0 chooses a, else b; the side not chosen gets exactly 0, and c has no
                   // gradient
  static constexpr std::string_view name = "where";
  static constexpr std::array<Range, 3> samples{{{0, 1, 0, true}, {}, {}}};
  template <class V>
  static V value(const V& c, const V& a, const V& b) {
    return select(c != V(0), a, b);
  }
  template <class V>
  static std::array<V, 3> gradient(const V& g, const V&, const V& c, const V&, const V&) {
    return {V(0), select(c != V(0), g, V(0)), select(c != V(0), V(0), g)};
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
  static constexpr std::array<Range, 2> samples{{{1, 3}, {-3, .9}}};
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
  static constexpr std::string_view name = "binary_crossentropy_from_logits";
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
  static constexpr std::string_view name = "binary_crossentropy";
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

}  // namespace formulas

using pointwise_ops =
    list<formulas::negate_op, formulas::add_op, formulas::subtract_op, formulas::multiply_op,
         formulas::divide_op, formulas::exp_op, formulas::log_op, formulas::log1p_op,
         formulas::sqrt_op, formulas::square_op, formulas::abs_op, formulas::tanh_op,
         formulas::sigmoid_op, formulas::relu_op, formulas::where_op, formulas::greater_op,
         formulas::less_op, formulas::equal_op, formulas::squared_error_op,
         formulas::absolute_error_op, formulas::cross_entropy_from_logit_op,
         formulas::cross_entropy_op>;

}  // namespace axisgrad
