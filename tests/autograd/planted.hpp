// Wrong gradients, planted the way a user would write an op, and what the tests of the checker
// share.
#pragma once
#include <cmath>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/autograd/ops.hpp>

namespace ag = axisgrad;
using ag::GradcheckOptions;
using ag::Scalar;
using ag::Shape;
using ag::Size;
using ag::Var;
using Tensor = ag::Tensor<double>;

namespace planted {

inline std::string text(const ag::GradcheckReport& report) {
  std::ostringstream out;
  out << report;
  return out.str();
}
inline bool says(const ag::GradcheckReport& report, const std::string& words) {
  return text(report).find(words) != std::string::npos;
}

inline Tensor normal(const Shape& shape, unsigned seed = 1, double scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> draw(0, scale);
  Tensor x(shape);
  for (Size i = 0; i < x.size(); ++i) x.mutable_data()[i] = draw(random);
  return x;
}
inline Tensor positive(const Shape& shape, unsigned seed = 1) {
  Tensor x = normal(shape, seed);
  for (Size i = 0; i < x.size(); ++i) x.mutable_data()[i] = .2 + std::abs(x.data()[i]);
  return x;
}

// --- Wrong gradients

template <int PerMille10>  // tanh with a gradient scaled by 1 + PerMille10 / 10000
struct scaled_tanh_op {
  static constexpr std::string_view name = "scaled_tanh";
  static constexpr std::array<ag::Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return tanh(x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V& y, const V&) {
    return {V(1 + PerMille10 / 1e4) * g * (V(1) - y * y)};
  }
};

struct one_element_op {  // x^2, one element of the gradient multiplied by `factor`
  static constexpr std::string_view name = "one_element";
  struct Options {
    Size at;
    double factor;
  };
  template <Scalar T>
  static void gradient(ag::Rule<T>& r) {
    const auto& options = r.template options<Options>();
    ag::Tensor<T> factors(r.shape(0), T(2));
    factors.mutable_data()[options.at] *= static_cast<T>(options.factor);
    r.add(0, r.cotangent() * r.input(0) * Var<T>(factors));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, Size at, double factor) {
    return ag::record<one_element_op, T>({&x}, ag::square(x).value(), {.inputs = 1}, {at, factor});
  }
};

template <bool FirstRow>
struct add_row_op {  // (n,m) + (m): the sum over rows forgotten, or the first row in its place
  static constexpr std::string_view name = "add_row";
  template <Scalar T>
  static void gradient(ag::Rule<T>& r) {
    r.add(0, r.cotangent());
    const Var<T> g = r.cotangent();
    if (FirstRow)
      r.add(1, ag::reshape(ag::slice(g, {.axis = 0, .end = 1}), r.shape(1)));
    else
      r.add(1, g);
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, const Var<T>& b) {
    return ag::record<add_row_op, T>({&x, &b}, (x + b).value());
  }
};

struct leaky_op {  // slope 0.1 below 0, taken for 0.2
  static constexpr std::string_view name = "leaky";
  static constexpr std::array<ag::Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return select(x < V(0), V(.1) * x, x * x + x);
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V& x) {
    return {select(x < V(0), V(.2) * g, (V(2) * x + V(1)) * g)};
  }
};

template <bool WrongAxis>
struct wrong_softmax_op {  // over axis 1: the rule of axis 0, or the mean of g in place of sum(y g)
  static constexpr std::string_view name = "wrong_softmax";
  template <Scalar T>
  static void gradient(ag::Rule<T>& r) {
    const Var<T> y = r.output(), g = r.cotangent();
    r.add(0, y * (g - (WrongAxis ? ag::sum(y * g, 0, {.keep = true})
                                 : ag::mean(g, 1, {.keep = true}))));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x) {
    return ag::record<wrong_softmax_op, T>({&x}, ag::softmax(x, 1).value(), {.outputs = 1});
  }
};

struct doubled_op {  // 1e-7 x with slope 2e-7
  static constexpr std::string_view name = "doubled";
  static constexpr std::array<ag::Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    return V(1e-7) * x;
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V&) {
    return {V(2e-7) * g};
  }
};

struct cross_term_op {  // (a + b)^2, for a the term 2b forgotten
  static constexpr std::string_view name = "cross_term";
  static constexpr std::array<ag::Range, 2> samples{};
  template <class V>
  static V value(const V& a, const V& b) {
    return (a + b) * (a + b);
  }
  template <class V>
  static std::array<V, 2> gradient(const V& g, const V&, const V& a, const V& b) {
    return {V(2) * g * a, V(2) * g * (a + b)};
  }
};

template <bool Transposed>
struct dense_op {  // x w with w square: dx = g w for g w^T, or dw divided by the batch size
  static constexpr std::string_view name = "dense";
  template <Scalar T>
  static void gradient(ag::Rule<T>& r) {
    const Var<T> g = r.cotangent(), x = r.input(0), w = r.input(1);
    r.add(0, ag::matmul(g, w, {.transpose_b = !Transposed}));
    const Var<T> dw = ag::matmul(x, g, {.transpose_a = true});
    r.add(1, Transposed ? dw : dw / static_cast<T>(x.shape()[0]));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, const Var<T>& w) {
    return ag::record<dense_op, T>({&x, &w}, ag::matmul(x, w).value(), {.inputs = 3});
  }
};

