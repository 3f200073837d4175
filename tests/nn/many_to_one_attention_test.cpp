// Attention over the states of an LSTM, and the dual-stage network in its simple form.
#include <axisgrad/nn/dual_stage.hpp>

#include "module_fixture.hpp"

using namespace axisgrad;
using namespace axisgrad::tests;

namespace {

// x . identity, so that the score is that of the states themselves.
Attention<double> of_identity(Size units) {
  Attention<double> attention = filled(Attention<double>(units, 3));
  Tensor<double> identity(Shape{units, units}, 0.);
  for (Size i = 0; i < units; ++i) identity.set({i, i}, 1.);
  attention.luong_w.set_value(identity);
  return attention;
}

}  // namespace

TEST_CASE("Attention: the softmax runs over time (public case C12)") {
  const auto attention = of_identity(2);
  const Var<double> h(Tensor<double>({1, 3, 2}, {1, 0, 0, 1, 1, 1}));
  const auto y = attention.with_weights(h);
  CHECK(y.weights.shape() == Shape{1, 3});
  CHECK(distance(y.weights.value(), Tensor<double>({1, 3}, {.211941558, .211941558, .576116885})) <
        1e-9);
  // The context is not returned; the output shows it.
  const Var<double> both(Tensor<double>({1, 4}, {.788058442, .788058442, 1, 1}));
  CHECK(off(y.out, tanh(matmul(both, Var<double>(attention.attention_vector.value())))) < 1e-9);
  CHECK_THROWS_WITH_AS((void)attention(values({5, 2})),
                       "[Attention] expects rank 3, (batch, time, 2), got (5,2): give the whole "
                       "sequence, not its last step",
                       Error);
}

TEST_CASE("Attention: parameters are those of the package, in its order") {
  Attention<double> luong(4, 6), bahdanau(4, 6, {.score = AttentionScore::bahdanau});
  CHECK(listed(luong) == "luong_w (4,4), attention_vector (8,6)");
  CHECK(listed(bahdanau) ==
        "bahdanau_v (4,1), bahdanau_w1 (4,4), bahdanau_w2 (4,4), attention_vector (8,6)");
  CHECK(count(parameters(luong)) == 4 * 4 + 2 * 4 * 6);
  CHECK(count(parameters(bahdanau)) == 2 * 4 * 4 + 4 + 2 * 4 * 6);
}

TEST_CASE("Attention: scores by the letter, and gradients") {
  for (auto score : {AttentionScore::luong, AttentionScore::bahdanau}) {
    const auto attention = filled(Attention<double>(3, 2, {.score = score}));
    const Var<double> x = values({2, 4, 3});
    const auto y = attention.with_weights(x);
    CHECK(y.out.shape() == Shape{2, 2});
    CHECK(off_one(y.weights, 1) < 1e-14);
    const Var<double> last = index(x, {every, -1});
    for (Size t = 0; t < 4; ++t) {
      const Var<double> step = index(x, {every, t});
      const auto times = [](const Var<double>& a, const Parameter<double>& p) {
        return matmul(a, Var<double>(p.value()));
      };
      const Var<double> s = score == AttentionScore::luong
                                ? sum(times(step, attention.luong_w) * last, 1)
                                : squeeze(times(tanh(times(last, attention.bahdanau_w1) +
                                                     times(step, attention.bahdanau_w2)),
                                                attention.bahdanau_v),
                                          1);
      CHECK(off(index(y.scores, {every, t}), s) < 1e-14);
    }
    // The steps before the last are a set: in another order they give the same.
    CHECK(off(attention(take(x, {2, 0, 1, 3}, 1)), y.out) < 1e-14);
    CHECK(off(attention(take(x, {3, 0, 1, 2}, 1)), y.out) > 1e-3);
    check_gradients([&](auto v) { return attention.with_weights(v); }, x);
  }
}

TEST_CASE("Attention: what does not fit is refused") {
  CHECK_THROWS_WITH_AS(Attention<double>(0, 2),
                       "[Attention] needs at least one input and one unit, got 0 and 2", Error);
  const auto attention = of_identity(3);
  CHECK_THROWS_WITH_AS((void)attention(values({2, 3, 4})),
                       "[Attention] expects rank 3, (batch, time, 3), got (2,3,4)", Error);
  CHECK_THROWS_WITH_AS((void)attention(Var<double>(Tensor<double>(Shape{2, 0, 3}))),
                       "[Attention] needs at least one time step, got (2,0,3)", Error);
  CHECK(attention.with_weights(values({2, 1, 3})).weights.value()(0, 0) == 1);
}

TEST_CASE("DualStage: feature block, LSTM, attention over time, Dense") {
  const Var<double> x = values({2, 4, 3});
  SUBCASE("attention") {
    auto model = filled(DualStage<double>({.features = 3, .lstm_units = 2, .attention_units = 5}));
    CHECK(listed(model) ==
          "feature.kernel (3,3), feature.bias (3), lstm.kernel (3,8), lstm.recurrent_kernel (2,8), "
          "lstm.bias (8), attention.luong_w (2,2), attention.attention_vector (4,5), dense.kernel "
          "(5,1), dense.bias (1)");
    const auto y = model.with_weights(x);
    CHECK(off(y.out, model.dense((*model.attention)(model.lstm(model.feature(x)).sequence()))) ==
          0);
    CHECK(y.out.shape() == Shape{2, 1});
    CHECK(y.time_weights.shape() == Shape{2, 4});
    CHECK(off_one(y.feature_weights, 2) < 1e-14);
    CHECK(off_one(y.time_weights, 1) < 1e-14);
    check_gradients([&](auto v) { return model.with_weights(v); }, x);
  }
  SUBCASE("time block") {
    auto model = filled(DualStage<double>(
        {.features = 3, .lstm_units = 2, .second = SecondStage::time_block, .time_steps = 4}));
    CHECK(listed(model) ==
          "feature.kernel (3,3), feature.bias (3), lstm.kernel (3,8), lstm.recurrent_kernel (2,8), "
          "lstm.bias (8), time.kernel (4,4), time.bias (4), dense.kernel (8,1), dense.bias (1)");
    const auto y = model.with_weights(x);
    CHECK(y.time_weights.shape() == Shape{2, 4, 2});
    CHECK(off_one(y.time_weights, 1) < 1e-14);
    check_gradients([&](auto v) { return model.with_weights(v); }, x);
  }
  CHECK_THROWS_WITH_AS(DualStage<double>({.features = 3, .lstm_units = 2}),
                       "[DualStage] needs .attention_units, got 0", Error);
  CHECK_THROWS_WITH_AS(
      DualStage<double>({.features = 3, .lstm_units = 2, .second = SecondStage::time_block}),
      "[DualStage] with a time block needs .time_steps, got 0", Error);
  const auto refused = [](const DualStageOptions& o, const char* text) {
    CHECK_THROWS_WITH_AS(DualStage<double>{o}, text, Error);
  };
  const DualStageOptions gated{
      .features = 3, .lstm_units = 2, .second = SecondStage::time_block, .time_steps = 4};
  auto o = gated;
  o.attention_units = 5;
  refused(o, "[DualStage] with a time block has no attention: leave out .attention_units");
  o = gated, o.score = AttentionScore::luong;
  refused(o, "[DualStage] with a time block has no attention: leave out .score");
  refused({.features = 3, .lstm_units = 2, .attention_units = 5, .time_steps = 4},
          "[DualStage] with an attention takes any number of steps: leave out .time_steps, got 4");
}
