// Attention where masks, scales and shapes are at their limits: the public bug reports, rows with
// nothing to attend to, and what is refused.
#include <limits>

#include "differences.hpp"

namespace ag = axisgrad;
using ag::Shape;
using ag::Size;
using ag::Tensor;
using ag::Var;
using ag::tests::distance;
using ag::tests::noise;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Sum of the outputs times fixed numbers: a loss whose gradient reaches everything.
Var<double> weighed(const Var<double>& y, std::uint64_t seed) {
  return ag::sum(y * Var<double>(noise<double>(y.shape(), seed)));
}

// q = 1, k = the scores, v = 0, 1, 2, ...: the scores are what the test says.
template <class T>
ag::Attended<T> of_scores(const Tensor<T>& scores, const ag::AttentionOptions<T>& options) {
  const Size n = scores.size();
  Tensor<T> v(Shape{n, 1});
  for (Size i = 0; i < n; ++i) v.mutable_data()[i] = static_cast<T>(i);
  return ag::scaled_dot_product_attention_with_weights(
      Var<T>(Tensor<T>({1, 1}, T(1))), Var<T>(scores.reshaped({n, 1})), Var<T>(v), options);
}

}  // namespace

TEST_CASE_TEMPLATE("C02: a row that is all masked gives zeros; -1e10 is ordinary arithmetic", T,
                   float, double) {
  const Tensor<T> scores({3}, {1, 2, 3}), zeros({1, 3}, T(0));
  const T minus = -std::numeric_limits<T>::infinity();
  for (const auto& o : {ag::AttentionOptions<T>{.mask = Var<T>(Tensor<T>({1, 3}, T(0)))},
                        ag::AttentionOptions<T>{.additive_mask = Var<T>(Tensor<T>({3}, minus))}}) {
    CHECK(same_bits(of_scores(scores, o).weights.value(), zeros));
    CHECK(of_scores(scores, o).out.item() == 0);
  }
  const auto finite =
      of_scores(scores, {.additive_mask = Var<T>(Tensor<T>({3}, T(-1e10)))}).weights.value();
  const Tensor<double> right =
      std::is_same_v<T, float> ? Tensor<double>({1, 3}, 1. / 3)
                               : Tensor<double>({1, 3}, {0.0900305732, 0.244728471, 0.665240956});
  // In double 1 - 1e10 still tells 1 from 2, to about 2e-6.
  CHECK(distance(finite, right) < (std::is_same_v<T, float> ? 1e-7 : 1e-6));
}

TEST_CASE_TEMPLATE("C03: a boolean mask hides, bit for bit as -infinity added does", T, float,
                   double) {
  const Tensor<T> scores({3}, {2, 1, 0});
  const auto hidden =
      of_scores(scores, {.mask = Var<T>(Tensor<T>({3}, {1, 1, 0}))}).weights.value();
  const T minus = -std::numeric_limits<T>::infinity();
  const auto added =
      of_scores(scores, {.additive_mask = Var<T>(Tensor<T>({3}, {0, 0, minus}))}).weights.value();
  CHECK(same_bits(hidden, added));
  CHECK(distance(hidden, Tensor<double>({1, 3}, {0.731058579, 0.268941421, 0})) < 1e-7);
  CHECK(hidden(0, 2) == 0);
}

TEST_CASE("C06: causal with fewer queries than keys, both alignments, all paths") {
  const Tensor<double> q({2, 1}, 0.), k({5, 1}, 0.), v({5, 1}, {1, 2, 3, 4, 5});
  for (const auto& [alignment, right] :
       {std::pair{ag::CausalAlignment::first, Tensor<double>({2, 1}, {1, 1.5})},
        {ag::CausalAlignment::last, Tensor<double>({2, 1}, {2.5, 3})}}) {
    const ag::AttentionOptions<double> o{.causal = true, .causal_alignment = alignment};
    const Var<double> a(q), b(k), c(v);
    CHECK(distance(ag::scaled_dot_product_attention(a, b, c, o).value(), right) == 0);
    CHECK(distance(ag::scaled_dot_product_attention_with_weights(a, b, c, o).out.value(), right) ==
          0);
  }
}

TEST_CASE("C10: the scale is that of one head") {
  const Var<double> q(Tensor<double>({1, 2}, {1, 1})), k(Tensor<double>({2, 2}, {1, 1, 0, 0}));
  const auto y = ag::scaled_dot_product_attention_with_weights(q, k, k);
  CHECK(distance(y.weights.value(), Tensor<double>({1, 2}, {0.804429683, 0.195570317})) < 1e-9);
  const auto twice = ag::scaled_dot_product_attention_with_weights(q, k, k, {.scale = 2.});
  CHECK(distance(twice.scores.value(), Tensor<double>({1, 2}, {4, 0})) == 0);
}

