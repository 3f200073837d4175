// Lesson 21: multi-head attention whose output has the shape of the input.
//
// The wish: (100,4,12) in, (100,4,12) out, and every value has seen the other variables. That is
// MultiHeadAttention{.axis = feature}: the layout of the input is kept, and heads are a matter of
// the projections. You learn why the code that goes round does something else: it cuts the features
// into heads before anything is projected, and its tokens are pieces of steps.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <axisgrad/nn/explain/which_axis.hpp>
#include <axisgrad/nn/same_shape_attention.hpp>

#include "common/copying.hpp"
#include "common/documents_code.hpp"
#include "common/gradients.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 4, variables = 12, heads = 3;

// The token that holds variable v at step 0: the one whose score with itself changes with it.
ag::Size token_of(const auto& attention, ag::Size v) {
  auto x = lesson::normal_values({1, steps, variables});
  const auto before = attention.with_weights(ag::constant(x)).scores;
  x.set({0, 0, v}, 2 * x(0, 0, v) + 1);
  const auto after = attention.with_weights(ag::constant(x)).scores;
  const auto change = ag::sum(ag::abs(after - before), {0, 1}).value();  // (tokens, tokens)
  std::vector<double> own;
  for (ag::Size i = 0; i < change.shape()[0]; ++i) own.push_back(change(i, i));
  return std::max_element(own.begin(), own.end()) - own.begin();
}

// In how many rows of all seeds the largest weight is on the right variable, and of how many.
std::pair<int, int> rows_right(const lesson::SeedMatrices& maps) {
  int right = 0, all = 0;
  for (const auto& m : maps.matrices)
    for (ag::Size v = 0; v < variables; ++v, ++all) {
      const double* row = m.data() + v * variables;
      right +=
          std::max_element(row, row + variables) - row == maps.source[static_cast<std::size_t>(v)];
    }
  return {right, all};
}

bool ask(const lesson::Options& options) {
  lesson::Sources source(variables);
  for (ag::Size v = 0; v < variables; ++v)
    source[static_cast<std::size_t>(v)] = (v + 7) % variables;
  const auto learnt = lesson::learn_to_copy({.seed_system = 8,
                                             .steps = steps,
                                             .variables = variables,
                                             .axis = ag::Axis::feature,
                                             .source = source,
                                             .attention = {.num_heads = heads, .key_dim = 16},
                                             .epochs = 60},
                                            options);
  lesson::write(options.out / "21_same_shape.json", {learnt.row});

  const auto x = lesson::normal_values({2, steps, variables});
  lesson::FeaturesCutIntoHeads<double> cut(variables, heads, 6);
  ag::MultiHeadAttention<double> right(
      ag::same_shape_attention({.time_steps = steps, .num_heads = heads, .key_dim = 2}));
  ag::initialise(ag::parameters(cut), 5), ag::initialise(ag::parameters(right), 5);
  const auto wrong = cut.with_weights(ag::constant(x));
  const auto seen = ag::which_axis(right, x);
  fmt::print("\nfeatures cut into heads: weights {}, out {}\naxis = feature: {}\n\n",
             lesson::text(wrong.weights.shape()), lesson::text(wrong.out.shape()), seen.sentence());

  bool all = lesson::claim(learnt.gradients_right, "the gradients are right to second order");
  all &= lesson::claim(learnt.out == ag::Shape{100, steps, variables},
                       fmt::format("(100,4,12) in, {} out", lesson::text(learnt.out)));
  all &= lesson::claim(learnt.weights == ag::Shape{100, heads, variables, variables},
                       fmt::format("weights {}: for each head a matrix of variables by variables",
                                   lesson::text(learnt.weights)));
  all &= lesson::claim(seen.feature.pattern == ag::Pattern::mixed,
                       "every variable of the output has seen the other variables");
  bool pieces = true, whole = true;
  for (ag::Size v = 0; v < variables; ++v) {
    pieces = pieces && token_of(cut, v) == v / (variables / heads);
    whole = whole && token_of(right, v) == v;
  }
  all &= lesson::claim(whole, "with axis = feature, token v is variable v");
  all &= lesson::claim(
      pieces && wrong.out.shape() == x.shape(),
      fmt::format("cut into heads first, the same shape comes out, and weights {} that look like "
                  "variables by variables; but variables 0 to {} of step 0 are one token, a piece "
                  "of a step",
                  lesson::text(wrong.weights.shape()), variables / heads - 1));
  const auto [rows, all_rows] = rows_right(learnt.maps);
  all &= lesson::claim(
      rows >= .95 * all_rows && learnt.row.loss_last < .01,
      fmt::format("loss {:.4f}; the right variable leads in {} of {} rows: {}, "
                  "uniform {}, {} seeds",
                  learnt.row.loss_last, rows, all_rows, lesson::figure(learnt.maps.weight()),
                  lesson::figure(learnt.maps.uniform()), learnt.row.seeds));
  if (rows < all_rows)
    fmt::print(
        "Where it does not lead, the answers are as good: what heads do together, their mean "
        "does not show.\n");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Multi-head output in the input's shape", ask);
}
