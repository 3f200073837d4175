// The table test: every op of the library, every sample, several draws of its inputs. What the
// table lacks fails here as well, so an op cannot be listed without being checked.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <doctest/doctest.h>

#include <axisgrad/autograd/ops.hpp>

#include "oracle.hpp"

using namespace axisgrad;
using oracle::Tensors;

namespace {

using Vars = std::vector<Var<double>>;

constexpr double tolerance = 1e-6;
constexpr std::uint64_t draws = 3;

const std::vector<OpEntry>& table() {
  static const std::vector<OpEntry> ops = all_ops();
  return ops;
}

// Calls f(op, sample, inputs) for every draw.
template <class F>
void for_each_case(const F& f) {
  for (const OpEntry& op : table())
    for (const Sample& sample : op.samples)
      for (std::uint64_t seed = 1; seed <= draws; ++seed) {
        CAPTURE(op.name);
        CAPTURE(sample.title);
        CAPTURE(sample.inputs[0].shape);
        CAPTURE(seed);
        f(op, sample, oracle::draw(sample, seed));
      }
}
template <class F>
void for_each_differentiable(const F& f) {
  for_each_case([&](const OpEntry& op, const Sample& sample, const Tensors& xs) {
    if (op.differentiable) f(op, sample, xs);
  });
}

template <class T>
std::vector<Var<T>> constants(const Tensors& xs) {
  std::vector<Var<T>> vars;
  for (const auto& x : xs)
    if constexpr (std::is_same_v<T, double>)
      vars.push_back(constant(x));
    else
      vars.push_back(constant(Tensor<T>(x)));
  return vars;
}

Tensor<double> value(const Sample& sample, const Tensors& xs) {
  return sample.in_double(constants<double>(xs)).value();
}

// Gradients of sum(y * cotangent).
Tensors gradients(const Sample& sample, const Tensors& xs, const Tensor<double>& cotangent) {
  Tape<double> tape;
  const Vars inputs = oracle::leaves(tape, xs);
  const Var<double> y = sample.in_double(inputs);
  return oracle::values(grad<double>(Vars{y}, inputs, {.cotangents = {constant(cotangent)}}));
}

// What rounding leaves of a difference quotient whose function is a sum of terms of this size.
double noise(double terms) { return 1e-11 * std::max(1., terms); }

Tensor<double> cotangent_for(const Tensor<double>& y) {
  return oracle::Numbers(99).tensor(y.shape());
}

// The names in a that are not in b.
std::string left_out(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::string names;
  for (const std::string& name : a)
    if (!b.count(name)) names += name + '\n';
  return names;
}

}  // namespace

TEST_CASE("every op: the value is finite and has the same shape in float and double") {
  for_each_case([](const OpEntry&, const Sample& sample, const Tensors& xs) {
    const Tensor<double> y = value(sample, xs);
    CHECK(std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); }));
    CHECK(sample.in_float(constants<float>(xs)).shape() == y.shape());
  });
}

TEST_CASE("every op: gradient against differences, and 1.01 times the gradient fails (C48)") {
  std::set<std::string> samples, inputs, samples_with,
      inputs_with;  // all there are, and those that ever had a gradient
  for_each_differentiable([&](const OpEntry& op, const Sample& sample, const Tensors& xs) {
    const Tensor<double> y = value(sample, xs), c = cotangent_for(y);
    const Tensors exact = gradients(sample, xs, c);
    const Tensors measured = oracle::differences(
        [&](const Tensors& at) { return oracle::dot(value(sample, at), c); }, xs);
    const double allowed = noise(oracle::size_of_terms(y, c));
    CHECK(oracle::difference(exact, measured, tolerance, allowed) == "");
    bool zero = true;
    for (std::size_t k = 0; k < xs.size(); ++k) {
      if (xs[k].size() == 0 || y.size() == 0) continue;
      const std::string input = std::string(op.name) + ", input " + std::to_string(k);
      const std::string title = std::string(op.name) + ", " + sample.title;
      samples.insert(title), inputs.insert(input);
      if (oracle::all_zero(exact[k])) continue;
      samples_with.insert(title), inputs_with.insert(input);
      zero = false;
    }
    if (!zero)
      CHECK(oracle::difference(oracle::scaled(exact, 1.01), measured, tolerance, allowed) != "");
  });
  // Zero gradients prove nothing. Only these are zero by definition.
  CHECK(left_out(samples, samples_with) == "softmax, an axis of size 1\n");
  CHECK(left_out(inputs, inputs_with) == "where, input 0\n");
}