TEST_CASE("C21: factors on the weights, the same in backward; the weights shown are those before") {
  // Scores log w give the weights w.
  const Tensor<double> w({4}, {0.1, 0.2, 0.3, 0.4});
  const Var<double> factors(Tensor<double>({1, 4}, {4. / 3, 0, 4. / 3, 4. / 3}));
  ag::Tape<double> tape;
  const Var<double> q(Tensor<double>({1, 1}, 1.)), k = ag::log(Var<double>(w.reshaped({4, 1})));
  const auto v = tape.input(Tensor<double>({4, 1}, 1.), {.gradient = true});
  const auto y = ag::scaled_dot_product_attention_with_weights(
      q, k, v, {.scale = 1., .weight_factors = factors});
  CHECK(y.out.item() == doctest::Approx(1.06666667).epsilon(1e-8));
  CHECK(distance(y.weights.value(), w.reshaped({1, 4})) < 1e-15);
  const Tensor<double> after({4, 1}, {0.133333333, 0, 0.4, 0.533333333});
  for (bool recorded : {false, true})
    CHECK(distance(ag::grad(y.out, v,
                            {.create_graph = recorded,
                             .cotangents = {Var<double>(Tensor<double>({1, 1}, 1.))}})
                       .value(),
                   after) < 1e-9);
  ag::tests::check_derivatives(
      [&](const std::vector<Var<double>>& x) {
        return weighed(
            ag::scaled_dot_product_attention(x[0], x[1], x[2], {.weight_factors = factors}), 7);
      },
      {noise<double>({3, 2}, 1), noise<double>({4, 2}, 2), noise<double>({4, 2}, 3)});
}

TEST_CASE("attention: scores of -infinity and hidden rows pass zeros, never NaN") {
  const auto q = noise<double>({3, 2}, 1), k = noise<double>({4, 2}, 2),
             v = noise<double>({4, 2}, 3);
  Tensor<double> additive({3, 4}, 0.);
  for (Size j = 0; j < 4; ++j) additive.set({1, j}, -infinity);
  for (bool recorded : {false, true}) {
    CAPTURE(recorded);
    const auto g = ag::tests::gradient(
        [&](const std::vector<Var<double>>& x) {
          const auto y = ag::scaled_dot_product_attention_with_weights(x[0], x[1], x[2],
                                                                       {.additive_mask = x[3]});
          return weighed(y.out, 7) + weighed(y.weights, 8);
        },
        {q, k, v, additive}, recorded);
    for (const auto& t : g)
      for (double x : t) REQUIRE(std::isfinite(x));
    for (Size j = 0; j < 4; ++j) CHECK(g[3](1, j) == 0);
    CHECK(g[0](1, 0) == 0);
    CHECK(g[0](0, 0) != 0);
  }
}

TEST_CASE("attention: no keys give zeros, no queries nothing") {
  const auto y = ag::scaled_dot_product_attention(Var<double>(noise<double>({2, 3, 4}, 1)),
                                                  Var<double>(Tensor<double>(Shape{2, 0, 4})),
                                                  Var<double>(Tensor<double>(Shape{2, 0, 5})));
  CHECK(distance(y.value(), Tensor<double>({2, 3, 5}, 0.)) == 0);
}

TEST_CASE("attention: what does not fit is said") {
  const auto x = [](const Shape& s) { return Var<double>(Tensor<double>(s, 0.)); };
  const auto run = [&](const Shape& q, const Shape& k, const Shape& v,
                       const ag::AttentionOptions<double>& o = {}) {
    return ag::scaled_dot_product_attention(x(q), x(k), x(v), o);
  };
#define SAYS(call, text) CHECK_THROWS_WITH_AS((void)(call), text, ag::Error)
  SAYS(run({4}, {5, 4}, {5, 4}),
       "[scaled_dot_product_attention] needs (..., tokens, size): got q (4), k (5,4) and v (5,4)");
  SAYS(run({3, 4}, {5, 6}, {5, 4}),
       "[scaled_dot_product_attention] q and k differ in their last axis: got q (3,4), k (5,6) and "
       "v (5,4)");
  SAYS(run({3, 4}, {5, 4}, {6, 4}),
       "[scaled_dot_product_attention] k and v differ in the number of tokens: got q (3,4), k "
       "(5,4) and v (6,4)");
  SAYS(run({3, 0}, {5, 0}, {5, 4}),
       "[scaled_dot_product_attention] the last axis of q and k is empty: got q (3,0), k (5,0) and "
       "v (5,4)");
  SAYS(run({2, 3, 4}, {3, 5, 4}, {3, 5, 4}), doctest::Contains("[scaled_dot_product_attention]"));
  SAYS(run({3, 4}, {5, 4}, {5, 4}, {.mask = x({3, 4})}),
       "[scaled_dot_product_attention] the mask of shape (3,4) cannot broadcast to the scores "
       "(3,5)");
  SAYS(run({3, 4}, {5, 4}, {5, 4}, {.additive_mask = x({2, 3, 5})}),
       "[scaled_dot_product_attention] the additive mask of shape (2,3,5) cannot broadcast to "
       "the scores (3,5)");
  SAYS(run({3, 4}, {5, 4}, {5, 4}, {.weight_factors = x({4})}),
       "[scaled_dot_product_attention] the factors of shape (4) cannot broadcast to the scores "
       "(3,5)");
  SAYS(run({3, 4}, {5, 4}, {5, 4}, {.mask = Var<double>(Tensor<double>({5}, -infinity))}),
       "[scaled_dot_product_attention] a mask holds 1 (attend) and 0 only, got -inf: what is to be "
       "added to the scores is .additive_mask");
  SAYS(ag::attention_by_head(x({3, 2, 4}), x({5, 3, 4}), x({5, 3, 4})),
       "[scaled_dot_product_attention] the number of heads differs: got q (3,2,4), k (5,3,4) and v "
       "(5,3,4)");
  SAYS(ag::attention_by_head(x({2, 4}), x({3, 4}), x({3, 4})),
       "[scaled_dot_product_attention] needs (..., tokens, heads, size): got q (2,4), k (3,4) and "
       "v (3,4)");
#undef SAYS
}
