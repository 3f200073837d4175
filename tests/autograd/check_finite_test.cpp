// The first NaN or infinity of a recording is found, by op, node and position.
#include <cmath>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>

using namespace axisgrad;

namespace {

Tensor<double> vec(std::initializer_list<double> values) {
  return Tensor<double>({static_cast<Size>(values.size())}, values);
}

}  // namespace

TEST_CASE(
    "check_finite: the first op that makes a NaN or an infinity is named, forward and backward") {
  Tape<double> tape({.check_finite = true});
  const auto x = tape.input(Tensor<double>({2, 2}, {1, 2, 0, 3}), {.gradient = true});
  const auto y = x * 2;
  CHECK_THROWS_WITH_AS((void)log(y), "[log] node 1: the result of shape (2,2) holds -inf at (1,0)",
                       Error);
  CHECK(tape.nodes() == 1);
  const auto loss = sum(sqrt(y));
  CHECK_THROWS_WITH_AS(
      (void)grad(loss, x),
      "[sqrt] node 1, in backward: the gradient of input 0 of shape (2,2) holds inf at (1,0)",
      Error);
  CHECK_THROWS_WITH_AS((void)tape.input(vec({1, std::nan("")})),
                       "[input] the value of shape (2) holds nan at (1)", Error);

  Tape<double> silent;
  const auto z = silent.input(vec({0}), {.gradient = true});
  CHECK(std::isinf(grad(sum(sqrt(z)), z).item()));
}

TEST_CASE("check_finite in backward names the input, the sum, the cotangent, the fused op's node") {
  Tape<double> tape({.check_finite = true});
  const auto a = tape.input(vec({2, 3}), {.gradient = true});
  const auto b = tape.input(vec({4, 5}), {.gradient = true});
  const auto quotient = a * 2 + where(constant(vec({1, 1})), a, a / (b * 1e-100));
  const Var<double> huge(vec({1, 1e200}));
  CHECK_THROWS_WITH_AS(
      (void)grad<double>(std::vector{a / (b * 1e-100)}, std::vector{b}, {.cotangents = {huge}}),
      "[divide] node 6, in backward: the gradient of input 1 of shape (2) holds -inf at (1)",
      Error);
  CHECK_NOTHROW((void)grad(sum(quotient), b));
  // Each is finite, their sum is not.
  const Var<double> largest(vec({1.7e308, 0}));
  CHECK_THROWS_WITH_AS(
      (void)grad<double>(std::vector{a + a}, std::vector{a}, {.cotangents = {largest}}),
      "[add] node 8, in backward: the summed gradient of input 1 of shape (2) holds inf at (0)",
      Error);
  const Var<double> bad(vec({1, -std::nan("")}));
  CHECK_THROWS_WITH_AS(
      (void)grad<double>(std::vector{a * b}, std::vector{a}, {.cotangents = {bad}}),
      "[grad] the cotangent of y number 0 of shape (2) holds nan at (1)", Error);
}
