#include <bit>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "common.hpp"
#include "exact.hpp"

namespace axisgrad::kernels {
namespace {

using namespace formulas;

template <class F, class... Op>
void for_each_op(list<Op...>, F f) {
  (f(Op()), ...);
}

// A formula in long double, without its type: what follows is compiled once for all ops.
struct Formula {
  std::string_view name;
  std::span<const Range> ranges;
  Exact (*value)(const Exact* x);
  void (*gradient)(Exact g, Exact y, const Exact* x, Exact* d);
};
template <class Op, std::size_t... K>
Formula formula(std::index_sequence<K...>) {
  return {Op::name, Op::samples, [](const Exact* x) { return Op::value(x[K]...); },
          [](Exact g, Exact y, const Exact* x, Exact* d) {
            const auto each = Op::gradient(g, y, x[K]...);
            ((d[K] = each[K]), ...);
          }};
}
template <class Op>
Formula formula() {
  return formula<Op>(std::make_index_sequence<Op::samples.size()>());
}

// rows x n elements; input k steps within a row if bit k of `steps` is set, from row to row if bit
// k of `row_steps` is.
struct Outcome {
  double worst = 0;    // relative error in units of epsilon
  bool within = true;  // nothing written beyond the end
  bool alone = true;   // one gradient at a time: the same bits, and nothing else written
  bool in_place = true;
};
void check(std::string_view op, Index rows, Index n, unsigned steps, unsigned row_steps,
           const Outcome& o) {
  const std::string name(op);
  CAPTURE(name);
  CAPTURE(rows);
  CAPTURE(n);
  CAPTURE(steps);
  CAPTURE(row_steps);
  CHECK(o.worst < 60);
  CHECK(o.within);
  CHECK(o.alone);
  CHECK(o.in_place);
}

template <class T>
void check_op(const Formula& op, const Pointwise<T>& kernel, std::mt19937& g, Index rows, Index n,
              unsigned steps, unsigned row_steps) {
  const std::size_t inputs = op.ranges.size();
  const T guard = T(-12345);
  const Index size = rows * n, room = size + 40;
  std::vector<T> x[4], out(room, guard), cotangent = normal<T>(g, size), dx[4];
  Run<T> run{.rows = rows, .n = n, .in = {}, .row_step = {}, .step = {}, .out = out.data()};
  std::array<T*, 4> to{};
  for (std::size_t k = 0; k < inputs; ++k) {
    const Range r = op.ranges[k];
    std::uniform_real_distribution<double> draw(r.low, r.high);
    x[k].resize(size);
    for (T& v : x[k]) do {
        v = T(r.whole ? std::round(draw(g)) : draw(g));
      } while (std::abs(v) < r.gap);
    run.in[k] = x[k].data();
    run.step[k] = steps >> k & 1;
    run.row_step[k] = row_steps >> k & 1 ? n : 0;
    dx[k].assign(room, guard);
    to[k] = dx[k].data();
  }
  kernel.value(run);
  kernel.gradient(run, cotangent.data(), out.data(), to);

  Outcome o;
  auto compare = [&](Index i, Index j) {
    Exact in[4]{0, 0, 0, 0}, d[4]{0, 0, 0, 0};
    for (std::size_t k = 0; k < inputs; ++k)
      in[k] = run.in[k][i * run.row_step[k] + j * run.step[k]];
    const Index at = i * n + j;
    const Exact y = op.value(in);
    op.gradient(cotangent[at], y, in, d);
    auto error = [&](T got, Exact exact) {
      const long double unit = (1 + std::abs(exact.v)) * std::numeric_limits<T>::epsilon();
      keep_worst(o.worst, double(std::abs(got - exact.v) / unit));
    };
    error(out[at], y);
    for (std::size_t k = 0; k < inputs; ++k) error(dx[k][at], d[k]);
  };
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < n; ++j) compare(i, j);
  for (Index i = size; i < room; ++i) {
    o.within = o.within && out[i] == guard;
    for (std::size_t k = 0; k < inputs; ++k) o.within = o.within && dx[k][i] == guard;
  }

