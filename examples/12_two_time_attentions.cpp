// Lesson 12: are the two usual attentions over time the same?
//
// Two layers go by the name of attention over time in Keras code: the block that multiplies each
// value by softmax(Dense) over time, and Attention(units=32), which stands behind an LSTM and
// returns one vector. You learn by the same data what they share, that their weights sum to 1 over
// time, and what they do not: what goes out, what a weight is made of, how long a window may be.
#include <algorithm>

#include <fmt/core.h>

#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/data/synthetic.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/metrics.hpp>

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

ag::Dataset<float> data(std::uint64_t seed, ag::Size samples = 4'000) {  // x (samples,20,2)
  return ag::attention_column<float>({.samples = samples, .column = planted, .seed = seed});
}

// The weight of the planted step and the two after it, and whether the largest is among them:
// behind an LSTM the value may be met later. `accuracy` becomes the lowest of the seeds.
template <class Model>
lesson::Seen look(const Model& model, std::uint64_t seed, double& accuracy) {
  const auto test = data(1'000 + seed, 500);
  accuracy = std::min(accuracy, ag::metrics::binary_accuracy_from_logits(
                                    model(ag::constant(test.x)).value(), test.y));
  const auto weights = model.attend(ag::constant(test.x)).weights;
  const auto by_step = ag::mean(weights.rank() == 3 ? ag::mean(weights, 2) : weights, 0).value();
  const std::vector<double> profile(by_step.begin(), by_step.end());
  const auto at = static_cast<ag::Size>(lesson::largest(profile));
  return {profile[planted] + profile[planted + 1] + profile[planted + 2],
          at >= planted && at <= planted + 2};
}

bool compare(const lesson::Options& options) {
  const auto small = lesson::normal_values({2, 5, 3});
  auto checked = lesson::check_module("luong", ag::Attention<double>(3, 4), small);
  checked += lesson::check_module(
      "bahdanau", ag::Attention<double>(3, 4, {.score = ag::AttentionScore::bahdanau}), small);
  BlockModel block;
  UnitsModel pooled;
  ag::initialise(ag::parameters(block), 1), ag::initialise(ag::parameters(pooled), 1);
  double accuracy = 1;
  const auto run = [&]<class Model>(const Model&, lesson::BlockResult row) {
    return lesson::learn(
        row, checked, options, [] { return Model{}; }, ag::binary_crossentropy_from_logits,
        [](std::uint64_t seed) { return data(seed); },
        [&](const Model& model, std::uint64_t seed) { return look(model, seed, accuracy); },
        {.epochs = 10, .learning_rate = 3e-3});
  };
  const auto gate = run(block, {"TimeAttentionBlock"});
  const auto many = run(pooled, {"Attention", 10, ag::count_parameters(pooled.attention)});
  lesson::write(options.out / "12_two_time_attentions.json", {many});

  const auto x = ag::constant(data(7, 100).x);
  const auto longer = ag::constant(lesson::normal_values<float>({1, steps + 1, features}));
  const auto a = block.attend(x), b = pooled.attend(x);
  const auto refused = lesson::refusal([&] { return block.attend(longer); });
  bool all = lesson::claim(!refused.empty() && pooled.attend(longer).weights.size(1) == steps + 1,
                           "Attention takes any length, the block windows of 20 steps: " + refused);
  all &= lesson::claim(
      lesson::off_one(a.weights.value(), 1) < 1e-5 && lesson::off_one(b.weights.value(), 1) < 1e-5,
      fmt::format("weights {} of the block, {} of Attention, which sum to 1 over time",
                  lesson::text(a.weights.shape()), lesson::text(b.weights.shape())));
  all &= lesson::claim(
      a.out.shape() == x.shape() && b.out.shape() == ag::Shape{100, units},
      "the block returns every step, weighted; Attention one vector, the steps summed");
  all &= lesson::claim(checked.right && accuracy > .95,
                       fmt::format("gradients right; both solve the task (accuracy at least {:.3f} "
                                   "in {} seeds each)",
                                   accuracy, many.seeds));
  all &= lesson::claim_found(gate, "the block's weights lead on steps 10 to 12", 3. / steps);
  fmt::print(
      "Attention's lead there in {} of {} seeds, with {}{}.\n", many.found, many.seeds,
      lesson::figure(many.planted_mass),
      many.found < many.seeds ? ": its steps are LSTM states, which carry the value on" : "");
  if (all) fmt::print("So they are not the same: one gates input steps, one pools LSTM states.\n");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Are the two attentions over time the same?", compare);
}
