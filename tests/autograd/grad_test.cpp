// What grad() takes as a y, and what it gives for one x and for several.
#include <type_traits>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/functional.hpp>
#include <axisgrad/autograd/ops.hpp>

using namespace axisgrad;

namespace {

Tensor<double> vec(std::initializer_list<double> values) {
  return Tensor<double>({static_cast<Size>(values.size())}, values);
}
std::vector<double> list_of(const Tensor<double>& x) { return {x.begin(), x.end()}; }

}  // namespace

TEST_CASE("grad: a gradient taken without create_graph is a constant, and refused as a y") {
  Tape<double> tape;
  const auto x = tape.input(vec({1, 2}), {.gradient = true});
  const auto first = grad(sum(x * x * x), x);
  CHECK_THROWS_WITH_AS((void)grad(sum(first), x),
                       "[grad] y number 0 of shape () is a constant, on no tape: it depends on no "
                       "x. (A gradient is one, unless it was taken with .create_graph)",
                       Error);
  const auto y = sum(x * x * x);
  CHECK_THROWS_WITH_AS(
      (void)grad(std::vector{y, sum(first)}, std::vector{x}),
      "[grad] y number 1 of shape () is a constant, on no tape: it depends on no x. (A gradient "
      "is one, unless it was taken with .create_graph)",
      Error);
  CHECK(list_of(grad(sum(first), x, {.allow_constant = true}).value()) ==
        std::vector<double>{0, 0});
  CHECK(list_of(grad(sum(grad(y, x, {.create_graph = true})), x).value()) ==
        std::vector<double>{6, 12});
  // A first gradient that is constant is no mistake: the second is zero, as is a Hessian.
  const auto linear = grad(sum(x * 3.), x, {.create_graph = true});
  CHECK(list_of(linear.value()) == std::vector<double>{3, 3});
  CHECK(list_of(grad(sum(linear), x).value()) == std::vector<double>{0, 0});
  CHECK(list_of(hvp(sum(x * 3.), {x}, {constant(vec({1, 1}))})[0].value()) ==
        std::vector<double>{0, 0});
  CHECK(list_of(hessian([](auto v) { return sum(v * 3.); }, vec({1, 2}))) ==
        std::vector<double>(4, 0.));
  const auto nothing = [](const Var<double>&) { return constant(vec({5})); };
  CHECK(list_of(jacobian(nothing, vec({1, 2}))) == std::vector<double>{0, 0});
  CHECK(list_of(jvp(nothing, vec({1, 2}), vec({1, 1})).product) == std::vector<double>{0});
}

TEST_CASE("grad: one x gives a Var, a list of one gives a vector") {
  Tape<double> tape;
  const auto x = tape.input(vec({1, 2}), {.gradient = true});
  const auto y = sum(x * x);
  static_assert(std::is_same_v<decltype(grad(y, x)), Var<double>>);
  static_assert(std::is_same_v<decltype(grad(y, {x})), std::vector<Var<double>>>);
  static_assert(std::is_same_v<decltype(grad(y, {x, x})), std::vector<Var<double>>>);
  CHECK(same_bits(grad(y, {x})[0].value(), grad(y, x).value()));
}
