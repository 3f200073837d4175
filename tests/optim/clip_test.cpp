#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <axisgrad/optim/clip.hpp>

#include "../error_of.hpp"

namespace ag = axisgrad;
using ag::Convention, ag::Parameter, ag::Shape, ag::Tensor;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// A parameter with a gradient.
template <class T = double>
Parameter<T> with_gradient(std::vector<T> g) {
  const Shape shape{static_cast<ag::Size>(g.size())};
  Parameter<T> p(shape);
  p.set_value(Tensor<T>(shape, T(0)));
  p.mutable_grad() = Tensor<T>(shape, g);
  return p;
}

}  // namespace

TEST_CASE("global norm: one factor for all, Keras by norm, torch by norm + 1e-6 (C77)") {
  for (auto c : {Convention::keras, Convention::torch}) {
    auto a = with_gradient({3}), b = with_gradient({4}), none = with_gradient({7});
    none.mutable_grad() = Tensor<double>();
    auto frozen = with_gradient({100});
    frozen.set_trainable(false);
    const double norm = ag::clip_by_global_norm(ag::Parameters<double>{&a, &none, &b, &frozen}, 1,
                                                {.convention = c});
    CHECK(norm == 5);
    const double divisor = c == Convention::torch ? 5 + 1e-6 : 5;
    CHECK(a.grad()(0) == doctest::Approx(3 / divisor).epsilon(1e-12));
    CHECK(b.grad()(0) == doctest::Approx(4 / divisor).epsilon(1e-12));
    CHECK(none.grad().empty());
    CHECK(frozen.grad()(0) == 100);
  }
}

TEST_CASE("global norm: what is short enough keeps its bits (C77)") {
  for (auto c : {Convention::keras, Convention::torch}) {
    auto p = with_gradient({.1, .3}), zero = with_gradient({0, 0, 0});
    const auto before = p.grad();
    CHECK(ag::clip_by_global_norm(ag::Parameters<double>{&p}, 5, {.convention = c}) ==
          doctest::Approx(std::sqrt(.1)));
    CHECK(ag::same_bits(p.grad(), before));
    CHECK(ag::clip_by_global_norm(ag::Parameters<double>{&p}, infinity, {.convention = c}) > 0);
    CHECK(ag::same_bits(p.grad(), before));
    CHECK(ag::clip_by_global_norm(ag::Parameters<double>{&zero}, 1, {.convention = c}) == 0);
    CHECK(ag::same_bits(zero.grad(), Tensor<double>({3}, 0.0)));
  }
}

TEST_CASE("global norm: an infinite or NaN norm is returned, the gradients stay untouched (C77)") {
  for (double bad : {infinity, not_a_number}) {
    auto p = with_gradient({bad, 1});
    const double norm = ag::clip_by_global_norm(ag::Parameters<double>{&p}, 1);
    CHECK(std::isnan(norm) == std::isnan(bad));
    CHECK(!std::isfinite(norm));
    CHECK(p.grad()(1) == 1);
    CHECK(std::isnan(p.grad()(0)) == std::isnan(bad));
    CHECK(error_of([&] {
            (void)ag::clip_by_global_norm(ag::Parameters<double>{&p}, 1,
                                          {.non_finite = ag::NonFinite::error});
          }) == std::string("[clip_by_global_norm] the norm of the gradients is ") +
                    (std::isnan(bad) ? "nan" : "inf"));
    CHECK(p.grad()(1) == 1);
  }
}

TEST_CASE("global norm: no overflow or underflow of the squares") {
  auto large = with_gradient({3e200, 4e200});
  CHECK(ag::clip_by_global_norm(ag::Parameters<double>{&large}, 1) == doctest::Approx(5e200));
  CHECK(large.grad()(0) == doctest::Approx(.6));
  auto small = with_gradient({3e-200, 4e-200});
  CHECK(ag::global_norm(ag::Parameters<double>{&small}) == doctest::Approx(5e-200));
  auto least = with_gradient({3e-320, 4e-320});
  CHECK(ag::global_norm(ag::Parameters<double>{&least}) == doctest::Approx(5e-320).epsilon(1e-3));
  auto single = with_gradient<float>({3e30f, 4e30f});
  CHECK(ag::clip_by_global_norm(ag::Parameters<float>{&single}, 1) == doctest::Approx(5e30));
  CHECK(single.grad()(1) == doctest::Approx(.8));
}

TEST_CASE("clip by value") {
  auto p = with_gradient({-3, -.5, 0, 2, infinity, not_a_number});
  ag::clip_by_value(ag::Parameters<double>{&p}, 1);
  CHECK(ag::same_bits(p.grad(), Tensor<double>({6}, {-1, -.5, 0, 1, 1, p.grad()(5)})));
  CHECK(std::isnan(p.grad()(5)));
}

TEST_CASE("a gradient shared with another tensor is not written through") {
  auto p = with_gradient({3, 4});
  const Tensor<double> kept = p.grad();
  (void)ag::clip_by_global_norm(ag::Parameters<double>{&p}, 1);
  CHECK(kept(0) == 3);
}

TEST_CASE("clipping: errors") {
  auto p = with_gradient({1});
  CHECK(error_of([&] { (void)ag::clip_by_global_norm(ag::Parameters<double>{&p}, 0); }) ==
        "[clip_by_global_norm] max_norm must be greater than 0, got 0");
  CHECK(error_of([&] {
          (void)ag::clip_by_global_norm(ag::Parameters<double>{&p}, not_a_number);
        }) == "[clip_by_global_norm] max_norm must be greater than 0, got nan");
  CHECK(error_of([&] { ag::clip_by_value(ag::Parameters<double>{&p}, -1); }) ==
        "[clip_by_value] the limit must be greater than 0, got -1");
}
