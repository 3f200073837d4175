// Lesson 4: which time step does the model look at?
//
// You learn to put attention over time in front of a recurrent model, to read its weights, and how
// far they can be trusted. In attention_column step 10 of each sample is the answer itself, 0 or 1,
// and all else is noise. The model is told neither which step nor that there is one; trained on the
// answers alone, the block gives step 10 the largest mean weight. The claim is about rank, not
// about size: the weight stays near a third, since the block sees values, and a 0 or 1 is nothing
// unusual among N(0,1).
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

constexpr ag::Size steps = 20, features = 2, planted = 10, samples = 10'000;

// x (B,20,2) -> attention over time (B,20,2) -> LSTM, last state (B,32) -> logit (B,1)
struct Model {
  using scalar = float;
  ag::TimeAttentionBlock<float> block{steps};
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

bool time_block(const lesson::Options& options) {
  const int seeds = options.quick ? 3 : 10, epochs = options.quick ? 3 : 10;
  const lesson::Clock clock;
  const auto checked =
      lesson::check_block<ag::TimeAttentionBlock<double>>(5, lesson::normal_values({2, 5, 3}));

  lesson::SeedMaps untrained{ag::Axis::time}, trained{ag::Axis::time};
  lesson::BlockResult result{.name = "TimeAttentionBlock", .seed_system = 9};
  ag::TimeAttentionBlock<float> alone{steps};
  result.parameters = ag::count_parameters(alone);
  fmt::print("\nseed  loss  ->  loss  accuracy  weight of step {}  largest at step\n", planted);
  for (int s = 1; s <= seeds; ++s) {
    const auto seed = static_cast<std::uint64_t>(s);
    const auto data = ag::attention_column<float>({.samples = samples,
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
    const auto by_step = lesson::profile(trained.maps.back(), ag::Axis::time);
    const double first = history.epochs.front().loss, last = history.epochs.back().loss;
    fmt::print("{:>4}{:>7.4f} ->{:>7.4f}{:>9.4f}{:>19.3f}{:>17}\n", s, first, last, test.metrics[0],
               by_step[planted], lesson::largest(by_step));
    result.loss_first += first / seeds, result.loss_last += last / seeds;
  }

  result.gradcheck_max_rel_error = checked.first_order;
  result.gradcheck_second_order_max_rel_error = checked.second_order;
  result.planted_mass = trained.weight(planted);
  result.found = trained.leads(planted), result.seeds = seeds;
  result.seconds = clock.seconds();
  lesson::write(options.out / "04_time_block.json", {result});
  const std::string outcome = fmt::format("step {}: {}, uniform {}, {} of {} seeds", planted,
                                          lesson::figure(result.planted_mass),
                                          lesson::figure(trained.uniform()), result.found, seeds);
  const auto picture = lesson::draw(
      trained, options.out, "time_block",
      {.title = (result.found == seeds ? "The planted step is found, "
                                       : "The planted step is not found in every seed, ") +
                outcome,
       .subtitle = fmt::format("TimeAttentionBlock -> LSTM(32) -> Dense(1) on attention_column, "
                               "{} epochs; mean over {} held-out samples",
                               epochs, samples / 10),
       .variables = {"x0", "x1"},
       .time_label = "time step"});
  fmt::print("\n{}\n", picture.string());
  bool all = lesson::claim(checked.right, "the block's gradients are right to second order");
  all &= lesson::claim(result.found == seeds,
                       fmt::format("the planted step has the largest mean weight in every seed "
                                   "({}); untrained it had in {}",
                                   outcome, untrained.leads(planted)));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Which time step does the model look at?", time_block);
}
