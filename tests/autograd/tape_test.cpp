// The contracts of Tape, Var, grad and backward.
#include <cmath>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/tape.hpp>
#include <axisgrad/nn/parameter.hpp>

using namespace axisgrad;

namespace {

Tensor<double> vec(std::initializer_list<double> values) {
  return Tensor<double>({static_cast<Size>(values.size())}, values);
}

std::vector<double> list_of(const Tensor<double>& x) { return {x.begin(), x.end()}; }

template <Scalar T>
Parameter<T> parameter(const std::string& name, Tensor<T> value) {
  Parameter<T> p(value.shape());
  p.set_name(name);
  p.set_value(std::move(value));
  return p;
}

}  // namespace

TEST_CASE("grad: the slope of a sum of squares") {
  Tape<double> tape;
  const auto x = tape.input(vec({1, -2, 3}), {.gradient = true});
  CHECK(list_of(grad(sum(x * x), x).value()) == std::vector<double>{2, -4, 6});
}

TEST_CASE("grad: a value that is reached by several paths counts once on each (C43)") {
  for (const auto& [at_x, at_a, f_x, f_a] :
       {std::array{1., 1., 6., 3.}, std::array{2., 3., 36., 12.}}) {
    Tape<double> tape;
    const auto x = tape.input(Tensor<double>({}, at_x), {.gradient = true});
    const auto a = tape.input(Tensor<double>({}, at_a), {.gradient = true});
    const auto xa = x * a, x2 = x * x;
    const auto f = x * xa + x2 * a + x * xa;
    const auto g = grad(f, {x, a});
    CHECK(g[0].item() == f_x);
    CHECK(g[1].item() == f_a);
    CHECK(grad(x + x, x).item() == 2);
    CHECK(grad(x * x, x).item() == 2 * at_x);
    CHECK(grad(x - x, x).item() == 0);
  }
}

TEST_CASE("grad: zeros where nothing depends, the cotangent where y is x, inner values too") {
  Tape<double> tape;
  const auto x = tape.input(vec({1, 2}), {.gradient = true});
  const auto unused = tape.input(Tensor<double>({2, 3}, 1.), {.gradient = true});
  const auto inner = x * 3;
  const auto y = sum(inner * inner);
  const auto g = grad(y, {unused, inner, x, x});
  CHECK(g[0].shape() == Shape{2, 3});
  CHECK(list_of(g[0].value()) == std::vector<double>(6, 0.));
  CHECK(list_of(g[1].value()) == std::vector<double>{6, 12});
  CHECK(list_of(g[2].value()) == std::vector<double>{18, 36});
  CHECK(same_bits(g[3].value(), g[2].value()));
  CHECK(grad(y, y).item() == 1);
}

TEST_CASE("grad: several ys, each with its cotangent; the recording stays") {
  Tape<double> tape;
  const auto x = tape.input(vec({1, 2}), {.gradient = true});
  const std::vector ys{x * 2, x * x};
  const std::vector cotangents{Var<double>(vec({1, 10})), Var<double>(vec({100, 1000}))};
  for (int times = 0; times < 2; ++times)
    CHECK(list_of(grad<double>(ys, {x}, {.cotangents = cotangents})[0].value()) ==
          std::vector<double>{202, 4020});
}

TEST_CASE("grad with create_graph: derivatives up to the fourth") {
  Tape<double> tape;
  Var<double> x = tape.input(Tensor<double>({}, 0.7), {.gradient = true});
  Var<double> d = tanh(x);
  const double t = std::tanh(0.7), s = 1 - t * t;
  for (double expected : {s, -2 * t * s, s * (6 * t * t - 2), 8 * t * s * (2 - 3 * t * t)}) {
    d = grad(d, x, {.create_graph = true});
    CHECK(d.item() == doctest::Approx(expected).epsilon(1e-13));
  }
}

TEST_CASE("grad without create_graph records nothing") {
  Tape<double> tape;
  const auto x = tape.input(vec({1, 2}), {.gradient = true});
  const auto y = sum(exp(x) * x);
  const Size nodes = tape.nodes();
  const auto g = grad(y, x);
  CHECK(tape.nodes() == nodes);
  CHECK(!g.has_gradient());
}

