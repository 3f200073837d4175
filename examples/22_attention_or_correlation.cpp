// Lesson 22: attention or correlation?
//
// "The attention matrix shows how variables correlate" is often said. You learn to tell the two
// apart on data whose correlations are known: variables 0 and 1 move together (.9), 2 and 3 against
// each other (-.9), 4 and 5 by themselves. CorrelatedAttention is trained to return that matrix;
// its out is a correlation, of what attention made of the variables; its weights are not.
#include <cmath>

#include <fmt/core.h>

#include <axisgrad/nn/correlated_attention.hpp>

#include "common/gnuplot.hpp"
#include "common/known_answers.hpp"
#include "common/learn.hpp"
#include "common/matrix_picture.hpp"
#include "common/planted_matrix.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 24, variables = 6;

ag::Dataset<float> data(std::uint64_t seed, ag::Size samples) {
  return lesson::correlated_pairs(samples, steps, .9, seed);
}

using Model = ag::CorrelatedAttention<float>;
Model make() {
  return Model({.num_heads = 2, .key_dim = 8, .axis = ag::Axis::feature, .embed_size = steps});
}

ag::Tensor<double> mean_matrix(const ag::Var<float>& m) {  // (N,...,V,V) -> (V,V)
  const auto v = ag::constant(ag::Tensor<double>(m.value()));
  return (m.rank() == 4 ? ag::mean(v, {0, 1}) : ag::mean(v, 0)).value();
}

// Mean |r| of the two pairs, and whether in their rows it exceeds every other but the diagonal.
lesson::Seen look(const Model& model, std::uint64_t seed) {
  const auto m = mean_matrix(model(ag::constant(data(1'000 + seed, 200).x)));
  lesson::Seen seen{0, true};
  for (ag::Size v = 0; v < 4; ++v) {
    const ag::Size partner = v ^ 1;
    seen.planted += std::abs(m(v, partner)) / 4;
    for (ag::Size w = 0; w < variables; ++w)
      if (w != v && w != partner)
        seen.found = seen.found && std::abs(m(v, w)) < std::abs(m(v, partner));
  }
  return seen;
}

double smallest(const ag::Tensor<double>& m) { return ag::min(ag::constant(m)).item(); }

bool ask(const lesson::Options& options) {
  const auto checked = lesson::check_module(
      "CorrelatedAttention",
      ag::CorrelatedAttention<double>({.num_heads = 2, .key_dim = 2, .embed_size = 4}),
      lesson::normal_values({2, 4, 3}));
  const lesson::TrainingOptions training{.epochs = 10, .learning_rate = 3e-3};
  Model model = make();
  const auto row = lesson::learn(
      {"CorrelatedAttention", 3, ag::count_parameters(model)}, checked, options, make, ag::mse,
      [](std::uint64_t seed) { return data(seed, 1'000); }, look, training);
  lesson::write(options.out / "22_attention_or_correlation.json", {row});

  lesson::train(model, ag::mse, data(1, 1'000), training);
  const auto x = ag::constant(data(1'001, 200).x);
  const auto y = model.with_weights(x);
  const auto plain = mean_matrix(ag::pearson_correlation(x, ag::Axis::feature)),
             learnt = mean_matrix(y.out), weights = mean_matrix(y.weights);
  const auto names = lesson::numbered("v", variables);
  const auto panel = [&](const ag::Tensor<double>& m, const std::string& heading, double lowest) {
    return lesson::Panel{.matrix = m,
                         .heading = heading,
                         .row_label = "variable",
                         .column_label = "variable",
                         .rows = names,
                         .columns = names,
                         .lowest = lowest,
                         .highest = lowest < 0 ? 1 : ag::max(ag::constant(m)).item(),
                         .scale_label = lowest < 0 ? "r" : "weight"};
  };
  const auto picture = lesson::draw(
      {panel(plain, fmt::format("correlation of x: v2, v3 {:.2f}", plain(2, 3)), -1),
       panel(learnt, fmt::format("CorrelatedAttention: v2, v3 {:.2f}", learnt(2, 3)), -1),
       panel(weights, fmt::format("attention weights: v2 to v3 {:.2f}", weights(2, 3)), 0)},
      options.out, "attention_or_correlation",
      fmt::format("Weights are no correlations: r of v2, v3 {:.2f}, weight {:.2f}, uniform {}",
                  plain(2, 3), weights(2, 3), lesson::figure(1. / variables)),
      fmt::format(
          "means over 200 samples, seed 1; planted r .9 (v0, v1) and -.9 (v2, v3); the pairs "
          "lead in CorrelatedAttention in {} of {} seeds",
          row.found, row.seeds));
  fmt::print("{}\n", picture.string());

  bool all = lesson::claim(checked.right, "the gradients are right to second order");
  all &= lesson::claim(y.out.shape() == ag::Shape{200, variables, variables} &&
                           lesson::asymmetry(learnt) < 1e-5 && smallest(learnt) < 0,
                       fmt::format("out {} is a correlation: symmetric, with signs (lowest {:.2f})",
                                   lesson::text(y.out.shape()), smallest(learnt)));
  all &= lesson::claim(lesson::off_one(y.weights.value(), -1) < 1e-5 && smallest(weights) >= 0 &&
                           lesson::asymmetry(weights) > 1e-3,
                       fmt::format("the weights {} are not: rows sum to 1, no signs, not symmetric "
                                   "(mirrored cells differ by {:.3f})",
                                   lesson::text(y.weights.shape()), lesson::asymmetry(weights)));
  all &=
      lesson::claim(row.found == row.seeds && plain(2, 3) < -.8,
                    fmt::format("the pairs have |r| {} in CorrelatedAttention, {} of {} seeds; "
                                "without any training the correlation of x has {:.2f} and {:.2f}",
                                lesson::figure(row.planted_mass), row.found, row.seeds, plain(0, 1),
                                plain(2, 3)));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Attention or correlation?", ask);
}
