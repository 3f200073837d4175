// Lesson 9: attention over time and attention over variables of one (100,4,12) input.
//
// You learn what the axis of multi-head attention decides: who the tokens are. The same 100 samples
// of 4 steps and 12 variables go through MultiHeadAttention twice, once with steps as tokens, once
// with variables. So that there is something to be seen, each is trained to copy: step t is to
// become another step, variable v another variable, and the matrix of weights has to say which.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "common/copying.hpp"
#include "common/gnuplot.hpp"
#include "common/matrix_picture.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 4, variables = 12;

lesson::Panel panel(const lesson::Copied& c, const std::string& tokens, const std::string& prefix) {
  const auto names = lesson::numbered(prefix, static_cast<int>(c.maps.source.size()));
  return {.matrix = c.maps.mean(),
          .heading = fmt::format("over {}: right cells {}, uniform {}, {} of {} seeds", tokens,
                                 lesson::figure(c.maps.weight()), lesson::figure(c.maps.uniform()),
                                 c.row.found, c.row.seeds),
          .row_label = "the " + tokens.substr(0, tokens.size() - 1) + " that asks",
          .column_label = "the " + tokens.substr(0, tokens.size() - 1) + " that is looked at",
          .rows = names,
          .columns = names,
          .planted = c.maps.source};
}

bool claims(const lesson::Copied& c, const std::string& tokens, const ag::Shape& expected) {
  bool all = lesson::claim(c.gradients_right, "the gradients of first and second order are right");
  all &= lesson::claim(c.weights == expected && c.out == ag::Shape{100, steps, variables},
                       fmt::format("weights {}, out {}: the layout of the input is kept",
                                   fmt::streamed(c.weights), fmt::streamed(c.out)));
  all &= lesson::claim(c.off_one < 1e-5, "each row of weights sums to 1");
  all &= lesson::claim(c.row.found == c.row.seeds,
                       fmt::format("the largest weight of every row of {} is on the right one, in "
                                   "{} of {} seeds",
                                   tokens, c.row.found, c.row.seeds));
  const double asymmetry = lesson::asymmetry(c.maps.mean());
  all &=
      lesson::claim(asymmetry > .1, fmt::format("the matrix is not symmetric (two mirrored cells "
                                                "differ by {:.2f}), so no correlation",
                                                asymmetry));
  return all;
}

bool compare(const lesson::Options& options) {
  lesson::Sources other_variable(variables);
  for (ag::Size v = 0; v < variables; ++v)
    other_variable[static_cast<std::size_t>(v)] = (v + 5) % variables;
  const auto task = [](int seed_system, ag::Axis axis, const lesson::Sources& source) {
    return lesson::CopyTask{.seed_system = seed_system,
                            .steps = steps,
                            .variables = variables,
                            .axis = axis,
                            .source = source,
                            .attention = {.num_heads = 2, .key_dim = 16}};
  };
  const auto time = lesson::learn_to_copy(task(1, ag::Axis::time, {2, 0, 3, 1}), options),
             feature = lesson::learn_to_copy(task(2, ag::Axis::feature, other_variable), options);
  lesson::write(options.out / "09_attention_axes.json", {time.row, feature.row});

  const auto picture = lesson::draw(
      {panel(time, "steps", "t"), panel(feature, "variables", "v")}, options.out, "attention_axes",
      fmt::format("One input (100,4,12): steps look at the right step ({}), variables at the right "
                  "variable ({})",
                  lesson::figure(time.maps.weight()), lesson::figure(feature.maps.weight())),
      fmt::format("mean weights over 100 samples, 2 heads and {} seeds; each row sums to 1; rings: "
                  "what the answer was copied from",
                  time.row.seeds));
  fmt::print("{}\n", picture.string());
  const bool over_time = claims(time, "steps", {100, 2, steps, steps}),
             over_variables = claims(feature, "variables", {100, 2, variables, variables});
  return over_time && over_variables;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Attention over time and over variables", compare);
}
