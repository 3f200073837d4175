// Lesson 5: which feature does the model look at?
//
// The twin of lesson 4 along the other axis. In attention_feature all ten steps of feature 3 are
// the answer and the seven other features are noise. What changes in the code is the block, and
// that the softmax runs over features. The task is so easy that the model solves it within an
// epoch; then the gradient dies away and the weight of feature 3 stays near .2, with .125 being
// uniform. It is the largest nevertheless, in every seed: ask such a map for its rank, not for its
// size.
#include <fmt/core.h>

#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/data/split.hpp>
#include <axisgrad/nn/data/synthetic.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/fit.hpp>

#include "common/attention_map.hpp"
#include "common/gradients.hpp"
#include "common/lesson.hpp"
#include "common/results.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 10, features = 8, planted = 3, samples = 10'000;

// x (B,10,8) -> attention over features (B,10,8) -> LSTM, last state (B,32) -> logit (B,1)
struct Model {
  using scalar = float;
  ag::FeatureAttentionBlock<float> block{features};
  ag::LSTM<float> lstm{{.inputs = features, .units = 32}};
  ag::Dense<float> head{32, 1};

  auto operator()(const auto& x) const { return head(lstm(block(x)).last()); }
  void visit(auto&& visitor) {
    visitor("block", block), visitor("lstm", lstm), visitor("head", head);
  }
};

// The mean weights (T,F) over samples that the training has not seen.
lesson::Map attention(const Model& model, const ag::Dataset<float>& data) {
  return lesson::mean_over_samples(
      ag::predict([&](const auto& x) { return model.block.with_weights(x).weights; }, data.x));
}

bool feature_block(const lesson::Options& options) {
  const int seeds = options.quick ? 3 : 10, epochs = options.quick ? 2 : 3;
  const lesson::Clock clock;
  const auto checked =
      lesson::check_block<ag::FeatureAttentionBlock<double>>(3, lesson::normal_values({2, 5, 3}));

  lesson::SeedMaps untrained{ag::Axis::feature}, trained{ag::Axis::feature};
  lesson::BlockResult result{.name = "FeatureAttentionBlock", .seed_system = 11};
  ag::FeatureAttentionBlock<float> alone{features};
  result.parameters = ag::count_parameters(alone);
  fmt::print("\nseed  loss  ->  loss  accuracy  weight of feature {}  largest at feature\n",
             planted);
  for (int s = 1; s <= seeds; ++s) {
    const auto seed = static_cast<std::uint64_t>(s);
    const auto data = ag::attention_feature<float>({.samples = samples,
                                                    .time_steps = steps,
                                                    .features = features,
                                                    .column = planted,
                                                    .seed = seed});
    const auto split = ag::split_in_order(data, ag::SplitFractions{.train = .9, .test = .1});

    Model model;
    const auto parameters = ag::parameters(model);
    ag::initialise(parameters, seed);
    untrained.maps.push_back(attention(model, split.test));
    ag::Adam<float> adam({.learning_rate = 1e-3});
    const auto history =
        ag::fit(model, parameters, adam, ag::binary_crossentropy_from_logits, split.train,
                {.epochs = epochs,
                 .batch_size = 64,
                 .seed = seed,
                 .verbose = ag::Verbose::silent,
                 .handle_interrupt = false});

    trained.maps.push_back(attention(model, split.test));
    const auto test = ag::evaluate(model, ag::binary_crossentropy_from_logits, split.test,
                                   {.metrics = {ag::metrics::binary_accuracy_from_logits}});
    const auto by_feature = lesson::profile(trained.maps.back(), ag::Axis::feature);
    const double first = history.epochs.front().loss, last = history.epochs.back().loss;
    fmt::print("{:>4}{:>7.4f} ->{:>7.4f}{:>9.4f}{:>22.3f}{:>20}\n", s, first, last, test.metrics[0],
               by_feature[planted], lesson::largest(by_feature));
    result.loss_first += first / seeds, result.loss_last += last / seeds;
  }

  result.gradcheck_max_rel_error = checked.first_order;
  result.gradcheck_second_order_max_rel_error = checked.second_order;
  result.planted_mass = trained.weight(planted);
  result.found = trained.leads(planted), result.seeds = seeds;
  result.seconds = clock.seconds();
  lesson::write(options.out / "05_feature_block.json", {result});
  const std::string outcome = fmt::format("feature {}: {}, uniform {}, {} of {} seeds", planted,
                                          lesson::figure(result.planted_mass),
                                          lesson::figure(trained.uniform()), result.found, seeds);
  const auto picture = lesson::draw(
      trained, options.out, "feature_block",
      {.title = (result.found == seeds ? "The planted feature is found, "
                                       : "The planted feature is not found in every seed, ") +
                outcome,
       .subtitle =
           fmt::format("FeatureAttentionBlock -> LSTM(32) -> Dense(1) on attention_feature, "
                       "{} epochs; mean over {} held-out samples",
                       epochs, samples / 10),
       .variables = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"},
       .time_label = "time step"});
  fmt::print("\n{}\n", picture.string());
  bool all = lesson::claim(checked.right, "the block's gradients are right to second order");
  all &= lesson::claim(result.found == seeds,
                       fmt::format("the planted feature has the largest mean weight in every seed "
                                   "({}); untrained it had in {}",
                                   outcome, untrained.leads(planted)));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Which feature does the model look at?", feature_block);
}
