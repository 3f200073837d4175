// which_axis() asked the questions of the twelve systems, and of the code with mistakes that goes
// round for them. T = 5 steps and F = 4 features, so that no axis passes for another.
#include <doctest/doctest.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/bidirectional.hpp>
#include <axisgrad/nn/dual_stage.hpp>
#include <axisgrad/nn/dual_stage_rnn.hpp>
#include <axisgrad/nn/explain/which_axis.hpp>
#include <axisgrad/nn/itransformer.hpp>
#include <axisgrad/nn/pearson_correlation.hpp>
#include <axisgrad/nn/per_variable_attention.hpp>
#include <axisgrad/nn/sequential.hpp>
#include <axisgrad/nn/variable_query_attention.hpp>

#include "../../examples/common/documents_code.hpp"
#include "explained.hpp"

namespace ag = axisgrad;
using ag::Pattern;
using ag::Shape;
using ag::Var;

namespace {

Var<double> correlation(const Var<double>& x) {
  return ag::pearson_correlation(x, ag::Axis::feature);
}

template <class Layer>
ag::WhichAxis asked(Layer& layer, const Shape& shape = {3, 5, 4},
                    const ag::WhichAxisOptions& options = {}) {
  ag::initialise(ag::parameters(layer), 3);
  return ag::which_axis(layer, explained::input(shape), options);
}
bool says(const ag::WhichAxis& which, const std::string& words) {
  INFO(which.sentence());
  const bool found = which.sentence().find(words) != std::string::npos;
  CHECK_MESSAGE(found, which.sentence());
  return found;
}

}  // namespace

TEST_CASE("seeds 1, 4, 6: attention over time") {
  ag::MultiHeadAttention<float> over_time({.num_heads = 2, .key_dim = 3, .embed_size = 4});
  const auto which = asked(over_time);
  CHECK(which.time.pattern == Pattern::mixed);
  CHECK(which.feature.pattern == Pattern::mixed);  // by the projections
  CHECK(which.sees_later == true);
  CHECK(which.mixes_samples == false);
  CHECK(
      says(which, "Its weights (3,2,5,5) sum to 1 along axis 3, of 5 positions: the time steps."));

  ag::MultiHeadAttention<float> causal(
      {.num_heads = 2, .key_dim = 3, .embed_size = 4, .output_dim = 7, .causal = true});
  const auto past = asked(causal);
  CHECK(past.sees_later == false);
  CHECK(past.feature.outputs == 7);
  CHECK(says(past,
             "(3,5,4) -> (3,5,7): it mixes both time steps and features; no step sees a "
             "later one; samples stay apart."));

  // Seed 4: a padding mask; nobody sees the last two steps but they themselves, as queries.
  const ag::Tensor<double> mask({3, 5},
                                std::vector<double>{1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0});
  const auto masked = ag::which_axis(
      [&](const Var<double>& x) { return over_time.with_weights(x, {.mask = ag::constant(mask)}); },
      explained::input({3, 5, 4}));
  for (ag::Size t = 0; t < 5; ++t) {
    CHECK(masked.time.depends(t, 2));
    CHECK(masked.time.depends(t, 3) == (t == 3));
    CHECK(masked.time.depends(t, 4) == (t == 4));
  }
}

TEST_CASE("seeds 2, 8: attention between variables, in the shape of the input") {
  ag::MultiHeadAttention<float> between(
      {.num_heads = 2, .key_dim = 3, .axis = ag::Axis::feature, .embed_size = 5, .output_dim = 5});
  const auto which = asked(between);
  CHECK(which.output == Shape{3, 5, 4});
  CHECK(which.feature.pattern == Pattern::mixed);
  CHECK(which.time.pattern == Pattern::mixed);  // a variable is embedded from all its steps
  CHECK(which.sees_later == true);              // so this is no layer for an autoregressive model
  CHECK(says(which, "Its weights (3,2,4,4) sum to 1 along axis 3, of 4 positions: the features."));
}

TEST_CASE("seed 3: the correlation of variables") {
  const auto which =
      ag::which_axis(correlation, explained::input({3, 5, 4}), {.output_feature = 1});
  CHECK(which.output == Shape{3, 4, 4});
  CHECK(which.feature.pattern == Pattern::mixed);
  CHECK(which.mixes_samples == false);
  // With the extra transposition that goes round, it is of the steps.
  const auto wrong =
      ag::which_axis([](const Var<double>& x) { return correlation(ag::swap_axes(x, 1, 2)); },
                     explained::input({3, 5, 4}), {.output_feature = 1});
  CHECK(wrong.output == Shape{3, 5, 5});
  CHECK(!wrong.feature.paired);
}