  for (std::size_t k = 0; k < inputs; ++k) {
    std::vector<T> one(room, guard);
    std::array<T*, 4> only{};
    only[k] = one.data();
    kernel.gradient(run, cotangent.data(), out.data(), only);
    o.alone = o.alone && same_bits(one, dx[k]);
  }
  // The output over the first input.
  if ((steps & 1) && ((row_steps & 1) || rows == 1)) {
    std::vector<T> over = x[0];
    run.in[0] = over.data(), run.out = over.data();
    kernel.value(run);
    o.in_place = std::equal(over.begin(), over.end(), out.begin());
  }
  check(op.name, rows, n, steps, row_steps, o);
}

template <class T>
void check_ops() {
  std::mt19937 g(1);
  auto check_one = [&](const Formula& op, const Pointwise<T>& kernel) {
    auto run = [&](Index rows, Index n, unsigned steps, unsigned row_steps) {
      check_op(op, kernel, g, rows, n, steps, row_steps);
    };
    for (Index n = 1; n <= 36; ++n) run(1, n, 7, 7);
    for (unsigned steps = 0; steps < 8; ++steps)
      for (unsigned row_steps = 0; row_steps < 8; ++row_steps)
        for (Index n : {1, 5, 19, 40}) run(3, n, steps, row_steps);
    run(0, 5, 7, 7), run(70, 1, 7, 7), run(2, 0, 7, 7);
  };
  for_each_op(pointwise_ops(), [&]<class Op>(Op) { check_one(formula<Op>(), pointwise<Op, T>()); });
}

template <class T>
std::vector<T> values_of(const Pointwise<T>& kernel, const std::vector<T>& x) {
  std::vector<T> y(x.size());
  const std::vector<T> zero(1, T(0));
  Run<T> run{1, Index(x.size()), {x.data(), zero.data()}, {}, {1, 0}, y.data()};
  kernel.value(run);
  return y;
}

// Bit patterns from everywhere, the edges, and a dense part around 0.
template <class T>
std::vector<T> arguments() {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using L = std::numeric_limits<T>;
  std::mt19937_64 g(3);
  std::vector<T> x;
  for (int i = 0; i < 40000; ++i) x.push_back(std::bit_cast<T>(Bits(g())));
  auto dense = [&](double low, double high, int n) {
    std::uniform_real_distribution<double> d(low, high);
    for (int i = 0; i < n; ++i) x.push_back(T(d(g)));
  };
  const double end = sizeof(T) == 4 ? 90 : 710, bottom = sizeof(T) == 4 ? -106 : -750;
  dense(bottom, end, 40000);
  dense(end - 3, end, 10000);
  dense(bottom, bottom * .93, 10000);
  dense(-3, 3, 40000);
  dense(.9, 1.1, 10000);
  dense(0, double(L::min()) * 4, 5000);
  for (T v : {T(0), L::denorm_min(), L::min(), L::max(), L::infinity(), L::quiet_NaN(), T(1),
              T(.625), T(64), T(512)})
    for (T s : {v, -v})
      for (T n : {s, std::nextafter(s, L::infinity()), std::nextafter(s, -L::infinity())})
        x.push_back(n);
  return x;
}

template <class T>
void check_ulps(const Formula& op, int index, double most, bool (*want)(T)) {
  std::vector<T> x;
  for (T v : arguments<T>())
    if (want(v)) x.push_back(v);
  std::vector<long double> exact;
  for (T v : x) {
    const Exact in[]{v, 0};
    exact.push_back(op.value(in).v);
  }
  for_each_arch([&] {
    const auto y = values_of(table<T>().pointwise[index], x);
    double worst = 0;
    T at = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (const double u = ulps(y[i], exact[i]); u > worst) worst = u, at = x[i];
    const std::string name(op.name);
    CAPTURE(name);
    CAPTURE(sizeof(T));
    CAPTURE(at);
    if (std::getenv("AXISGRAD_PRINT_ULPS")) {
      const std::string what = name + (sizeof(T) == 4 ? " float " : " double ");
      MESSAGE(what << worst << " ulp at " << at);
    }
    CHECK(worst <= most);
  });
}

template <class Op, class T>
void check_ulps(
    double most, bool (*want)(T) = [](T) { return true; }) {
  check_ulps<T>(formula<Op>(), index_of<Op, pointwise_ops>, most, want);
}

template <class T>
void check_pow() {
  std::mt19937 g(5);
  std::uniform_real_distribution<double> base(0, 20), exponent(-30, 30);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    T x = T(base(g)), p = T(exponent(g)), y = 0;
    if (i % 2) x = -x, p = std::round(p);
    pointwise<pow_op, T>().value({1, 1, {&x, &p}, {}, {1, 1}, &y});
    worst = std::max(worst, ulps(y, std::pow((long double)x, (long double)p)));
  }
  CHECK(worst <= 4);
}