TEST_CASE("hvp: Hessian times vector, the inputs taken jointly") {
  Tape<double> tape;
  const auto x = tape.input(vec({1, 2}), {.gradient = true}),
             z = tape.input(vec({3, 5}), {.gradient = true});
  const auto y = sum(x * x * z);  // d2/dx2 = 2 z, d2/dxdz = 2 x
  const auto h = hvp(y, {x, z}, {Var<double>(vec({1, 1})), Var<double>(vec({10, 0}))});
  CHECK(list_of(h[0].value()) == std::vector<double>{6 + 20, 10});
  CHECK(list_of(h[1].value()) == std::vector<double>{2, 4});
}

TEST_CASE("stop_gradient: the value passes, the gradient does not, the tape is kept") {
  Tape<double> tape;
  const auto x = tape.input(vec({2, 3}), {.gradient = true});
  const auto y = stop_gradient(x);
  CHECK(y.on_tape());
  CHECK(!y.has_gradient());
  CHECK(list_of(grad(sum(x * y), x).value()) == std::vector<double>{2, 3});
  const Var<double> constant(vec({1}));
  CHECK(!stop_gradient(constant).on_tape());
}

TEST_CASE("backward: adds into the grads of trainable parameters") {
  auto w = parameter<double>("w", vec({1, 2})), frozen = parameter<double>("frozen", vec({5, 7}));
  frozen.set_trainable(false);
  for (int round = 1; round <= 3; ++round) {
    Tape<double> tape;
    backward(sum(tape.watch(w) * tape.watch(frozen)));
    CHECK(list_of(w.grad()) == std::vector<double>{5. * round, 7. * round});
    CHECK(frozen.grad().empty());
  }
  w.mutable_grad() = Tensor<double>();
  CHECK(w.grad().empty());
}

TEST_CASE("backward: releases the recording unless it is told to keep it") {
  auto w = parameter<double>("w", vec({3}));
  Tape<double> tape;
  auto loss = sum(square(tape.watch(w)));
  backward(loss, {.retain = true});
  backward(loss);
  CHECK(w.grad()(0) == 12);
  CHECK(tape.nodes() == 0);
  CHECK_THROWS_WITH_AS(backward(loss),
                       "[backward] a Var belongs to a recording that backward() has released; pass "
                       "{.retain = true} to keep it, or detach() the Var",
                       Error);
  CHECK(loss.item() == 9);
  CHECK(w.grad()(0) == 12);
}

TEST_CASE("backward: changes nothing when it fails") {
  auto w = parameter<double>("w", vec({3, 4}));
  Tape<double> tape;
  const auto y = square(tape.watch(w));
  CHECK_THROWS_WITH_AS(backward(y), "[backward] needs a loss of one element, got the shape (2)",
                       Error);
  CHECK(w.grad().empty());
  backward(sum(y));  // the recording is unharmed
  CHECK(list_of(w.grad()) == std::vector<double>{6, 8});
}

TEST_CASE("a parameter: one leaf per recording, so tied weights add up") {
  auto w = parameter<double>("w", vec({2}));
  Tape<double> tape;
  const auto a = tape.watch(w), b = watch(w, a);
  CHECK(tape.leaves().size() == 1);
  backward(sum(a * b));
  CHECK(w.grad()(0) == 4);
}

TEST_CASE("a parameter: changed after it was watched is an error until clear()") {
  auto w = parameter<double>("w", vec({2}));
  Tape<double> tape;
  const auto loss = sum(square(tape.watch(w)));
  w.mutable_data()[0] = 5;
  CHECK_THROWS_WITH_AS((void)tape.watch(w),
                       "[watch] the value of 'w' has changed since this recording first watched "
                       "it: call clear() on the tape first",
                       Error);
  // What is recorded keeps its own old value.
  CHECK(grad<double>(loss, std::vector{&w})[0].item() == 4);
  tape.clear();
  CHECK(tape.watch(w).item() == 5);
}

