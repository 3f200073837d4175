// How a pointwise formula becomes an op: of the library (loops by architecture in the kernels) or
// of a user (plain scalar loops).
#pragma once
#include <cmath>

#include <axisgrad/autograd/kernels/table.hpp>
#include <axisgrad/autograd/op.hpp>
#include <axisgrad/autograd/ops/pointwise.hpp>

namespace axisgrad {

/// A number as a formula sees it: what an op of a user computes with, and the oracle of the
/// library's own.
template <Scalar T>
struct Number {
  T v;
  Number() = default;
  constexpr Number(T x) : v(x) {}
  friend Number operator-(Number a) { return -a.v; }
  friend Number operator+(Number a, Number b) { return a.v + b.v; }
  friend Number operator-(Number a, Number b) { return a.v - b.v; }
  friend Number operator*(Number a, Number b) { return a.v * b.v; }
  friend Number operator/(Number a, Number b) { return a.v / b.v; }
  friend bool operator>(Number a, Number b) { return a.v > b.v; }
  friend bool operator<(Number a, Number b) { return a.v < b.v; }
  friend bool operator==(Number a, Number b) { return a.v == b.v; }
  friend bool operator!=(Number a, Number b) { return a.v != b.v; }
  friend Number select(bool c, Number a, Number b) { return c ? a : b; }
  friend Number exp(Number x) { return std::exp(x.v); }
  friend Number log(Number x) { return std::log(x.v); }
  friend Number log1p(Number x) { return std::log1p(x.v); }
  friend Number sqrt(Number x) { return std::sqrt(x.v); }
  friend Number abs(Number x) { return std::abs(x.v); }
  friend Number tanh(Number x) { return std::tanh(x.v); }
  friend Number expm1(Number x) { return std::expm1(x.v); }
  friend Number sin(Number x) { return std::sin(x.v); }
  friend Number cos(Number x) { return std::cos(x.v); }
  friend Number erf(Number x) { return std::erf(x.v); }
  friend Number pow(Number x, Number p) { return std::pow(x.v, p.v); }
};

namespace detail {

// Follows a formula once and notes what each gradient is made of: what has to be saved.
struct Trace {
  unsigned uses = 0;  // bit 0: g, bit 1: y, bit 2 + k: input k
  bool is_g = false;  // g itself, no arithmetic
  Trace() = default;
  explicit Trace(double) {}
  static Trace of(unsigned uses) {
    Trace t;
    t.uses = uses;
    return t;
  }
  static Trace cotangent() {
    Trace t = of(1);
    t.is_g = true;
    return t;
  }
  friend Trace operator-(Trace a) { return of(a.uses); }
  friend Trace operator+(Trace a, Trace b) { return of(a.uses | b.uses); }
  friend Trace operator-(Trace a, Trace b) { return of(a.uses | b.uses); }
  friend Trace operator*(Trace a, Trace b) { return of(a.uses | b.uses); }
  friend Trace operator/(Trace a, Trace b) { return of(a.uses | b.uses); }
  friend Trace operator>(Trace a, Trace b) { return of(a.uses | b.uses); }
  friend Trace operator<(Trace a, Trace b) { return of(a.uses | b.uses); }
  friend Trace operator==(Trace a, Trace b) { return of(a.uses | b.uses); }
  friend Trace operator!=(Trace a, Trace b) { return of(a.uses | b.uses); }
  friend Trace select(Trace c, Trace a, Trace b) { return of(c.uses | a.uses | b.uses); }
  friend Trace exp(Trace x) { return of(x.uses); }
  friend Trace log(Trace x) { return of(x.uses); }
  friend Trace log1p(Trace x) { return of(x.uses); }
  friend Trace sqrt(Trace x) { return of(x.uses); }
  friend Trace abs(Trace x) { return of(x.uses); }
  friend Trace tanh(Trace x) { return of(x.uses); }
  friend Trace expm1(Trace x) { return of(x.uses); }
  friend Trace sin(Trace x) { return of(x.uses); }
  friend Trace cos(Trace x) { return of(x.uses); }
  friend Trace erf(Trace x) { return of(x.uses); }
  friend Trace pow(Trace x, Trace p) { return of(x.uses | p.uses); }
};

template <class Op>
inline constexpr int arity = static_cast<int>(Op::samples.size());

template <class Op, std::size_t... K>
requires(sizeof...(K) <= 4)  // as many as a run of the kernels has
    Saves saves_of(std::index_sequence<K...>) {
  const auto traces = Op::gradient(Trace::cotangent(), Trace::of(2), Trace::of(4u << K)...);
  unsigned uses = 0;
  for (const Trace& t : traces) uses |= t.uses;
  return {uses >> 2, uses >> 1 & 1};
}
// The inputs whose gradient is g as it comes: nothing to compute or to copy.
template <class Op, std::size_t... K>
unsigned passes_of(std::index_sequence<K...>) {
  const auto traces = Op::gradient(Trace::cotangent(), Trace::of(2), Trace::of(4u << K)...);
  unsigned passes = 0;
  for (std::size_t k = 0; k < sizeof...(K); ++k) passes |= unsigned(traces[k].is_g) << k;
  return passes;
}

}  // namespace detail

template <Scalar T>
struct PointwiseOp {
  OpInfo<T> info;
  Saves saves;
  unsigned passes;                   // bit k: the gradient of input k is the cotangent itself
  const kernels::Pointwise<T>* own;  // the loops of a user's op; null: those of the kernel table at
  int index;
};

namespace detail {

template <Scalar T>
Tensor<T> pointwise_value(const PointwiseOp<T>& op, Inputs<T> inputs);
template <Scalar T>
void pointwise_gradient(const PointwiseOp<T>& op, Rule<T>& rule, int inputs);
template <Scalar T>
const PointwiseOp<T>& library_op(int index);
// The gradient formula in Vars, for derivatives of higher order. Inputs that it does not use were
// not saved.
template <class Op, Scalar T, std::size_t... K>
void formula_gradient(Rule<T>& rule, Saves saves, std::index_sequence<K...>) {
  const Var<T> g = rule.cotangent(), y = saves.outputs ? rule.output() : Var<T>();
  const auto d = Op::gradient(g, y, (saves.inputs >> K & 1 ? rule.input(K) : Var<T>())...);
  auto give = [&](int k, const Var<T>& dk) {
    if (!rule.needs(k)) return;
    rule.add(k, sum_to(dk.shape() == g.shape() ? dk : expand(dk, g.shape()), rule.shape(k)));
  };
  (give(K, d[K]), ...);
}

template <class Op, Scalar T, std::size_t... K>
void scalar_value(const kernels::Run<T>& r) {
  for (kernels::Index i = 0; i < r.rows; ++i)
    for (kernels::Index j = 0; j < r.n; ++j)
      r.out[i * r.n + j] = Op::value(Number<T>(r.in[K][i * r.row_step[K] + j * r.step[K]])...).v;
}
template <class Op, Scalar T, std::size_t... K>
void scalar_gradient(const kernels::Run<T>& r, const T* g, const T* y,
                     const std::array<T*, 4>& dx) {
  for (kernels::Index i = 0; i < r.rows; ++i)
    for (kernels::Index j = 0; j < r.n; ++j) {
      const kernels::Index o = i * r.n + j;
      const auto d = Op::gradient(Number<T>(g[o]), Number<T>(y ? y[o] : T(0)),
                                  Number<T>(r.in[K][i * r.row_step[K] + j * r.step[K]])...);
      ((dx[K] ? void(dx[K][o] = d[K].v) : void()), ...);
    }
}

template <class Op, Scalar T>
const PointwiseOp<T>& pointwise_op();

template <class Op, Scalar T>
void pointwise_rule(Rule<T>& rule) {
  const PointwiseOp<T>& op = pointwise_op<Op, T>();
  if (rule.recording())
    formula_gradient<Op>(rule, op.saves, std::make_index_sequence<arity<Op>>());
  else
    pointwise_gradient(op, rule, arity<Op>);
}

template <class Op, Scalar T>
inline constexpr auto rule_of = differentiable<Op> ? &pointwise_rule<Op, T> : nullptr;

template <class Op, Scalar T, std::size_t... K>
const PointwiseOp<T>& user_op(std::index_sequence<K...> indices) {
  static constexpr kernels::Pointwise<T> loops{&scalar_value<Op, T, K...>,
                                               &scalar_gradient<Op, T, K...>};
  static const PointwiseOp<T> op{
      {Op::name, rule_of<Op, T>}, saves_of<Op>(indices), passes_of<Op>(indices), &loops, -1};
  return op;
}

template <class Op, Scalar T>
const PointwiseOp<T>& pointwise_op() {
  if constexpr (index_of<Op, pointwise_ops> >= 0)
    return library_op<T>(index_of<Op, pointwise_ops>);
  else
    return user_op<Op, T>(std::make_index_sequence<arity<Op>>());
}

}  // namespace detail

/// Applies a formula (ops/pointwise.hpp) to each element; shapes broadcast. Op may be a struct of
/// your own.
template <class Op, Scalar T, std::same_as<Var<T>>... More>
requires(1 + sizeof...(More) == detail::arity<Op>)
    [[nodiscard]] Var<T> pointwise(const Var<T>& x, const More&... more) {
  const std::array<const Var<T>*, 1 + sizeof...(More)> inputs{&x, &more...};
  const PointwiseOp<T>& op = detail::pointwise_op<Op, T>();
  Tensor<T> y = detail::pointwise_value(op, Inputs<T>(inputs));
  Var<T> result;
  const NoOptions none;
  record<T>(op.info, inputs, {&y, 1}, op.saves, &none, sizeof none, {&result, 1});
  return result;
}

}  // namespace axisgrad
