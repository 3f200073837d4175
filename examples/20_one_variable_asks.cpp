// Lesson 20: one variable asks all others.
//
// VariableQueryAttention makes queries from one variable alone, keys and values from all of them,
// for each variable in turn but in one computation. You learn what goes in and out, and that a
// variable's own value decides where it looks. Data: variables 0 to 2 are 1 or -1 at each step;
// variable 3 is 1 at one step, -1 at another, else 0; variable 4 is noise. A variable that is 1
// must return the noise of the step marked 1, one that is -1 that of the step marked -1.
#include <algorithm>

#include <fmt/core.h>

#include <axisgrad/nn/variable_query_attention.hpp>

#include "common/known_answers.hpp"
#include "common/learn.hpp"
#include "common/planted_matrix.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 6, variables = 5, asking = 3, heads = 2;

// x (B,6,5) -> out (B,6,1,5) -> that of the three variables that ask
struct Model {
  using scalar = float;
  ag::VariableQueryAttention<float> attention{
      {.features = variables, .num_heads = heads, .key_dim = 4, .output_dim = 1}};

  auto operator()(const auto& x) const {
    return slice(attention(x), {.axis = 3, .begin = 0, .end = asking});
  }
  void visit(auto&& v) { v("attention", attention); }
};

// Mean weight of the right step, and whether it is the largest in at least 95 of 100 cases.
lesson::Seen look(const Model& model, std::uint64_t seed) {
  const auto task = lesson::asked_steps(200, steps, 1'000 + seed);
  const auto all = ag::mean(model.attention.with_weights(ag::constant(task.data.x)).weights, 2);
  const auto weights = slice(all, {.axis = 1, .begin = 0, .end = asking});
  const auto right = ag::constant(task.right);
  const auto largest = ag::argmax(weights, -1).value(), expected = ag::argmax(right, -1).value();
  double hits = 0;
  for (ag::Size i = 0; i < largest.size(); ++i) hits += largest.data()[i] == expected.data()[i];
  return {static_cast<double>(ag::mean(ag::sum(weights * right, -1)).item()),
          hits > .95 * static_cast<double>(largest.size())};
}

// The same by a loop over variables: queries x[:,:,v], keys and values x.
double difference_from_loop(const ag::VariableQueryAttention<float>& attention,
                            const ag::Var<float>& x) {
  const auto out = attention(x);
  double worst = 0;
  for (ag::Size v = 0; v < variables; ++v) {
    const auto query = slice(x, {.axis = 2, .begin = v, .end = v + 1});
    const auto one =
        attention.attention(query, x, x) - ag::index(out, {ag::every, ag::every, ag::every, v});
    worst = std::max(worst, static_cast<double>(ag::max(ag::abs(one)).item()));
  }
  return worst;
}

bool ask(const lesson::Options& options) {
  const auto checked =
      lesson::check_module("VariableQueryAttention",
                           ag::VariableQueryAttention<double>(
                               {.features = 3, .num_heads = 2, .key_dim = 2, .output_dim = 2}),
                           lesson::normal_values({2, 4, 3}));
  Model model;
  const auto parameters = ag::parameters(model);
  ag::initialise(parameters, 1);
  lesson::BlockResult row{.name = "VariableQueryAttention", .seed_system = 7};
  row.parameters = ag::count(parameters);
  row = lesson::learn(
      row, checked, options, [] { return Model{}; }, ag::mse,
      [](std::uint64_t seed) { return lesson::asked_steps(1'000, steps, seed).data; }, look,
      {.epochs = 40, .learning_rate = 1e-2});
  lesson::write(options.out / "20_one_variable_asks.json", {row});

  const auto x = ag::constant(lesson::asked_steps(100, steps, 7).data.x);
  const auto y = model.attention.with_weights(x);
  const double loop = difference_from_loop(model.attention, x);
  bool all = lesson::claim(checked.right, "the gradients are right to second order");
  all &= lesson::claim(y.out.shape() == ag::Shape{100, steps, 1, variables} &&
                           y.weights.shape() == ag::Shape{100, variables, heads, steps, steps} &&
                           lesson::off_one(y.weights.value(), -1) < 1e-5,
                       fmt::format("out {}: (B,T,E,V); weights {}: for each variable that asks, "
                                   "its steps by the steps of all, rows sum to 1",
                                   lesson::text(y.out.shape()), lesson::text(y.weights.shape())));
  all &= lesson::claim(loop < 1e-5, fmt::format("a loop over the variables gives the same "
                                                "(difference {:.0e})",
                                                loop));
  return all & lesson::claim_found(row, "each variable looks where its own value says", 1. / steps);
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "One variable asks all others", ask);
}
