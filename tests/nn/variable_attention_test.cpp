// Attention of single variables: each over its own history, one asking all, all in the shape of the
// input.
#include <axisgrad/nn/per_variable_attention.hpp>
#include <axisgrad/nn/same_shape_attention.hpp>
#include <axisgrad/nn/variable_query_attention.hpp>

#include "module_fixture.hpp"

using namespace axisgrad;
using namespace axisgrad::tests;

namespace {

using PerVariable = PerVariableAttention<double>;

Var<double> variable(const Var<double>& x, Size v) {
  return slice(x, {.axis = 2, .begin = v, .end = v + 1});
}

}  // namespace

TEST_CASE("PerVariableAttention: each variable sees its own steps only") {
  const Size B = 2, T = 4, V = 3, d = 5;
  const auto attention = filled(PerVariable({.num_heads = 2, .key_dim = 3, .embed_size = d}));
  const Var<double> x = values({B, T, V});
  const auto y = attention.with_weights(x);
  CHECK(y.out.shape() == Shape{B, T, V, d});
  CHECK(y.lifted.shape() == Shape{B, T, V, d});
  CHECK(y.weights.shape() == Shape{B, V, 2, T, T});
  CHECK(off_one(y.weights, -1) < 1e-14);
  CHECK(off(attention(x), y.out) < 1e-14);
  // By itself a variable gives what it gives among others.
  for (Size v = 0; v < V; ++v) CHECK(off(attention(variable(x, v)), variable(y.out, v)) < 1e-14);
  // And its output has no gradient by the others, but by all its steps.
  Tape<double> tape;
  const auto leaf = tape.input(x.value(), {.gradient = true});
  const auto g = grad(sum(square(variable(attention(leaf), 1))), leaf);
  CHECK(max(abs(variable(g, 0))).item() == 0);
  CHECK(max(abs(variable(g, 2))).item() == 0);
  CHECK(min(abs(variable(g, 1))).item() > 0);
  check_gradients([&](auto z) { return attention.with_weights(z); }, x);
}

TEST_CASE("PerVariableAttention: the lifts") {
  const Size V = 3, d = 2;
  auto shared = filled(PerVariable({.num_heads = 2, .key_dim = 2, .embed_size = d}));
  PerVariable separate(
      {.num_heads = 2, .key_dim = 2, .embed_size = d, .lift = Lift::separate, .variables = V});
  CHECK(listed(shared).starts_with("lift.kernel (1,2), lift.bias (2), query.kernel (2,2,2)"));
  CHECK(listed(separate).starts_with("lift.kernel (3,2), lift.bias (3,2), query.kernel (2,2,2)"));
  // A kernel for each variable begins as wide as the one for all: both are of a Dense(1, d).
  CHECK(separate.lift.kernel.fans().in == 1);
  CHECK(shared.lift.kernel.fans().out == d);

  separate = filled(separate);
  const Var<double> x = values({2, 4, V});
  const auto lifted = separate.with_weights(x).lifted;
  const auto &kernel = separate.lift.kernel.value(), &bias = separate.lift.bias.value();
  for (Size b = 0; b < 2; ++b)
    for (Size t = 0; t < 4; ++t)
      for (Size v = 0; v < V; ++v)
        for (Size e = 0; e < d; ++e)
          CHECK(lifted.value()(b, t, v, e) == x.value()(b, t, v) * kernel(v, e) + bias(v, e));
  check_gradients([&](auto z) { return separate.with_weights(z); }, x);

  // Rank 4 comes lifted: nothing but MultiHeadAttention along axis 1.
  auto none =
      filled(PerVariable({.num_heads = 2, .key_dim = 2, .embed_size = d, .lift = Lift::none}));
  CHECK(listed(none).starts_with("query.kernel (2,2,2)"));
  const Var<double> z = values({2, 4, V, d});
  CHECK(off(none(z), none.attention(z)) == 0);
  CHECK(none.with_weights(z).weights.shape() == Shape{2, V, 2, 4, 4});
}

TEST_CASE("PerVariableAttention: causal, masked, over variables") {
  const Var<double> x = values({2, 4, 3});
  const auto causal =
      filled(PerVariable({.num_heads = 1, .key_dim = 2, .embed_size = 2, .causal = true}));
  CHECK(causal.with_weights(x).weights.value()(1, 2, 0, 1, 2) == 0);
  const auto plain = filled(PerVariable({.num_heads = 1, .key_dim = 2, .embed_size = 2}));
  Tensor<double> mask({2, 3, 4}, 1.);  // (batch axes, steps)
  mask.set({1, 2, 3}, 0.);
  const auto w = plain.with_weights(x, {.mask = Var<double>(mask)}).weights.value();
  CHECK(w(1, 2, 0, 0, 3) == 0);
  CHECK(w(1, 1, 0, 0, 3) > 0);
  const auto across =
      filled(PerVariable({.num_heads = 1, .key_dim = 2, .embed_size = 2, .axis = Axis::feature}));
  CHECK(across.with_weights(x).weights.shape() == Shape{2, 4, 1, 3, 3});
}