TEST_CASE("every op: second order against differences of the gradient") {
  for_each_differentiable([](const OpEntry&, const Sample& sample, const Tensors& xs) {
    // s(x, c) = sum over k of v_k * d sum(y c) / d x_k, differentiated by x and by the cotangent c.
    Tensors all = xs;
    all.push_back(cotangent_for(value(sample, xs)));
    Tensors weights;
    for (const auto& x : xs)
      weights.push_back(oracle::Numbers(7 + weights.size()).tensor(x.shape()));

    Tape<double> tape;
    const Vars inputs = oracle::leaves(tape, all);
    const Vars own(inputs.begin(), inputs.end() - 1);
    const Vars first = grad<double>(Vars{sample.in_double(own)}, own,
                                    {.create_graph = true, .cotangents = {inputs.back()}});
    Var<double> s(0.);
    double terms = 0;
    for (std::size_t k = 0; k < first.size(); ++k) {
      s = s + sum(first[k] * constant(weights[k]));
      terms += oracle::size_of_terms(first[k].value(), weights[k]);
    }
    const auto measure = [&](const Tensors& at) {
      const Tensors g = gradients(sample, Tensors(at.begin(), at.end() - 1), at.back());
      double total = 0;
      for (std::size_t k = 0; k < g.size(); ++k) total += oracle::dot(g[k], weights[k]);
      return total;
    };
    CHECK(oracle::difference(oracle::values(first), gradients(sample, xs, all.back()), 1e-13,
                             noise(terms)) == "");
    const Tensors exact = oracle::values(grad(s, inputs)),
                  measured = oracle::differences(measure, all);
    CHECK(oracle::difference(exact, measured, tolerance, noise(terms)) == "");
    if (all.back().size() == 0 || terms == 0) return;
    CHECK(oracle::difference(oracle::scaled(exact, 1.01), measured, tolerance, noise(terms)) != "");
  });
}

TEST_CASE("every fused op: value and gradient against its reference in public ops") {
  std::set<std::string> fused, compared;
  for_each_differentiable([&](const OpEntry& op, const Sample& sample, const Tensors& xs) {
    if (op.kind == Kind::fused) fused.insert(std::string(op.name));
    if (!sample.reference) return;
    compared.insert(std::string(op.name));
    Sample reference = sample;
    reference.in_double = sample.reference;
    const Tensor<double> y = value(sample, xs), c = cotangent_for(y);
    CHECK(oracle::difference({y}, {value(reference, xs)}, 1e-12, 1e-13) == "");
    CHECK(oracle::difference(gradients(sample, xs, c), gradients(reference, xs, c), 1e-11,
                             noise(1)) == "");
  });
  CHECK(left_out(fused, compared) == "");
}

TEST_CASE("every op: float against double, values and gradients") {
  for_each_case([](const OpEntry& op, const Sample& sample, Tensors xs) {
    for (auto& x : xs) x = Tensor<double>(Tensor<float>(x));  // both start from the same numbers
    const Tensor<double> y = value(sample, xs), c(Tensor<float>(cotangent_for(y)));
    auto close = [](const Tensors& exact, const Tensors& rounded) {
      double largest = 1;
      for (const auto& x : exact)
        for (double v : x) largest = std::max(largest, std::abs(v));
      const double eps = std::numeric_limits<float>::epsilon();
      return oracle::difference(exact, rounded, 16 * eps, 16 * eps * largest);
    };
    CHECK(close({y}, {Tensor<double>(sample.in_float(constants<float>(xs)).value())}) == "");
    if (!op.differentiable) return;
    Tape<float> tape;
    std::vector<Var<float>> inputs;
    for (const auto& x : xs) inputs.push_back(tape.input(Tensor<float>(x), {.gradient = true}));
    const auto g = grad<float>(std::vector{sample.in_float(inputs)}, inputs,
                               {.cotangents = {constant(Tensor<float>(c))}});
    Tensors in_float;
    for (const auto& v : g) in_float.emplace_back(v.value());
    CHECK(close(gradients(sample, xs, c), in_float) == "");
  });
}

