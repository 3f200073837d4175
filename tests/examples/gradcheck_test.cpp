// The parts of the gradcheck program: that it sees what is wrong, in which precision and order.
#include <stdexcept>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/dense.hpp>

#include "../../examples/gradcheck/make.hpp"
#include "../../examples/gradcheck/names.hpp"
#include "../../examples/gradcheck/run.hpp"

using namespace axisgrad;
using checks::Case;
using checks::Check;

namespace {

// x^3 whose gradient is 3 x^2 times a factor; `second` is that of the rule when it is recorded.
struct cube_op {
  static constexpr std::string_view name = "cube";
  struct Options {
    double first, second;
  };
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const auto& o = r.template options<Options>();
    const Var<T> x = r.input(0);
    const Var<T> right = r.cotangent() * square(x) * T(3);
    // The same value, of another slope.
    const Var<T> other = stop_gradient(right) * T(1 - o.second) + right * T(o.second);
    r.add(0, other * T(o.first));
  }
};
template <Scalar T>
Var<T> cube(const Var<T>& x, cube_op::Options o) {
  return record<cube_op, T>({&x}, (square(x) * x).value(), {.inputs = 1}, o);
}

Check of(const std::function<Case()>& make) {
  return {"test", "op", [make] { return std::vector{make()}; }};
}
// Cubes with the given faults in double and in float.
Case cubes(cube_op::Options in_double, cube_op::Options in_float) {
  return {.title = "cube",
          .inputs = {Tensor<double>({3}, {.5, -1, 2})},
          .in_double = [=](auto x) { return std::vector{cube(x[0], in_double)}; },
          .in_float = [=](auto x) { return std::vector{cube(x[0], in_float)}; }};
}
bool passes(const Case& c, checks::RunOptions options) {
  return checks::run(of([&] { return c; }), options).passed;
}

// A layer that halves its bias's gradient.
struct Forgetful {
  using scalar = float;
  Dense<float> dense{4, 3, {.use_bias = false}};
  Parameter<float> bias{Shape{3}, Init::zeros};
  template <Scalar T>
  Var<T> operator()(const Var<T>& x) const {
    const Var<T> b = watch(bias, x);
    return dense(x) + stop_gradient(b) * T(.5) + b * T(.5);
  }
  void visit(auto&& visitor) { visitor("dense", dense), visitor("bias", bias); }
};

}  // namespace

TEST_CASE("gradcheck program: a wrong first gradient fails, and says where") {
  const cube_op::Options right{1, 1}, wrong{1.001, 1};
  CHECK(passes(cubes(right, right), {}));
  const auto result = checks::run(of([&] { return cubes(wrong, right); }), {});
  CHECK_FALSE(result.passed);
  REQUIRE(result.worst);
  CHECK(result.worst->where == "input 0 (cube)");
  CHECK(result.worst->index.size() == 1);
  CHECK(result.max_rel_error == doctest::Approx(.001 / 1.001).epsilon(1e-3));
  CHECK(result.worst->analytic == doctest::Approx(1.001 * result.worst->numeric));
  CHECK(result.text.find("input 0 is WRONG") != std::string::npos);
}

TEST_CASE("gradcheck program: a wrong second gradient fails at order 2 only") {
  const cube_op::Options right{1, 1}, wrong{1, .999};
  CHECK(passes(cubes(wrong, right), {.order = 1}));
  CHECK_FALSE(passes(cubes(wrong, right), {.order = 2}));
  CHECK(passes(cubes(right, right), {.order = 2}));
}

TEST_CASE("gradcheck program: a gradient wrong in float fails in float only") {
  const cube_op::Options right{1, 1}, first{1.001, 1}, second{1, .99};
  CHECK(passes(cubes(right, first), {}));
  const auto result =
      checks::run(of([&] { return cubes(right, first); }), {.single_precision = true});
  CHECK_FALSE(result.passed);
  CHECK(result.text.find("the gradient in float is") != std::string::npos);
  CHECK(passes(cubes(right, right), {.single_precision = true}));
  CHECK(passes(cubes(right, second), {.single_precision = true}));
  CHECK_FALSE(passes(cubes(right, second), {.order = 2, .single_precision = true}));
  CHECK(passes(cubes(right, right), {.order = 2, .single_precision = true}));
  // In double as well, whatever float gives.
  CHECK_FALSE(passes(cubes(first, first), {.single_precision = true}));
}