TEST_CASE("a parameter: a retained recording differentiates at its own old values") {
  auto w = parameter<double>("w", vec({3}));
  Tape<double> tape;
  const auto loss = sum(square(tape.watch(w)));
  backward(loss, {.retain = true});
  w.mutable_data()[0] = 100;
  backward(loss);
  CHECK(w.grad()(0) == 12);
  CHECK(w.value()(0) == 100);
}

TEST_CASE(
    "a parameter: float on a tape of double is converted; its gradient is asked for with grad()") {
  auto w = parameter<float>("head.kernel", Tensor<float>({2}, {1.f, 2.f}));
  Tape<double> tape;
  const auto x = tape.input(vec({3, 4}));
  const auto loss = sum(watch(w, x) * x);
  CHECK(loss.item() == 11);
  CHECK_THROWS_WITH_AS(backward(loss),
                       "[backward] the parameter 'head.kernel' has another scalar type than the "
                       "tape: take its gradient with grad()",
                       Error);
  CHECK(w.grad().empty());
  CHECK(list_of(grad(loss, tape.leaves()[0].var).value()) == std::vector<double>{3, 4});
}

TEST_CASE("a parameter: whether it has a gradient is settled when it is watched") {
  auto single = parameter<float>("single", Tensor<float>({1}, {2.f}));
  auto w = parameter<double>("w", vec({3}));
  Tape<double> tape;
  const auto loss = sum(tape.watch(single) * tape.watch(w));
  single.set_trainable(false);
  CHECK_THROWS_WITH_AS(backward(loss),
                       "[backward] the parameter 'single' has another scalar type than the tape: "
                       "take its gradient with grad()",
                       Error);
  tape.clear();
  const auto frozen = sum(tape.watch(single) * tape.watch(w));
  single.set_trainable(true);
  backward(frozen, {.retain = true});
  CHECK(single.grad().empty());
  CHECK(w.grad().item() == 2);
  CHECK_THROWS_WITH_AS((void)grad<double>(frozen, std::vector{&single}),
                       "[grad] the parameter 'single' of shape (1) asked for no gradient when it "
                       "was watched: it was frozen, or the tape records none",
                       Error);
}

TEST_CASE("backward: a grad of another shape is refused before any is changed") {
  auto a = parameter<double>("a", vec({1, 2})), b = parameter<double>("b", vec({3, 4}));
  b.mutable_grad() = vec({5});
  Tape<double> tape;
  CHECK_THROWS_WITH_AS(backward(sum(tape.watch(a) * tape.watch(b))),
                       "[backward] the grad of 'b' has the shape (1), its value (2)", Error);
  CHECK(a.grad().empty());
  CHECK(list_of(b.grad()) == std::vector<double>{5});
}

TEST_CASE("a parameter: substitute stands in for its value, until clear()") {
  const auto w = parameter<double>("w", vec({2}));
  Tape<double> tape;
  tape.substitute(w.id(), vec({7}));
  CHECK(tape.watch(w).item() == 7);
  CHECK(w.value()(0) == 2);
  tape.clear();
  CHECK(tape.watch(w).item() == 2);
  CHECK_THROWS_WITH_AS(
      tape.substitute(w.id(), vec({7})),
      "[substitute] the parameter is already watched: substitute before the first use", Error);
  tape.clear();
  tape.substitute(w.id(), vec({7, 8}));
  CHECK_THROWS_WITH_AS((void)tape.watch(w),
                       "[watch] the substitute for 'w' has the shape (2), not (1)", Error);
}

TEST_CASE("a parameter: used before initialise() is an error that names it") {
  Parameter<double> w(Shape{2});
  w.set_name("encoder.kernel");
  const char* text =
      "[watch] the parameter 'encoder.kernel' of shape (2)"
      " has no value yet: call initialise(parameters(model), seed)";
  Tape<double> tape;
  CHECK_THROWS_WITH_AS((void)tape.watch(w), text, Error);
  CHECK_THROWS_WITH_AS((void)watch(w, Var<double>(1.)), text, Error);
}

