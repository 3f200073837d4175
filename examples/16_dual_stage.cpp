// Lesson 16: feature attention, LSTM, time attention: what is the structure?
//
// You learn to read a dual-stage network as two questions asked one after the other: which feature,
// asked of each step's values, and when, asked of the LSTM's states. The simple form is DualStage;
// in the full one, DA-RNN, both questions are asked anew at each step of a recurrence. Data:
// feature 3 of 8 holds the answer at every step.
#include <iostream>

#include <fmt/core.h>

#include <axisgrad/nn/data/synthetic.hpp>
#include <axisgrad/nn/dual_stage.hpp>
#include <axisgrad/nn/dual_stage_rnn.hpp>
#include <axisgrad/nn/explain/which_axis.hpp>
#include <axisgrad/nn/summary.hpp>

#include "common/attention_map.hpp"
#include "common/learn.hpp"
#include "common/planted_matrix.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 10, features = 8, planted = 3, units = 16;

ag::DualStage<float> make() {
  return ag::DualStage<float>(
      {.features = features, .lstm_units = units, .attention_units = units});
}

ag::Dataset<float> data(std::uint64_t seed, ag::Size samples = 4'000) {
  return ag::attention_feature<float>({.samples = samples,
                                       .time_steps = steps,
                                       .features = features,
                                       .column = planted,
                                       .seed = seed});
}

lesson::Checked check() {
  auto checked = lesson::check_module(
      "DualStage", ag::DualStage<double>({.features = 3, .lstm_units = 2, .attention_units = 3}),
      lesson::normal_values({2, 4, 3}));
  checked += lesson::check_module(
      "DualStageRNN",
      ag::DualStageRNN<double>(
          {.time_steps = 3, .series = 2, .encoder_units = 2, .decoder_units = 2}),
      lesson::normal_values({2, 3, 2}), lesson::normal_values({2, 3}, 2));
  return checked;
}

lesson::Seen look(const ag::DualStage<float>& model, std::uint64_t seed) {
  const auto weights = model.with_weights(ag::constant(data(1'000 + seed, 500).x)).feature_weights;
  const auto mean = ag::mean(weights, {0, 1}).value();
  const std::vector<double> profile(mean.begin(), mean.end());
  return {profile[planted], lesson::largest(profile) == planted};
}

bool ask(const lesson::Options& options) {
  const auto checked = check();
  auto model = make();
  lesson::BlockResult row{.name = "DualStage", .seed_system = 12};
  row.parameters = ag::count(ag::parameters(model));
  row = lesson::learn(row, checked, options, make, ag::binary_crossentropy_from_logits,
                      [](std::uint64_t seed) { return data(seed); }, look,
                      {.epochs = options.quick ? 3 : 5, .learning_rate = 3e-3});
  lesson::write(options.out / "16_dual_stage.json", {row});

  ag::initialise(ag::parameters(model), 1);
  std::cout << '\n' << ag::summary(model) << '\n';
  const auto x = data(7, 100).x;
  const auto y = model.with_weights(ag::constant(x));
  const auto first = ag::which_axis([&](const auto& v) { return model.feature.with_weights(v); },
                                    lesson::normal_values({2, steps, features}));
  fmt::print("First stage: {}\n", first.sentence());
  ag::DualStageRNN<float> full(
      {.time_steps = steps, .series = features, .encoder_units = 5, .decoder_units = 6});
  ag::initialise(ag::parameters(full), 1);
  const auto z =
      full.with_weights(ag::constant(x), ag::constant(lesson::normal_values<float>({100, steps})));

  bool all = lesson::claim(checked.right, "gradients of both forms are right to second order");
  all &= lesson::claim(y.feature_weights.shape() == x.shape() &&
                           lesson::off_one(y.feature_weights.value(), 2) < 1e-5 &&
                           first.time.pattern == ag::Pattern::own,
                       fmt::format("1. which feature: weights {}, sum 1 over features, each step's "
                                   "from that step alone",
                                   lesson::text(y.feature_weights.shape())));
  all &=
      lesson::claim(y.time_weights.shape() == ag::Shape{100, steps} &&
                        lesson::off_one(y.time_weights.value(), 1) < 1e-5,
                    fmt::format("2. LSTM; 3. when: weights {}, sum 1 over its states; out {}",
                                lesson::text(y.time_weights.shape()), lesson::text(y.out.shape())));
  all &= lesson::claim(
      z.alpha.shape() == ag::Shape{100, steps, features} &&
          z.beta.shape() == ag::Shape{100, steps, steps} &&
          lesson::off_one(z.alpha.value(), 2) < 1e-5 && lesson::off_one(z.beta.value(), 2) < 1e-5,
      fmt::format("DA-RNN asks at each step: alpha {} over series, beta {} over encoder steps",
                  lesson::text(z.alpha.shape()), lesson::text(z.beta.shape())));
  return all & lesson::claim_found(row, "the planted feature leads", 1. / features);
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Feature attention, LSTM, time attention", ask);
}