TEST_CASE("seed 5: each variable over its own time steps; a reshape is no transposition") {
  using Form = lesson::PerVariable<double>;
  Form right(Form::Reorder::by_transpose, 3), wrong(Form::Reorder::by_reshape, 3);
  const auto good = asked(right), bad = asked(wrong);
  CHECK(good.output == Shape{3, 5, 4, 3});
  CHECK(good.time.pattern == Pattern::mixed);
  CHECK(good.feature.pattern == Pattern::own);
  CHECK(says(good, "mixes time steps and keeps each feature apart"));
  CHECK(says(good, "Its weights (3,4,5,5) sum to 1 along axis 3, of 5 positions: the time steps."));
  CHECK(bad.output == good.output);  // no shape gives it away
  CHECK(bad.weights.at(0).shape == good.weights.at(0).shape);
  CHECK(bad.feature.pattern == Pattern::mixed);
  // "Variable 0" is memory 0 to 4 of (T,V): step 0 of all four variables and step 1 of the first.
  CHECK(bad.time.depends(0, 1));
  CHECK(!bad.time.depends(0, 2));

  // The module, with a lift of each value and with tokens on axis 1 of rank 4.
  for (const auto lift : {ag::Lift::shared, ag::Lift::none}) {
    ag::PerVariableAttention<float> module(
        {.num_heads = 2, .key_dim = 3, .embed_size = 3, .lift = lift});
    const auto which = asked(module, lift == ag::Lift::none ? Shape{2, 5, 4, 3} : Shape{3, 5, 4});
    CHECK(which.time.pattern == Pattern::mixed);
    CHECK(which.feature.pattern == Pattern::own);
  }
}

TEST_CASE("seed 7: one variable asks, all answer") {
  ag::VariableQueryAttention<float> layer(
      {.features = 4, .num_heads = 2, .key_dim = 3, .output_dim = 6});
  const auto which = asked(layer, {3, 5, 4}, {.output_time = 1, .output_feature = 3});
  CHECK(which.output == Shape{3, 5, 6, 4});
  CHECK(which.time.pattern == Pattern::mixed);
  CHECK(which.feature.pattern == Pattern::mixed);
  CHECK(which.feature.paired);
  CHECK(says(which,
             "Its weights (3,4,2,5,5) sum to 1 along axis 4, of 5 positions: the time steps."));
}

TEST_CASE("seed 9: is the time block right? Yes, as a gate along time") {
  ag::TimeAttentionBlock<float> block(5), single(5, {.single_attention_vector = true});
  const auto which = asked(block);
  CHECK(which.time.pattern == Pattern::mixed);
  CHECK(which.feature.pattern == Pattern::own);
  CHECK(says(which, "Its weights (3,5,4) sum to 1 along axis 1, of 5 positions: the time steps."));
  CHECK(asked(single).feature.pattern == Pattern::mixed);  // by the mean over features

  lesson::TimeBlockWithoutPermute<double> wrong(4);
  const auto bad = asked(wrong);
  CHECK(bad.time.pattern == Pattern::own);
  CHECK(bad.feature.pattern == Pattern::mixed);
  CHECK(says(bad, "Its weights (3,5,4) sum to 1 along axis 2, of 4 positions: the features."));
}

TEST_CASE(
    "seed 10: does it attend over time or features? A softmax over one position over neither") {
  ag::Attention<float> many_to_one(4, 6);
  const auto attention = asked(many_to_one);
  CHECK(attention.output == Shape{3, 6});
  CHECK(says(attention,
             "it mixes both time steps and features; samples stay apart. Its weights "
             "(3,5) sum to 1 along axis 1, of 5 positions: the time steps."));
  lesson::PooledOverTime<double> right(4, ag::Axis::time), wrong(4, -1);
  const auto good = asked(right), bad = asked(wrong);
  CHECK(good.output == Shape{3, 4});
  CHECK(good.feature.pattern == Pattern::mixed);
  CHECK(says(good, "Its weights (3,5,1) sum to 1 along axis 1, of 5 positions: the time steps."));
  CHECK(bad.feature.pattern == Pattern::own);  // nothing was weighted
  CHECK(says(bad, "of 1 position: every weight is 1, and nothing is attended to"));
}