TEST_CASE("a parameter: copies are new ones, moves stay themselves") {
  auto w = parameter<double>("w", vec({2}));
  const auto id = w.id();
  Parameter<double> copy = w;
  CHECK(copy.id() != id);
  Parameter<double> moved = std::move(w);
  CHECK(moved.id() == id);
  Tape<double> tape;
  backward(sum(tape.watch(moved) * tape.watch(copy)));
  CHECK(moved.grad()(0) == 2);
  CHECK(copy.grad()(0) == 2);
  moved.mutable_data()[0] = 9;
  CHECK(copy.value()(0) == 2);
}

TEST_CASE("grad by parameters: zeros for one that was not watched") {
  auto w = parameter<double>("w", vec({2})), other = parameter<double>("other", vec({1, 1, 1}));
  Tape<double> tape;
  const auto y = sum(square(tape.watch(w)));
  const auto g = grad<double>(y, std::vector{&other, &w});
  CHECK(list_of(g[0].value()) == std::vector<double>{0, 0, 0});
  CHECK(g[1].item() == 4);
  CHECK(w.grad().empty());
}

TEST_CASE("a recording that is over: values stay, anything else is an error") {
  Tape<double> tape;
  const auto x = tape.input(vec({1, 2}), {.gradient = true});
  const auto y = exp(x);
  tape.clear();
  CHECK(y.value()(0) == doctest::Approx(std::exp(1.)));
  CHECK(y.detach().has_gradient() == false);
  CHECK(exp(y.detach()).shape() == Shape{2});
  CHECK_THROWS_WITH_AS((void)exp(y), "[exp] a Var belongs to a recording that clear() has ended",
                       Error);
  CHECK_THROWS_WITH_AS((void)grad(y, x),
                       "[grad] a Var belongs to a recording that clear() has ended", Error);
  tape.clear();
  CHECK_THROWS_WITH_AS(
      (void)exp(y),
      "[exp] a Var belongs to an earlier recording of its tape, which was cleared or released",
      Error);
}

TEST_CASE("a recording that is over: no way around the error, and its options are forgotten") {
  auto w = parameter<double>("w", vec({2}));
  Tape<double> tape({.training = true});
  const auto y = square(tape.watch(w));
  CHECK(y.recording_options().training);
  tape.clear();
  CHECK(!y.recording_options().training);
  CHECK_THROWS_WITH_AS((void)stop_gradient(y),
                       "[stop_gradient] a Var belongs to a recording that clear() has ended",
                       Error);
  CHECK_THROWS_WITH_AS((void)grad<double>(y, std::vector{&w}),
                       "[grad] a Var belongs to a recording that clear() has ended", Error);
}

TEST_CASE(
    "a tape that is gone: its Vars keep their values, also when its memory serves another tape") {
  Var<double> x;
  {
    Tape<double> tape;
    x = tape.input(vec({1, 2}), {.gradient = true});
  }
  const char* text =
      "[multiply] a Var outlived its tape: the tape no longer exists; value() and detach() still "
      "work";
  CHECK_THROWS_WITH_AS((void)(x * x), text, Error);
  Tape<double> next;
  const auto y = next.input(vec({3, 4}), {.gradient = true});
  CHECK_THROWS_WITH_AS((void)(x * x), text, Error);
  CHECK_THROWS_WITH_AS((void)(x * y), text, Error);
  CHECK(x.value()(1) == 2);
  CHECK(list_of((x.detach() * y).value()) == std::vector<double>{3, 8});
}

TEST_CASE("recording options travel with the Vars") {
  Tape<double> tape({.training = true, .seed = 3, .step = 5});
  const auto y = tape.input(vec({1})) + 1;
  CHECK(y.recording_options().training);
  CHECK(y.recording_options().step == 5);
  CHECK(!Var<double>(1.).recording_options().training);
  { Tape<double> gone(tape.options()); }
  CHECK(!Tape<double>()
             .options()
             .training);  // nothing is left over from the tape whose memory it takes
}
