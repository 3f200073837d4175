// Lesson 14: is the feature block that goes round right?
//
// Its lines are Permute((1,2)), Dense(input_dim, softmax), and with a single attention vector the
// mean over time and RepeatVector(input_dim). You learn which of them is wrong, and why nobody
// notices: where there are as many steps as features the fault fits.
#include <fmt/core.h>

#include <axisgrad/nn/explain/which_axis.hpp>

#include "common/documents_code.hpp"
#include "common/gradients.hpp"
#include "common/lesson.hpp"

namespace ag = axisgrad;

namespace {

using Copied = lesson::RepeatedFeatureBlock<double>;  // the code that goes round

// What the copied code gives, minus what the block with the same parameters gives; an error text
// instead where the shapes do not fit.
std::string difference(ag::Size steps, ag::Size features, ag::Size repeats, double& largest) {
  Copied copied(features, repeats);
  ag::FeatureAttentionBlock<double> block(features, {.single_attention_vector = true});
  ag::initialise(ag::parameters(copied), 5);
  block.kernel.set_value(copied.dense.kernel.value());
  block.bias.set_value(copied.dense.bias.value());
  const auto x = ag::constant(lesson::normal_values({3, steps, features}));
  largest = -1;
  const auto refused = lesson::refusal(
      [&] { return largest = ag::max(ag::abs(copied.with_weights(x).out - block(x))).item(); });
  return refused.empty() ? fmt::format("differs from the block by {:.0e}", largest) : refused;
}

bool ask(const lesson::Options&) {
  const ag::Size steps = 6, features = 4;
  double by_features = 0, square = 0, by_steps = 0;
  fmt::print("RepeatVector(input_dim), T = 6, F = 4: {}\n",
             difference(steps, features, features, by_features));
  fmt::print("RepeatVector(input_dim), T = F = 4: {}\n",
             difference(features, features, features, square));
  fmt::print("RepeatVector(T), T = 6, F = 4: {}\n", difference(steps, features, steps, by_steps));

  const auto x = lesson::normal_values({3, steps, features});
  const auto permuted = ag::transpose(ag::constant(x), {0, 1, 2}).value();  // Permute((1,2))
  ag::FeatureAttentionBlock<double> block(features);
  ag::initialise(ag::parameters(block), 5);
  const auto which = ag::which_axis(block, x);
  fmt::print("FeatureAttentionBlock: {}\n\n", which.sentence());

  bool all = lesson::claim(by_features < 0,
                           "repeated by the number of features, it is refused when T is not F");
  all &= lesson::claim(square >= 0 && square < 1e-15,
                       "with T = F it runs and is right by luck: try a block out on two sizes");
  all &= lesson::claim(by_steps >= 0 && by_steps < 1e-15,
                       "repeated by the number of steps, it is right");
  all &= lesson::claim(ag::same_bits(x, permuted), "Permute((1,2)) does nothing and can go");
  all &= lesson::claim(which.weights.at(0).axes == std::vector{2} &&
                           which.time.pattern == ag::Pattern::own &&
                           which.feature.pattern == ag::Pattern::mixed,
                       "the right form attends over features, each step by itself");
  if (all) fmt::print("So it is right but for RepeatVector(input_dim), which must be the steps.\n");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Is the feature block right?", ask);
}
