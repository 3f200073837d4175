// The pointwise ops: one formula each, over a value type V that is a SIMD batch in the kernels, a
// Var when a gradient is itself to be differentiated, a plain Scalar in tests and user-defined ops.
// A formula uses operators and functions that are found by argument-dependent lookup only, so this
// header needs neither xsimd nor Var.
//
//   value(x...)            the result for one element
//   gradient(g, y, x...)   the cotangent of each input, given the cotangent g and the result y
//   samples                for each input the range from which the tests draw
//
// To add an op: write its struct, add it to pointwise_ops below, give it a function in
// functions.hpp (docs/adding_an_op.md).
#pragma once
#include <axisgrad/autograd/ops/activations.hpp>
#include <axisgrad/autograd/ops/elementary.hpp>
#include <axisgrad/autograd/ops/formula.hpp>
#include <axisgrad/autograd/ops/list.hpp>
#include <axisgrad/autograd/ops/loss_formulas.hpp>

namespace axisgrad {

namespace formulas {

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

// The slope at 0 is +infinity, as the definition says: choose (where) before the root, not after.
struct sqrt_op {
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

// c != 0 chooses a, else b; the side not chosen gets exactly 0, and c has no gradient.
struct where_op {
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

}  // namespace formulas

using pointwise_ops = list<
    // arithmetic and roots: here
    formulas::negate_op, formulas::add_op, formulas::subtract_op, formulas::multiply_op,
    formulas::divide_op, formulas::exp_op, formulas::log_op, formulas::log1p_op, formulas::sqrt_op,
    formulas::square_op, formulas::abs_op, formulas::where_op,
    // elementary.hpp
    formulas::expm1_op, formulas::pow_op, formulas::sin_op, formulas::cos_op, formulas::erf_op,
    formulas::sign_op, formulas::maximum_op, formulas::minimum_op, formulas::clamp_op,
    formulas::greater_op, formulas::less_op, formulas::equal_op, formulas::greater_equal_op,
    formulas::less_equal_op, formulas::not_equal_op,
    // activations.hpp
    formulas::tanh_op, formulas::sigmoid_op, formulas::relu_op, formulas::softplus_op,
    formulas::log_sigmoid_op, formulas::leaky_relu_op, formulas::elu_op, formulas::gelu_op,
    formulas::gelu_tanh_op,
    // loss_formulas.hpp
    formulas::squared_error_op, formulas::absolute_error_op, formulas::huber_op,
    formulas::cross_entropy_from_logit_op, formulas::cross_entropy_op>;

}  // namespace axisgrad
