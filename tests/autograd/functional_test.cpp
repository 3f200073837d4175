#include <axisgrad/autograd/functional.hpp>

#include "common.hpp"

using namespace axisgrad;
using namespace axisgrad::test;

namespace {

// f(x) = (x0 x1, sin x0, x1^2): J = ((x1, x0), (cos x0, 0), (0, 2 x1)).
Var<double> curve(const Var<double>& x) {
  const auto a = index(x, {0}), b = index(x, {1});
  return stack(std::vector{a * b, sin(a), square(b)}, 0);
}
const Tensor<double> point({2}, {.5, -2});
const std::vector<double> jacobian_there{-2, .5, std::cos(.5), 0, 0, -4};

}  // namespace

TEST_CASE("products with the Jacobian") {
  const auto left = vjp(curve, point, Tensor<double>({3}, {1, 2, 3}));
  CHECK(near(values_of(left.value), {-1, std::sin(.5), 4}));
  CHECK(near(values_of(left.product), {-2 + 2 * std::cos(.5), .5 - 12}));
  const auto right = jvp(curve, point, Tensor<double>({2}, {1, -1}));
  CHECK(near(values_of(right.value), values_of(left.value)));
  CHECK(near(values_of(right.product), {-2.5, std::cos(.5), 4}));
}

TEST_CASE("jvp of a fused op, whose gradient is recorded by its reference") {
  const auto norm_of = [](const Var<double>& x) {
    return layer_norm(x, row({1, 2, 3}), row({0, 0, 0}));
  };
  const Tensor<double> x({2, 3}, {1, -2, .5, 3, 0, -1}), v({2, 3}, {.1, .2, -.3, 1, 0, 2});
  const auto product = jvp(norm_of, x, v).product;
  const double h = 1e-6;
  const auto moved = [&](double s) { return norm_of(constant(x) + s * h * constant(v)); };
  CHECK(near(values_of(product), values_of((moved(1) - moved(-1)) / (2 * h)), 1e-7));
}

TEST_CASE("Jacobian and Hessian") {
  const auto j = jacobian(curve, point);
  CHECK(j.shape() == Shape{3, 2});
  CHECK(near(values_of(j), jacobian_there));
  // x^T A x / 2 has the Hessian (A + A^T) / 2.
  const auto a = constant(Tensor<double>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const auto h = hessian([&](const auto& x) { return sum(x * matmul(a, x)) / 2; },
                         Tensor<double>({3}, {.3, .1, -2}));
  CHECK(h.shape() == Shape{3, 3});
  CHECK(near(values_of(h), {1, 3, 5, 3, 5, 7, 5, 7, 9}));
  // Shapes: y's axes, then x's.
  const auto wide = jacobian([](const auto& x) { return sum(x, 0); }, Tensor<double>({2, 3}, 1.));
  CHECK(wide.shape() == Shape{3, 2, 3});
  CHECK(values_of(wide) ==
        std::vector<double>{1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1});
}

TEST_CASE("a linear function has the Hessian 0, and one that ignores x the Jacobian 0") {
  CHECK(values_of(hessian([](const auto& x) { return sum(x); }, point)) ==
        std::vector<double>(4, 0.));
  CHECK(values_of(jacobian(
            [](const auto&) {
              return row({1, 2});
            },
            point)) == std::vector<double>(4, 0.));
  CHECK(values_of(jvp(
                      [](const auto&) {
                        return row({1, 2});
                      },
                      point, point)
                      .product) == std::vector<double>(2, 0.));
}

TEST_CASE("functional: what is refused") {
  CHECK(refusal([] { (void)hessian(curve, point); }) ==
        "[hessian] needs a function of one element, got the shape (3)");
  CHECK(refusal([] { (void)jvp(curve, point, Tensor<double>({3}, 1.)); }) ==
        "[jvp] v must have the shape of x: got (3) and (2)");
  CHECK(refusal([] { (void)vjp(curve, point, Tensor<double>({2}, 1.)); }) ==
        "[vjp] v must have the shape of f(x): got (2) and (3)");
  Tape<double> tape;
  const auto x = tape.input(point, {.gradient = true});
  CHECK(refusal([&] {
          (void)hvp(sum(square(x)), {x}, {row({1, 2, 3})});
        }) == "[hvp] v number 0 must have the shape of its x: got (3) and (2)");
  CHECK(refusal([&] { (void)hvp(sum(square(x)), {x}, {}); }) ==
        "[hvp] needs one v for each x: got 0 for 1");
}
