// The four forms against the blocks that they are made of.
#include <cmath>

#include <doctest/doctest.h>

#include <axisgrad/nn/attention_blocks.hpp>

namespace ag = axisgrad;
using ag::BothForm;
using V = ag::Var<double>;

namespace {

constexpr ag::Size steps = 4, features = 3;

ag::Tensor<double> waves(const ag::Shape& shape, double pace) {
  ag::Tensor<double> x(shape);
  for (ag::Size i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = std::sin(pace * static_cast<double>(i + 1));
  return x;
}

ag::BothAttentionBlocks<double> blocks(ag::BothOptions options) {
  ag::BothAttentionBlocks<double> both(steps, features, options);
  double pace = .7;
  for (auto* p : ag::parameters(both)) p->set_value(waves(p->shape(), pace += .3));
  return both;
}

const V x = ag::constant(waves({2, steps, features}, 1.3));

double off(const V& a, const V& b) { return ag::max(ag::abs(a - b)).item(); }

}  // namespace

TEST_CASE("BothAttentionBlocks: the serial forms are one block after the other") {
  for (bool single : {false, true}) {
    const auto time_first =
        blocks({.form = BothForm::time_then_feature, .single_attention_vector = single});
    CHECK(off(time_first(x), time_first.feature(time_first.time(x))) < 1e-15);
    const auto feature_first =
        blocks({.form = BothForm::feature_then_time, .single_attention_vector = single});
    CHECK(off(feature_first(x), feature_first.time(feature_first.feature(x))) < 1e-15);
    CHECK(off(time_first(x), feature_first(x)) > 1e-3);

    const auto y = feature_first.with_weights(x);
    CHECK(off(y.feature_weights, feature_first.feature.with_weights(x).weights) == 0);
    CHECK(off(ag::sum(y.time_weights, 1), V(1.)) < 1e-12);
    CHECK(off(y.weights, y.time_weights * y.feature_weights) < 1e-15);
  }
}

TEST_CASE("BothAttentionBlocks: in the product both see the input") {
  const auto both = blocks({});
  const V time = both.time.with_weights(x).weights, feature = both.feature.with_weights(x).weights;
  CHECK(off(both(x), x * time * feature) < 1e-15);
}

TEST_CASE("BothAttentionBlocks: the joint weights sum to 1 over time and features together") {
  auto both = blocks({.form = BothForm::joint});
  const auto y = both.with_weights(x);
  CHECK(off(ag::sum(y.weights, {1, 2}), V(1.)) < 1e-12);
  CHECK(off(y.out, x * y.weights) == 0);
  const auto parameters = ag::parameters(both);
  REQUIRE(parameters.size() == 2);
  CHECK(parameters[0]->name() == "kernel");
  CHECK(parameters[0]->shape() == ag::Shape{steps * features, steps * features});
}

TEST_CASE("BothAttentionBlocks: what does not fit is refused") {
  CHECK_THROWS_WITH((void)blocks({})(ag::constant(waves({2, features, steps}, 1))),
                    "[BothAttentionBlocks] expects (batch,4,3), got (2,3,4)");
  CHECK_THROWS_WITH(
      ag::BothAttentionBlocks<double>(2, 3, {BothForm::joint, true}),
      "[BothAttentionBlocks] single_attention_vector has no meaning in the joint form");
  CHECK_THROWS_WITH(ag::BothAttentionBlocks<double>(0, 3),
                    "[TimeAttentionBlock] needs at least one time step, got 0");
}