template <class T>
void check_edges() {
  using L = std::numeric_limits<T>;
  const T inf = L::infinity(), nan = L::quiet_NaN();
  auto at = []<class Op>(Op, T x) { return values_of(pointwise<Op, T>(), {x})[0]; };
  for_each_op(list<exp_op, log_op, tanh_op, sqrt_op, abs_op, relu_op, sigmoid_op, negate_op,
                   square_op, expm1_op, sin_op, cos_op, erf_op, sign_op, softplus_op,
                   log_sigmoid_op, gelu_op, gelu_tanh_op>(),
              [&](auto op) { CHECK(std::isnan(at(op, nan))); });
  CHECK(at(exp_op(), -inf) == 0);
  CHECK(at(exp_op(), inf) == inf);
  CHECK(at(exp_op(), L::max()) == inf);
  CHECK(at(exp_op(), L::lowest()) == 0);
  CHECK(at(exp_op(), T(0)) == 1);
  CHECK(at(log_op(), T(0)) == -inf);
  CHECK(at(log_op(), T(-0.0)) == -inf);
  CHECK(at(log_op(), inf) == inf);
  CHECK(at(log_op(), T(1)) == 0);
  CHECK(std::isnan(at(log_op(), T(-1))));
  CHECK(std::isnan(at(log_op(), -inf)));
  CHECK(std::isnan(at(log_op(), -L::denorm_min())));
  CHECK(std::isnan(at(sqrt_op(), T(-1))));
  CHECK(at(tanh_op(), inf) == 1);
  CHECK(at(tanh_op(), -inf) == -1);
  CHECK(std::signbit(at(tanh_op(), T(-0.0))));
  CHECK(std::signbit(at(negate_op(), T(0))));
  CHECK(at(sigmoid_op(), -inf) == 0);
  CHECK(at(sigmoid_op(), inf) == 1);
  CHECK(at(cross_entropy_from_logit_op(), T(-1000)) == 0);
  CHECK(at(cross_entropy_from_logit_op(), T(1000)) == 1000);
  CHECK(at(expm1_op(), -inf) == -1);
  CHECK(at(expm1_op(), inf) == inf);
  CHECK(std::signbit(at(expm1_op(), T(-0.0))));
  CHECK(at(erf_op(), inf) == 1);
  CHECK(at(erf_op(), -inf) == -1);
  CHECK(std::isnan(at(sin_op(), inf)));
  CHECK(at(sign_op(), -inf) == -1);
  CHECK(at(sign_op(), T(0)) == 0);
  CHECK(at(softplus_op(), T(1000)) == 1000);
  CHECK(at(softplus_op(), -inf) == 0);
  CHECK(at(log_sigmoid_op(), T(-1000)) == -1000);
  CHECK(at(log_sigmoid_op(), inf) == 0);
  auto of = []<class Op>(Op, T a, T b) {
    T y = 0;
    pointwise<Op, T>().value({1, 1, {&a, &b}, {}, {1, 1}, &y});
    return y;
  };
  for (auto [a, b] : {std::pair(nan, T(1)), std::pair(T(1), nan), std::pair(nan, inf)}) {
    CHECK(std::isnan(of(maximum_op(), a, b)));
    CHECK(std::isnan(of(minimum_op(), a, b)));
  }
  CHECK(of(maximum_op(), -inf, T(2)) == 2);
  CHECK(of(minimum_op(), -inf, T(2)) == -inf);
  CHECK(of(pow_op(), T(0), T(0)) == 1);
  CHECK(of(pow_op(), T(-2), T(3)) == -8);
  CHECK(of(pow_op(), T(0), T(-1)) == inf);
  CHECK(std::isnan(of(pow_op(), T(-2), T(.5))));
  CHECK(of(leaky_relu_op(), -inf, T(.5)) == -inf);
  CHECK(of(elu_op(), -inf, T(2)) == -2);
  CHECK(of(elu_op(), inf, T(2)) == inf);
  CHECK(of(not_equal_op(), nan, nan) == 1);
  CHECK(of(greater_equal_op(), nan, T(0)) == 0);
  // NaN is not 0, so it chooses the first side.
  const T c = nan, a = 1, b = 2;
  T y = 0;
  pointwise<where_op, T>().value({1, 1, {&c, &a, &b}, {}, {1, 1, 1}, &y});
  CHECK(y == 1);
}

}  // namespace

TEST_CASE_TEMPLATE("every op: values, gradients, tails, broadcasts", T, float, double) {
  for_each_arch(check_ops<T>);
}
TEST_CASE_TEMPLATE("elementary functions to the last places", T, float, double) {
  check_ulps<exp_op, T>(4);
  check_ulps<log_op, T>(4);
  check_ulps<tanh_op, T>(4);
  check_ulps<sqrt_op, T>(.5);
  check_ulps<erf_op, T>(4);
  check_ulps<expm1_op, T>(4);
  check_ulps<sin_op, T>(4);
  check_ulps<cos_op, T>(4);
  // log1p(e^x) for x <= 0: the only place where log1p is used.
  check_ulps<cross_entropy_from_logit_op, T>(4, [](T x) { return x <= 0 && std::isfinite(x); });
}
TEST_CASE_TEMPLATE("powers to the last places", T, float, double) { for_each_arch(check_pow<T>); }
TEST_CASE_TEMPLATE("infinities, NaN and signs of zero", T, float, double) {
  for_each_arch(check_edges<T>);
}

}  // namespace axisgrad::kernels
