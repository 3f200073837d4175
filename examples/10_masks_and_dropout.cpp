// Lesson 10: the same attention with a mask, with dropout, and to another width.
//
// You learn three options of MultiHeadAttention. A mask (1 = attend) forbids cells: here step t may
// look at steps up to t, and what it must not see has a weight of exactly 0, in float too, which
// adding -1e9 to scores does not promise where a whole row is hidden. Dropout acts on the weights
// in training only, and what with_weights() shows is before it. output_dim is the width of the
// answer: (B,T,F) becomes (B,T,output_dim).
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "common/copying.hpp"
#include "common/gnuplot.hpp"
#include "common/matrix_picture.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 6, variables = 5, width = 8;

ag::Tensor<double> up_to_now() {
  ag::Tensor<double> mask({1, steps, steps}, 0.);
  for (ag::Size t = 0; t < steps; ++t) std::fill_n(mask.mutable_data() + t * steps, t + 1, 1.);
  return mask;
}

lesson::Panel panel(const lesson::Copied& c, const std::string& what) {
  const auto names = lesson::numbered("t", steps);
  return {.matrix = c.maps.mean(),
          .heading = fmt::format("{}: right cells {}, uniform {}, {} of {} seeds", what,
                                 lesson::figure(c.maps.weight()), lesson::figure(c.maps.uniform()),
                                 c.row.found, c.row.seeds),
          .row_label = "the step that asks",
          .column_label = "the step that is looked at",
          .rows = names,
          .columns = names,
          .planted = c.maps.source};
}

bool found(const lesson::Copied& c) {
  return lesson::claim(c.gradients_right && c.row.found == c.row.seeds,
                       fmt::format("gradients right, the right step found in {} of {} seeds",
                                   c.row.found, c.row.seeds));
}

bool show(const lesson::Options& options) {
  const auto masked = lesson::learn_to_copy(
      {.seed_system = 4,
       .steps = steps,
       .variables = variables,
       .source = {0, 0, 0, 1, 2, 3},  // two or three steps back, as far as there are
       .attention = {.num_heads = 2, .key_dim = 16, .dropout = .1},
       .mask = up_to_now()},
      options);
  const auto wide = lesson::learn_to_copy(
      {.seed_system = 6,
       .steps = steps,
       .variables = variables,
       .source = {5, 3, 1, 4, 0, 2},
       .attention = {.num_heads = 2, .key_dim = 16, .output_dim = width, .dropout = .1}},
      options);
  lesson::write(options.out / "10_masks_and_dropout.json", {masked.row, wide.row});
  const auto picture = lesson::draw(
      {panel(masked, "masked"), panel(wide, "to width 8")}, options.out, "masks_and_dropout",
      fmt::format("Attention over time finds the right step with a mask ({}) and to width 8 ({}), "
                  "dropout .1",
                  lesson::figure(masked.maps.weight()), lesson::figure(wide.maps.weight())),
      fmt::format(
          "mean weights over 100 samples, 2 heads and {} seeds, before dropout; rings: what "
          "the answer was copied from",
          masked.row.seeds));
  fmt::print("{}\n", picture.string());

  bool all = found(masked) & found(wide);
  all &= lesson::claim(
      masked.largest_masked == 0,
      fmt::format("no weight where the mask forbids to look (largest: {})", masked.largest_masked));
  all &= lesson::claim(
      masked.out == ag::Shape{100, steps, variables} && wide.out == ag::Shape{100, steps, width},
      fmt::format("out {} with the mask and {} with an output_dim of {}", fmt::streamed(masked.out),
                  fmt::streamed(wide.out), width));
  all &= lesson::claim(std::max(masked.off_one, wide.off_one) < 1e-5,
                       "each row of the weights that are shown sums to 1, dropout or not");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Attention with a mask, with dropout, to another width", show);
}