TEST_CASE("PerVariableAttention: what does not fit is refused") {
  const auto refused = [](const PerVariableAttentionOptions& o, const Shape& x, const char* text) {
    CHECK_THROWS_WITH_AS((void)filled(PerVariable(o))(values(x)), text, Error);
  };
  refused({.key_dim = 2, .embed_size = 2}, {2, 4, 3, 2},
          "[PerVariableAttention] lifts each value of (batch, time, variable), got (2,4,3,2)");
  refused({.key_dim = 2, .embed_size = 2, .lift = Lift::none}, {2, 4, 3},
          "[PerVariableAttention] without a lift expects rank 4, (batch, time, variable, 2), got "
          "(2,4,3)");
  refused({.key_dim = 2, .embed_size = 2, .lift = Lift::separate}, {2, 4, 3},
          "[PerVariableAttention] with a lift for each variable needs .variables, got 0");
  refused({.key_dim = 2, .embed_size = 2, .lift = Lift::separate, .variables = 5}, {2, 4, 3},
          "[PerVariableAttention] has a lift for each of 5 variables, got (2,4,3)");
  refused({.key_dim = 2, .embed_size = 2, .axis = -1}, {2, 4, 3},
          "[PerVariableAttention] attends along axis 1 or 2 of (B,T,V,d), got -1");
}

TEST_CASE("VariableQueryAttention: one computation for what is a loop over variables") {
  const Size B = 2, T = 4, F = 3, E = 5;
  auto one_asks = filled(VariableQueryAttention<double>(
      {.features = F, .num_heads = 2, .key_dim = 3, .output_dim = E}));
  CHECK(listed(one_asks) ==
        "query.kernel (1,2,3), query.bias (2,3), key.kernel (3,2,3), key.bias (2,3), value.kernel "
        "(3,2,3), value.bias (2,3), attention_output.kernel (2,3,5), attention_output.bias (5)");
  const Var<double> x = values({B, T, F});
  const auto y = one_asks.with_weights(x);
  CHECK(y.out.shape() == Shape{B, T, E, F});
  CHECK(y.weights.shape() == Shape{B, F, 2, T, T});
  CHECK(off_one(y.weights, -1) < 1e-14);
  for (Size v = 0; v < F; ++v) {
    const auto alone = one_asks.attention.with_weights(variable(x, v), x, x);
    CHECK(off(index(y.out, {rest, v}), alone.out) < 1e-14);
    CHECK(off(index(y.weights, {every, v}), alone.weights) < 1e-14);
    CHECK(off(index(y.scores, {every, v}), alone.scores) < 1e-14);
  }
  CHECK(off(one_asks(x), y.out) < 1e-14);
  check_gradients([&](auto z) { return one_asks.with_weights(z); }, x);

  Tensor<double> mask({B, T}, 1.);
  mask.set({1, 2}, 0.);
  const auto w = one_asks.with_weights(x, Var<double>(mask)).weights;
  CHECK(max(abs(index(w, {1, every, every, every, 2}))).item() == 0);
  CHECK(min(index(w, {0, every, every, every, 2})).item() > 0);
}

TEST_CASE("VariableQueryAttention: what does not fit is refused") {
  CHECK_THROWS_WITH_AS(VariableQueryAttention<double>({.key_dim = 2, .output_dim = 3}),
                       "[VariableQueryAttention] needs .features, got 0", Error);
  CHECK_THROWS_WITH_AS(VariableQueryAttention<double>({.features = 2, .key_dim = 2}),
                       "[VariableQueryAttention] needs .output_dim, got 0", Error);
  const auto one_asks =
      filled(VariableQueryAttention<double>({.features = 3, .key_dim = 2, .output_dim = 3}));
  CHECK_THROWS_WITH_AS((void)one_asks(values({2, 4, 5})),
                       "[VariableQueryAttention] expects (batch, time, 3), got (2,4,5)", Error);
  CHECK_THROWS_WITH_AS(
      (void)one_asks(values({2, 4, 3}), values({2, 3})),
      "[VariableQueryAttention] the mask must be (batch, time) of x (2,4,3), got (2,3)", Error);
}

TEST_CASE("same_shape_attention: (100,4,12) stays, and every step has seen every variable") {
  const auto attention = filled(MultiHeadAttention<double>(
      same_shape_attention({.time_steps = 4, .num_heads = 3, .key_dim = 2})));
  const auto y = attention.with_weights(values({100, 4, 12}));
  CHECK(y.out.shape() == Shape{100, 4, 12});
  CHECK(y.weights.shape() == Shape{100, 3, 12, 12});
  CHECK(off_one(y.weights, -1) < 1e-14);
  const Var<double> x = values({2, 4, 5});
  Tape<double> tape;
  const auto leaf = tape.input(x.value(), {.gradient = true});
  const auto one = index(attention(leaf), {Size(1), Size(2), Size(3)});
  const auto g = abs(grad(one, leaf));
  CHECK(max(index(g, {Size(0)})).item() == 0);  // no sample sees another
  CHECK(min(index(g, {Size(1)})).item() > 0);
  check_gradients([&](auto v) { return attention.with_weights(v); }, x);
  CHECK_THROWS_WITH_AS((void)same_shape_attention({.key_dim = 2}),
                       "[same_shape_attention] needs .time_steps, got 0", Error);
}
