// Lesson 17: each variable against its own history.
//
// The wish: every variable attends over its own time steps, and sees no other variable. That is
// attention with axis = time on rank 4, (batch, time, variable, embedding), after each number was
// lifted to a vector: PerVariableAttention. You learn that its weights are a matrix of steps for
// each variable, and how the reshape of the code that goes round breaks the separation.
#include <fmt/core.h>

#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/explain/which_axis.hpp>
#include <axisgrad/nn/per_variable_attention.hpp>
#include <axisgrad/nn/position.hpp>

#include "common/documents_code.hpp"
#include "common/learn.hpp"
#include "common/planted_matrix.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 4, variables = 5, width = 8;
const lesson::Sources source{2, 0, 3, 1};  // step t of a variable is to become step source[t] of it

// x (B,4,5) -> each number a vector (B,4,5,8), told its step -> attention -> one number (B,4,5)
struct Model {
  using scalar = float;
  ag::Dense<float> lift{1, width};
  ag::PositionEmbedding<float> when{
      {.axis = 1, .positions = steps, .embed_axis = ag::Axis(3), .size = width}};
  ag::PerVariableAttention<float> attention{
      {.num_heads = 2, .key_dim = 8, .embed_size = width, .lift = ag::Lift::none}};
  ag::Dense<float> head{width, 1};

  auto told(const auto& x) const { return when(lift(unsqueeze(x, 3))); }
  auto operator()(const auto& x) const { return squeeze(head(attention(told(x))), 3); }
  void visit(auto&& v) {
    v("lift", lift), v("when", when), v("attention", attention), v("head", head);
  }
};

ag::PerVariableAttention<double> lifted(ag::Lift lift) {
  ag::PerVariableAttention<double> attention(
      {.num_heads = 2, .key_dim = 2, .embed_size = 3, .lift = lift, .variables = variables});
  ag::initialise(ag::parameters(attention), 1);
  return attention;
}

lesson::Seen look(const Model& model, std::uint64_t seed) {
  const auto x = lesson::copy_task({100, steps, variables}, ag::Axis::time, source, 1'000 + seed).x;
  const auto weights = model.attention.with_weights(model.told(ag::constant(x))).weights;
  lesson::SeedMatrices maps{source};
  maps.add(ag::mean(weights, 2).value());  // over heads; the variables are in the place of heads
  return {maps.weight(), maps.found() == 1};
}

bool ask(const lesson::Options& options) {
  const auto small = lesson::normal_values({2, steps, variables});
  auto checked =
      lesson::check_module("one lift for all variables", lifted(ag::Lift::shared), small);
  checked += lesson::check_module("a lift for each variable", lifted(ag::Lift::separate), small);
  Model model;
  lesson::BlockResult row{.name = "PerVariableAttention", .seed_system = 5};
  row.parameters = ag::count(ag::parameters(model.attention));
  row = lesson::learn(
      row, checked, options, [] { return Model{}; }, ag::mse,
      [](std::uint64_t seed) {
        return lesson::copy_task({1'000, steps, variables}, ag::Axis::time, source, seed);
      },
      look, {.epochs = 30, .learning_rate = 1e-2});
  lesson::write(options.out / "17_own_history.json", {row});

  const auto x = lesson::normal_values({3, steps, variables});
  const auto right = ag::which_axis(lifted(ag::Lift::shared), x);
  using Copied = lesson::PerVariable<double>;
  Copied copied(Copied::Reorder::by_reshape, 3);
  ag::initialise(ag::parameters(copied), 5);
  const auto wrong = ag::which_axis(copied, x);
  fmt::print("\nPerVariableAttention: {}\n{}\nreshape to (B,V,T,d): {}\n{}\n", right.sentence(),
             right.pictures(), wrong.sentence(), wrong.pictures());
  const auto y = lifted(ag::Lift::shared)
                     .with_weights(ag::constant(lesson::normal_values({100, steps, variables})));

  bool all = lesson::claim(checked.right, "the gradients are right to second order");
  all &= lesson::claim(y.weights.shape() == ag::Shape{100, variables, 2, steps, steps},
                       fmt::format("weights {}: for each variable and head a matrix of steps by "
                                   "steps, the relation between time steps",
                                   lesson::text(y.weights.shape())));
  all &= lesson::claim(
      right.feature.pattern == ag::Pattern::own && right.time.pattern == ag::Pattern::mixed,
      "a variable sees its own steps and no other variable");
  all &= lesson::claim(wrong.feature.pattern == ag::Pattern::mixed,
                       "with reshape in place of transpose it sees other variables");
  return all & lesson::claim_found(row, "the right step leads in every row", 1. / steps);
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Each variable against its own history", ask);
}