TEST_CASE("every op: the same Var for several inputs gets the sum of their gradients") {
  std::set<std::string_view> checked;
  for_each_differentiable([&](const OpEntry& op, const Sample& sample, Tensors xs) {
    for (std::size_t a = 0; a < xs.size(); ++a)
      for (std::size_t b = a + 1; b < xs.size(); ++b) {
        if (xs[a].shape() != xs[b].shape() || xs[a].size() == 0) continue;
        // From the narrower range: what a target may be, a prediction may be, too.
        const auto width = [&](std::size_t k) {
          return sample.inputs[k].range.high - sample.inputs[k].range.low;
        };
        Tensors equal = xs;
        equal[a] = equal[b] = xs[width(a) < width(b) ? a : b];
        const Tensor<double> c = cotangent_for(value(sample, equal));
        const Tensors apart = gradients(sample, equal, c);

        Tape<double> tape;
        Vars inputs = oracle::leaves(tape, equal);
        inputs[b] = inputs[a];
        const Var<double> both = grad<double>(Vars{sample.in_double(inputs)}, Vars{inputs[a]},
                                              {.cotangents = {constant(c)}})[0];
        const Tensor<double> sum = add(constant(apart[a]), constant(apart[b])).value();
        CHECK(oracle::difference({both.value()}, {sum}, 1e-14, 1e-14) == "");
        checked.insert(op.name);
      }
  });
  CHECK(checked.size() >= 10);
}

TEST_CASE(
    "every op: asked for one input alone, its gradient is the same, and nothing else is asked "
    "for") {
  for_each_differentiable([](const OpEntry&, const Sample& sample, const Tensors& xs) {
    const Tensor<double> c = cotangent_for(value(sample, xs));
    const Tensors all = gradients(sample, xs, c);
    for (std::size_t k = 0; k < xs.size(); ++k) {
      Tape<double> tape;
      Vars inputs = constants<double>(xs);
      inputs[k] = tape.input(xs[k], {.gradient = true});
      const Var<double> y = sample.in_double(inputs);
      CHECK(y.has_gradient());
      CHECK(same_bits(
          grad<double>(Vars{y}, Vars{inputs[k]}, {.cotangents = {constant(c)}})[0].value(),
          all[k]));
    }
  });
}

TEST_CASE("every op: without a gradient asked for nothing is recorded, and the tape is passed on") {
  for_each_case([](const OpEntry&, const Sample& sample, const Tensors& xs) {
    const Var<double> plain = sample.in_double(constants<double>(xs));
    CHECK(!plain.on_tape());
    CHECK(!plain.has_gradient());

    Tape<double> tape;
    Vars inputs = constants<double>(xs);
    inputs[0] = tape.input(xs[0]);
    const Var<double> y = sample.in_double(inputs);
    CHECK(y.on_tape());
    CHECK(!y.has_gradient());
    CHECK(tape.nodes() == 0);
    CHECK(same_bits(y.value(), plain.value()));
  });
}

TEST_CASE("every op: recorded or not, the value has the same bits") {
  for_each_case([](const OpEntry& op, const Sample& sample, const Tensors& xs) {
    Tape<double> tape;
    const Var<double> y = sample.in_double(oracle::leaves(tape, xs));
    CHECK(same_bits(y.value(), value(sample, xs)));
    CHECK(y.has_gradient() == op.differentiable);
  });
}

