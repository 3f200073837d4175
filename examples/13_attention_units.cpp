// Lesson 13: does Attention(units=32) attend over time or over features?
//
// You learn to answer it without reading the code: ask which_axis() what the weights sum to 1
// along, reorder steps and see what happens, and change `units` alone.
#include <fmt/core.h>

#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/explain/which_axis.hpp>

#include "common/gradients.hpp"
#include "common/lesson.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 6, features = 4, units = 32;

double largest_difference(const ag::Var<double>& a, const ag::Var<double>& b) {
  return ag::max(ag::abs(a - b)).item();
}

bool ask(const lesson::Options&) {
  ag::Attention<double> attention(features, units);
  ag::initialise(ag::parameters(attention), 5);
  const auto x = lesson::normal_values({3, steps, features});
  const auto which = ag::which_axis(attention, x);
  fmt::print("{}\n\n", which.sentence());

  const auto v = ag::constant(x);
  const auto given = attention.with_weights(v);
  // All steps but the last, which is what the others are scored against, in reverse order.
  const auto reordered = attention.with_weights(ag::take(v, {4, 3, 2, 1, 0, 5}, ag::Axis::time));
  const double out_moved = largest_difference(given.out, reordered.out);
  const double weights_moved = largest_difference(
      ag::take(given.weights, {4, 3, 2, 1, 0, 5}, ag::Axis::time), reordered.weights);
  ag::Attention<double> narrow(features, 5);
  ag::initialise(ag::parameters(narrow), 5);
  const auto other = narrow.with_weights(v);

  bool all = lesson::claim(
      which.weights.size() == 1 && which.weights[0].axes == std::vector{1} &&
          which.weights[0].positions == steps,
      fmt::format("the weights {} sum to 1 along time: one weight for each of {} steps, none for "
                  "features",
                  lesson::text(given.weights.shape()), steps));
  all &= lesson::claim(out_moved < 1e-12 && weights_moved < 1e-12,
                       fmt::format("with earlier steps reordered the weights move along and the "
                                   "answer stays (differences {:.0e} and {:.0e}): it sees a set",
                                   weights_moved, out_moved));
  all &= lesson::claim(
      other.weights.shape() == given.weights.shape() && given.out.shape() == ag::Shape{3, units} &&
          other.out.shape() == ag::Shape{3, 5} &&
          largest_difference(given.weights, other.weights) == 0,
      fmt::format("units is the width of the answer, {} or {}; the weights are the same",
                  lesson::text(given.out.shape()), lesson::text(other.out.shape())));
  if (all) fmt::print("So it attends over time, and only over time.\n");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Does Attention(units=32) attend over time or features?", ask);
}
