// How long things live: several tapes, moved tapes and parameters, recordings that follow each
// other.
#include <span>
#include <type_traits>
#include <utility>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/tape.hpp>
#include <axisgrad/nn/dense.hpp>

using namespace axisgrad;

namespace {

Tensor<double> vec(std::initializer_list<double> values) {
  return Tensor<double>({static_cast<Size>(values.size())}, values);
}

template <Scalar T>
Parameter<T> parameter(const std::string& name, Tensor<T> value) {
  Parameter<T> p(value.shape());
  p.set_name(name);
  p.set_value(std::move(value));
  return p;
}

// A rule that gives the gradient of an input that the op does not have.
struct second_input_op {
  static constexpr std::string_view name = "second_input";
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(1, r.cotangent());
  }
};

}  // namespace

TEST_CASE("a module that was moved away is refused, the one it was moved to works") {
  Dense<double> dense{2, 1};
  const auto parameters = axisgrad::parameters(dense);
  initialise(parameters, 1);
  const Dense<double> other = std::move(dense);
  const Var<double> x(Tensor<double>({3, 2}, 1.));
  CHECK(other(x).shape() == Shape{3, 1});
  CHECK_THROWS_WITH_AS((void)dense(x),
                       "[watch] a parameter's module was moved away: use the one it was moved to",
                       Error);
  CHECK_THROWS_WITH_AS((void)parameters[0]->name(),
                       "[parameter] its module was moved away: use the module it was moved to",
                       Error);
}

TEST_CASE("a rule that names an input the op does not have is refused") {
  Tape<double> tape;
  const auto x = tape.input(vec({1, 2}), {.gradient = true});
  const auto y = record<second_input_op, double>({&x}, x.value());
  CHECK_THROWS_WITH_AS((void)grad(sum(y * y), x),
                       "[second_input] the gradient rule names input 1, the op has 1", Error);
}

TEST_CASE("a tape that was moved away is not used any more") {
  Tape<double> old;
  const auto x = old.input(vec({3}), {.gradient = true});
  Tape<double> tape = std::move(old);
  CHECK(grad(sum(x * x), x).item() == 6);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  const char* text = "[tape] it was moved away: use the tape that it was moved to";
  CHECK_THROWS_WITH_AS((void)old.input(vec({1})), text, Error);
  CHECK_THROWS_WITH_AS((void)old.leaves(), text, Error);
  CHECK_THROWS_WITH_AS((void)old.nodes(), text, Error);
  CHECK_THROWS_WITH_AS(old.options().training = true, text, Error);
  CHECK_THROWS_WITH_AS(old.substitute(1, vec({1})), text, Error);
  CHECK_THROWS_WITH_AS(old.clear(), text, Error);
  // NOLINTEND(bugprone-use-after-move)
  tape.clear();
}

TEST_CASE("two tapes: each on its own, never mixed") {
  Tape<double> one, two;
  const auto a = one.input(vec({1}), {.gradient = true}),
             b = two.input(vec({2}), {.gradient = true});
  CHECK_THROWS_WITH_AS(
      (void)(a * b),
      "[multiply] the inputs are on two different tapes: one of the shape (1), one of (1)", Error);
  CHECK_THROWS_WITH_AS(
      (void)grad(sum(a), b),
      "[grad] the inputs are on two different tapes: one of the shape (), one of (1)", Error);
  CHECK_THROWS_WITH_AS(
      (void)grad(a, a, {.create_graph = true, .cotangents = {b}}),
      "[grad] the inputs are on two different tapes: one of the shape (1), one of (1)", Error);
  CHECK(one.nodes() == 1);
  CHECK(grad(sum(a * b.detach()), a).item() == 2);
  CHECK(grad(sum(b * a.detach()), b).item() == 1);
}

TEST_CASE("a tape can be moved; its Vars follow") {
  Tape<double> tape;
  const auto x = tape.input(vec({2}), {.gradient = true});
  Tape<double> other = std::move(tape);
  CHECK(grad(sum(x * x), x).item() == 4);
  CHECK(other.nodes() == 2);
}

TEST_CASE("state across recordings: detached it starts anew, undetached it is an error") {
  auto w = parameter<double>("w", Tensor<double>({}, .5));
  Tape<double> tape;
  const Var<double> h1 = tanh(tape.watch(w) * Var<double>(1.) + 1.);
  CHECK(h1.item() == doctest::Approx(0.905148254));
  backward(h1);
  CHECK_THROWS_AS((void)(tape.watch(w) * h1), Error);
  w.mutable_grad() = Tensor<double>();
  const auto h2 = tanh(tape.watch(w) * h1.detach() + 2.);
  CHECK(h2.item() == doctest::Approx(0.985292271));
  backward(h2);
  CHECK(w.grad().item() == doctest::Approx(0.026429552));
}

TEST_CASE("a chain of a million nodes: no recursion") {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({}, 1.), {.gradient = true});
  Var<double> y = x;
  for (int i = 0; i < 1'000'000; ++i) y = y + 1;
  CHECK(y.item() == 1'000'001);
  CHECK(tape.nodes() == 1'000'000);
  CHECK(grad(y, x).item() == 1);
}

TEST_CASE("what a temporary gives is a value of its own") {
  using V = Var<double>;
  using T = Tensor<double>;
  static_assert(std::is_same_v<decltype(std::declval<V>().value()), T>);
  static_assert(std::is_same_v<decltype(std::declval<V>().shape()), Shape>);
  static_assert(std::is_same_v<decltype(std::declval<T>().shape()), Shape>);
  static_assert(std::is_same_v<decltype(std::declval<T>().values()), std::vector<double>>);
  static_assert(std::is_same_v<decltype(std::declval<const V&>().value()), const T&>);
  static_assert(std::is_same_v<decltype(std::declval<V&>().shape()), const Shape&>);
  static_assert(std::is_same_v<decltype(std::declval<T&>().values()), std::span<const double>>);
  double total = 0;
  for (double v : exp(constant(vec({0, 0, 0}))).value()) total += v;
  for (double v : exp(constant(vec({0, 0}))).value().values()) total += v;
  for (Size n : exp(constant(vec({0, 0}))).shape()) total += static_cast<double>(n);
  CHECK(total == 7);
}