TEST_CASE("every op: empty axes give the right shapes") {
  int cases = 0;
  for_each_differentiable([&](const OpEntry&, const Sample& sample, const Tensors& xs) {
    if (std::none_of(xs.begin(), xs.end(), [](const auto& x) { return x.size() == 0; })) return;
    ++cases;
    const Tensors g = gradients(sample, xs, cotangent_for(value(sample, xs)));
    for (std::size_t k = 0; k < xs.size(); ++k) {
      CHECK(g[k].shape() == xs[k].shape());
      CHECK(std::all_of(g[k].begin(), g[k].end(), [](double v) { return std::isfinite(v); }));
    }
  });
  CHECK(cases >= 30);
}

namespace {

// A formula of the library as a user's op: plain loops in place of the kernels.
template <class Op>
struct in_plain_loops : Op {};

template <Scalar T>
using Function = Var<T> (*)(const std::vector<Var<T>>& x);

template <class Op, Scalar T, std::size_t... K>
Function<T> function(std::index_sequence<K...>) {
  return [](const std::vector<Var<T>>& x) { return pointwise<Op>(x[K]...); };
}

// Not a template of the op: it is compiled for T alone.
template <Scalar T>
void compare(const std::vector<Shape>& shapes, std::span<const Range> ranges,
             Function<T> in_kernels, Function<T> in_loops) {
  Tensors xs;
  for (std::size_t k = 0; k < shapes.size(); ++k)
    xs.push_back(oracle::Numbers(k + 1).tensor(shapes[k], ranges[k]));
  Tape<T> tape;
  std::vector<Var<T>> x;
  for (const auto& t : xs) {
    if constexpr (std::is_same_v<T, double>)
      x.push_back(tape.input(t, {.gradient = true}));
    else
      x.push_back(tape.input(Tensor<T>(t), {.gradient = true}));
  }
  const Var<T> fast = in_kernels(x), plain = in_loops(x);
  auto close = [](const Tensor<T>& a, const Tensor<T>& b) {
    const double eps = std::numeric_limits<T>::epsilon();
    auto wide = [](const Tensor<T>& t) {
      if constexpr (std::is_same_v<T, double>)
        return t;
      else
        return Tensor<double>(t);
    };
    double largest = 0;
    for (T v : b) largest = std::max(largest, std::abs(double(v)));
    return oracle::difference({wide(a)}, {wide(b)}, 8 * eps, 4 * eps * std::max(1., largest));
  };
  CHECK(close(fast.value(), plain.value()) == "");
  if (!fast.has_gradient()) return;
  Tensor<T> c(fast.shape());
  oracle::Numbers numbers(5);
  std::generate_n(c.mutable_data(), c.size(), [&] { return T(numbers.in({-2, 2})); });
  const auto a = grad<T>(std::vector{fast}, x, {.cotangents = {constant(c)}});
  const auto b = grad<T>(std::vector{plain}, x, {.cotangents = {constant(c)}});
  for (std::size_t k = 0; k < x.size(); ++k) {
    CAPTURE(k);
    CHECK(close(a[k].value(), b[k].value()) == "");
  }
}

template <class Op>
void compare_with_plain_loops() {
  CAPTURE(Op::name);
  constexpr auto indices = std::make_index_sequence<detail::arity<Op>>();
  auto shapes = pointwise_sample_shapes(detail::arity<Op>);
  shapes.push_back(std::vector<Shape>(Op::samples.size(), Shape{1037}));
  for (const auto& s : shapes) {
    CAPTURE(s[0]);
    compare<float>(s, Op::samples, function<Op, float>(indices),
                   function<in_plain_loops<Op>, float>(indices));
    compare<double>(s, Op::samples, function<Op, double>(indices),
                    function<in_plain_loops<Op>, double>(indices));
  }
}

template <class... Ops>
void compare_all(list<Ops...>) {
  (compare_with_plain_loops<Ops>(), ...);
}

}  // namespace

TEST_CASE("every pointwise op: the kernels against plain loops over the same formula") {
  compare_all(pointwise_ops{});
}
