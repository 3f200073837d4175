// Lesson 12: are the two usual attentions over time the same?
//
// Two layers go by the name of attention over time in Keras code: the block that multiplies each
// value by softmax(Dense) over time, and Attention(units=32), which stands behind an LSTM and
// returns one vector. You learn by the same data what they share, that their weights sum to 1 over
// time, and what they do not: what goes out, what a weight is made of, how long a window may be.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/data/synthetic.hpp>
#include <axisgrad/nn/lstm.hpp>

#include "common/attention_map.hpp"
#include "common/learn.hpp"
#include "common/planted_matrix.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 20, features = 2, planted = 10, units = 32;

// x (B,20,2) -> weighted x (B,20,2) -> LSTM, last state (B,32) -> logit (B,1)
struct BlockModel {
  using scalar = float;
  ag::TimeAttentionBlock<float> block{steps};
  ag::LSTM<float> lstm{{.inputs = features, .units = units}};
  ag::Dense<float> head{units, 1};

  auto operator()(const auto& x) const { return head(lstm(block(x)).last()); }
  auto attend(const auto& x) const { return block.with_weights(x); }
  void visit(auto&& v) { v("block", block), v("lstm", lstm), v("head", head); }
};

// x (B,20,2) -> LSTM, all states (B,20,32) -> Attention, one vector (B,32) -> logit (B,1)
struct UnitsModel {
  using scalar = float;
  ag::LSTM<float> lstm{{.inputs = features, .units = units}};
  ag::Attention<float> attention{units, units};
  ag::Dense<float> head{units, 1};

  auto operator()(const auto& x) const { return head(attention(lstm(x).sequence())); }
  auto attend(const auto& x) const { return attention.with_weights(lstm(x).sequence()); }
  void visit(auto&& v) { v("lstm", lstm), v("attention", attention), v("head", head); }
};

ag::Dataset<float> data(std::uint64_t seed, ag::Size samples = 4'000) {
  return ag::attention_column<float>({.samples = samples,
                                      .time_steps = steps,
                                      .features = features,
                                      .column = planted,
                                      .seed = seed});
}

// The mean weight of each step; behind an LSTM the value may be met one or two steps later.
template <class Model>
lesson::Seen look(const Model& model, std::uint64_t seed) {
  const auto weights = model.attend(ag::constant(data(1'000 + seed, 500).x)).weights;
  const auto by_step =
      weights.rank() == 3 ? ag::mean(weights, {0, 2}).value() : ag::mean(weights, 0).value();
  const std::vector<double> profile(by_step.begin(), by_step.end());
  const auto at = static_cast<ag::Size>(lesson::largest(profile));
  return {profile[planted] + profile[planted + 1] + profile[planted + 2],
          at >= planted && at <= planted + 2};
}

bool refuses(const auto& f) {
  try {
    static_cast<void>(f());
  } catch (const ag::Error& e) {
    fmt::print("  {}\n", e.what());
    return true;
  }
  return false;
}

bool compare(const lesson::Options& options) {
  const auto block_checked =
      lesson::check_block<ag::TimeAttentionBlock<double>>(5, lesson::normal_values({2, 5, 3}));
  lesson::Checked units_checked;
  for (const auto score : {ag::AttentionScore::luong, ag::AttentionScore::bahdanau}) {
    ag::Attention<double> attention(3, 4, {.score = score});
    ag::initialise(ag::parameters(attention), 1);
    units_checked += lesson::check_gradients(
        score == ag::AttentionScore::luong ? "luong" : "bahdanau",
        [&](const auto& x) { return attention.with_weights(x); }, lesson::normal_values({2, 5, 3}));
  }
  BlockModel block;
  UnitsModel pooled;
  ag::initialise(ag::parameters(block), 1), ag::initialise(ag::parameters(pooled), 1);
  const lesson::TrainingOptions training{.epochs = options.quick ? 5 : 8, .learning_rate = 3e-3};
  const auto run = [&](auto model, lesson::BlockResult row, const lesson::Checked& checked) {
    using Model = decltype(model);
    return lesson::learn(
        row, checked, options, [] { return Model{}; }, ag::binary_crossentropy_from_logits,
        [](std::uint64_t seed) { return data(seed); }, look<Model>, training);
  };
  const auto gate = run(BlockModel{},
                        {.name = "TimeAttentionBlock",
                         .seed_system = 9,
                         .parameters = ag::count(ag::parameters(block.block))},
                        block_checked);
  const auto many = run(UnitsModel{},
                        {.name = "Attention",
                         .seed_system = 10,
                         .parameters = ag::count(ag::parameters(pooled.attention))},
                        units_checked);
  lesson::write(options.out / "12_two_time_attentions.json", {many});

  const auto x = ag::constant(data(7, 100).x);
  const auto a = block.attend(x), b = pooled.attend(x);
  fmt::print("\n{:<22}{:>14}{:>14}{:>12}\n", "", "weights", "out", "parameters");
  fmt::print("{:<22}{:>14}{:>14}{:>12}\n", gate.name,
             fmt::format("{}", fmt::streamed(a.weights.shape())),
             fmt::format("{}", fmt::streamed(a.out.shape())), gate.parameters);
  fmt::print("{:<22}{:>14}{:>14}{:>12}\n\nA window of 21 steps:\n", "Attention(units=32)",
             fmt::format("{}", fmt::streamed(b.weights.shape())),
             fmt::format("{}", fmt::streamed(b.out.shape())), many.parameters);
  const auto longer = ag::constant(lesson::normal_values<float>({1, steps + 1, features}));
  bool all = lesson::claim(refuses([&] { return block.attend(longer); }) &&
                               pooled.attend(longer).weights.size(1) == steps + 1,
                           "the block knows windows of 20 steps only, Attention takes any length");
  all &= lesson::claim(
      lesson::off_one(a.weights.value(), 1) < 1e-5 && lesson::off_one(b.weights.value(), 1) < 1e-5,
      "both have weights that sum to 1 over time: both are attention over time");
  all &= lesson::claim(
      a.out.shape() == x.shape() && b.out.shape() == ag::Shape{100, units},
      "the block returns every step, weighted; Attention one vector, the steps summed");
  all &= lesson::claim(
      block_checked.right && units_checked.right && gate.found == gate.seeds &&
          many.found == many.seeds,
      fmt::format("each finds the planted step (or the two after it) in every seed, with {} and {} "
                  "of the weight, uniform {}",
                  lesson::figure(gate.planted_mass), lesson::figure(many.planted_mass),
                  lesson::figure(3. / steps)));
  if (all) fmt::print("So they are not the same: one gates input steps, one pools LSTM states.\n");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Are the two attentions over time the same?", compare);
}