TEST_CASE("seed 11: the feature block, and RepeatVector(input_dim) in it") {
  ag::FeatureAttentionBlock<float> block(4), single(4, {.single_attention_vector = true});
  const auto which = asked(block);
  CHECK(which.time.pattern == Pattern::own);
  CHECK(which.feature.pattern == Pattern::mixed);
  CHECK(says(which, "Its weights (3,5,4) sum to 1 along axis 2, of 4 positions: the features."));
  CHECK(asked(single).time.pattern == Pattern::mixed);  // by the mean over time
  CHECK(asked(single).sees_later == true);

  lesson::RepeatedFeatureBlock<double> right(4, 5), wrong(4, 4);
  CHECK(asked(right).sentence() == asked(single).sentence());
  CHECK_THROWS_WITH((void)asked(wrong),
                    "[multiply] shapes do not broadcast: got (3,5,4) and (3,4,4)");
  CHECK(says(asked(wrong, {3, 4, 4}), "a mix-up of the two axes fits without an error"));
}

TEST_CASE("seeds 9 and 11 at once: product, one after the other, joint") {
  for (const auto form : {ag::BothForm::product, ag::BothForm::time_then_feature,
                          ag::BothForm::feature_then_time, ag::BothForm::joint}) {
    ag::BothAttentionBlocks<float> both(5, 4, {.form = form});
    const auto which = asked(both);
    CHECK(which.time.pattern == Pattern::mixed);
    CHECK(which.feature.pattern == Pattern::mixed);
    CHECK(which.crosses == (form != ag::BothForm::product));
    if (form == ag::BothForm::joint) {
      CHECK(which.weights.at(0).axes == std::vector{1, 2});
      CHECK(which.weights.size() == 1);
      continue;
    }
    CHECK(which.weights.at(0).axes.empty());  // the product of both
    CHECK(says(which,
               "Its time_weights (3,5,4) sum to 1 along axis 1, of 5 positions: the time "
               "steps. Its feature_weights (3,5,4) sum to 1 along axis 2, of 4 positions: "
               "the features."));
  }
}

TEST_CASE("seed 12: feature attention, LSTM, time attention: what does each part see?") {
  ag::LSTM<float> lstm({.inputs = 4, .units = 6});
  const auto sequence = asked(lstm);
  CHECK(sequence.sees_later == false);
  CHECK(says(sequence,
             "(3,5,4) -> (3,5,6): it mixes both time steps and features; no step sees a "
             "later one; samples stay apart."));
  ag::Bidirectional<float> both({.inputs = 4, .units = 3});
  CHECK(asked(both).sees_later == true);

  ag::DualStage<float> whole({.features = 4, .lstm_units = 6, .attention_units = 3});
  const auto which = asked(whole);
  CHECK(which.output == Shape{3, 1});
  CHECK(
      says(which, "(3,5,4) -> (3,1): it mixes both time steps and features; samples stay apart."));

  // In full: the input attention compares whole series, so its first weights have seen the last
  // step.
  ag::DualStageRNN<float> full(
      {.time_steps = 5, .series = 4, .encoder_units = 3, .decoder_units = 2});
  ag::initialise(ag::parameters(full), 3);
  const auto past = ag::constant(explained::input({3, 5}));
  const auto alpha =
      ag::which_axis([&](const Var<double>& x) { return full.with_weights(x, past).alpha; },
                     explained::input({3, 5, 4}));
  CHECK(alpha.output == Shape{3, 5, 4});
  CHECK(alpha.sees_later == true);
  CHECK(alpha.mixes_samples == false);
}

TEST_CASE("the variable transformer: variables look at variables, in every layer") {
  ag::ITransformer<float> model(
      {.time_steps = 5, .horizon = 3, .d_model = 4, .num_heads = 2, .d_ff = 6, .layers = 2});
  const auto which = asked(model);
  CHECK(which.output == Shape{3, 3, 4});
  CHECK(which.feature.pattern == Pattern::mixed);
  CHECK(which.mixes_samples == false);
  CHECK(says(which, "weights 0 (3,2,4,4) sum to 1 along axis 3, of 4 positions: the features"));
  CHECK(says(which, "weights 1 (3,2,4,4) sum to 1 along axis 3, of 4 positions: the features"));
}

TEST_CASE("Keras's attention_axes = 2 on (batch, time, feature): heads attend to heads") {
  lesson::KerasAttentionAxes2<double> wrong(4, 3, 2);
  const auto which = asked(wrong);
  CHECK(which.time.pattern == Pattern::own);
  CHECK(says(which,
             "Its weights (3,5,3,3) sum to 1 along axis 3, of 3 positions: neither the 5 "
             "time steps nor the 4 features."));
}