TEST_CASE("gradcheck program: zero gradients, thrown errors and constants") {
  const auto f = [](auto g) {
    return Case{.title = "t",
                .inputs = {Tensor<double>({3}, {.5, -1, 2})},
                .in_double = [g](auto x) { return std::vector{g(x[0])}; },
                .in_float = [g](auto x) { return std::vector{g(x[0])}; }};
  };
  const Case zero = f([](const auto&x) { return sum(softmax(x, 0)); }),
             shown = f([](const auto&x) { return square(x); });
  CHECK_FALSE(passes(zero, {}));
  const Check both{"both", "op", [&] { return std::vector{zero, shown}; }};
  CHECK(checks::run(both, {}).passed);
  CHECK_FALSE(checks::run(both, {.first_case_only = true}).passed);

  const auto thrown = checks::run(
      of([&] { return f([](const auto& x) { return fail("test", "refused"), x; }); }), {});
  CHECK_FALSE(thrown.passed);
  CHECK(thrown.text == "t: [test] refused\n");

  Case constant = f([](const auto& x) { return argmax(x, 0); });
  constant.differentiable = false;
  CHECK(passes(constant, {}));
  const auto found = checks::run(of([&] { return constant; }), {});
  REQUIRE(found.worst);
  CHECK(found.worst->where == "input 0 (t)");
  CHECK(found.worst->index == std::vector<Size>{0});
  Case recorded = shown, moved = f([](const auto&x) { return square(stop_gradient(x)); });
  recorded.differentiable = moved.differentiable = false;
  CHECK_FALSE(passes(recorded, {}));
  const auto slope = checks::run(of([&] { return moved; }), {});
  CHECK_FALSE(slope.passed);
  CHECK(slope.max_rel_error == 1);
  CHECK(slope.worst->numeric != 0);
  CHECK(slope.text.find("t: is said to be constant, but input 0 moves it") == 0);
}

TEST_CASE("gradcheck program: a module that is fed with constants has parameters off the tape") {
  const auto fed = checks::run(checks::module_called(
                                   "fed", [] { return Dense<float>(4, 3); },
                                   []<Scalar T>(const auto& dense, const Var<T>& x) {
                                     return dense(constant(Tensor<T>({2, 4}, T(1)))) + sum(x);
                                   },
                                   Shape{2, 4}),
                               {});
  CHECK_FALSE(fed.passed);
  CHECK(fed.text == "of 3 inputs and parameters only 1 are on the tape: fed with constants?\n");
}

TEST_CASE("gradcheck program: what a misspelt name may have meant") {
  const std::vector<std::string> names{"huber", "huber_error", "LSTM", "LSTM, no bias", "mse"};
  const auto near = [&](const char* name, std::size_t most = 5) {
    return checks::near_matches(name, names, most);
  };
  using List = std::vector<std::string>;
  CHECK(near("hubre") == List{"huber"});
  CHECK(near("Huber") == List{"huber", "huber_error"});
  CHECK(near("Huber", 1) == List{"huber"});
  CHECK(near("lstm bias") == List{"LSTM, no bias"});
  CHECK(near("LSTN") == List{"LSTM"});
  CHECK(near("convolution").empty());
}

TEST_CASE("gradcheck program: a module is one line, its parameters are checked by name") {
  const auto dense = checks::module(
      "Dense", [] { return Dense<float>(4, 3); }, Shape{2, 4});
  const auto right = checks::run(dense, {.single_precision = true});
  CHECK(right.passed);
  CHECK(right.kind == "module");
  const auto wrong = checks::run(checks::model(
                                     "Forgetful", [] { return Forgetful{}; }, Shape{2, 4}),
                                 {});
  CHECK_FALSE(wrong.passed);
  CHECK(wrong.kind == "model");
  REQUIRE(wrong.worst);
  CHECK(wrong.worst->where == "bias");
  CHECK(wrong.max_rel_error == doctest::Approx(.5));
}