struct recurrence_op {  // h[t] = tanh(w h[t-1] + x[t]); for dw it takes h[t] where h[t-1] belongs
  static constexpr std::string_view name = "recurrence";
  template <Scalar T>
  static void gradient(ag::Rule<T>& r) {
    const auto w = r.input(1).value(), h = r.output().value(), g = r.cotangent().value();
    ag::Tensor<T> dx(h.shape());
    T dw = 0, dh = 0;
    for (Size t = h.size(); t-- > 0;) {
      const T da = (g(t) + dh) * (1 - h(t) * h(t));
      dx.mutable_data()[t] = da;
      dw += da * h(t);
      dh = w.item() * da;
    }
    r.add(0, Var<T>(dx)), r.add(1, Var<T>(dw));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, const Var<T>& w) {
    ag::Tensor<T> h(x.shape());
    T last = 0;
    for (Size t = 0; t < x.size(); ++t)
      h.mutable_data()[t] = last = std::tanh(w.item() * last + x.value()(t));
    return ag::record<recurrence_op, T>({&x, &w}, h, {.inputs = 2, .outputs = 1});
  }
};

struct hash_op {  // deterministic, and rough at every scale
  static constexpr std::string_view name = "hash";
  static constexpr std::array<ag::Range, 1> samples{};
  template <class V>
  static V value(const V& x) {
    if constexpr (requires { x.v; })
      return V(std::fmod(std::abs(std::sin(x.v * 1e15)) * 1e4, 1.));
    else
      return x;
  }
  template <class V>
  static std::array<V, 1> gradient(const V& g, const V&, const V&) {
    return {V(0) * g};
  }
};

struct detached_tanh_op {  // right at first order; the rule's y is cut off, so its own derivative
                           // is not
  static constexpr std::string_view name = "detached_tanh";
  template <Scalar T>
  static void gradient(ag::Rule<T>& r) {
    r.add(0, r.cotangent() * (T(1) - ag::square(r.output().detach())));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x) {
    return ag::record<detached_tanh_op, T>({&x}, ag::tanh(x).value(), {.outputs = 1});
  }
};

struct Planted {
  const char* what;
  std::function<ag::GradcheckReport(const GradcheckOptions&)> check;
  bool for_fast_mode = true;  // not too small for one projection
};

// The order is that of issue A1; the first twelve are those of which PyTorch's check passes five.
inline std::vector<Planted> all() {
  const Tensor x12 = normal({3, 4}), x1024 = normal({32, 32});
  const auto on = [](auto f, auto... x) {
    return [=](const GradcheckOptions& options) { return ag::gradcheck(f, x..., options); };
  };
  const auto element = [](Size at, double factor) {
    return [=](auto x) { return one_element_op::apply(x, at, factor); };
  };
  return {
      {"scaled by 1.0005", on([](auto x) { return ag::pointwise<scaled_tanh_op<5>>(x); }, x12)},
      {"scaled by 1.0015", on([](auto x) { return ag::pointwise<scaled_tanh_op<15>>(x); }, x12)},
      {"one sign of 12", on(element(7, -1), x12)},
      {"one sign of 1,024", on(element(700, -1), x1024), false},
      {"one of 1,024 off by 1 %", on(element(300, 1.01), x1024), false},
      {"no broadcast sum, wrong shape",
       on([](auto x, auto b) { return add_row_op<false>::apply(x, b); }, x12, normal({4}, 2))},
      {"the first row for the sum",
       on([](auto x, auto b) { return add_row_op<true>::apply(x, b); }, x12, normal({4}, 2))},
      {"wrong for x < 0, both signs", on([](auto x) { return ag::pointwise<leaky_op>(x); }, x12)},
      {"wrong for x < 0, all positive",
       on([](auto x) { return ag::pointwise<leaky_op>(x); }, positive({3, 4}))},
      {"softmax over the wrong axis",
       on([](auto x) { return wrong_softmax_op<true>::apply(x); }, normal({4, 4}))},
      {"softmax rule seen through sum",
       on([](auto x) { return ag::sum(wrong_softmax_op<false>::apply(x)); }, x12)},
      {"1e-7 doubled, alone", on([](auto x) { return ag::pointwise<doubled_op>(x); }, x12)},
      {"1e-7 doubled, beside one of 1",
       on(
           [](auto x) {
             return ag::sum(ag::concat<double>(
                 {ag::slice(x, {.axis = 0, .end = 1}),
                  ag::pointwise<doubled_op>(ag::slice(x, {.axis = 0, .begin = 1}))},
                 0));
           },
           normal({2})),
       false},
      {"a dropped cross term", on([](auto a, auto b) { return ag::pointwise<cross_term_op>(a, b); },
                                  x12, normal({3, 4}, 2))},
      {"a transposed square weight",
       on([](auto x, auto w) { return dense_op<true>::apply(x, w); }, x12, normal({4, 4}, 2))},
      {"off by one step in a recurrence",
       on([](auto x, auto w) { return recurrence_op::apply(x, w); }, normal({6}), normal({}, 3))},
      {"right for batch 1 only",
       on([](auto x, auto w) { return dense_op<false>::apply(x, w); }, x12, normal({4, 4}, 2))},
  };
}

}  // namespace planted
