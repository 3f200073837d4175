// Lesson 15: which axis does it look at?
//
// Attention code is often wrong in a way that no shape gives away. which_axis() takes any function
// of (batch, time, feature), looks at its derivatives and at what changes when one step, one
// feature or one sample is given other values, and says what it mixes. Here it is asked about
// twelve systems that people ask about, and about five pieces of code that go round in forums, each
// beside the right form. T is 6 and F is 4: sizes that differ, for where they are equal a mix-up of
// the two axes fits without an error.
#include <array>
#include <fstream>
#include <sstream>

#include <fmt/core.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/correlated_attention.hpp>
#include <axisgrad/nn/dual_stage.hpp>
#include <axisgrad/nn/explain/which_axis.hpp>
#include <axisgrad/nn/per_variable_attention.hpp>
#include <axisgrad/nn/variable_query_attention.hpp>

#include "common/documents_code.hpp"
#include "common/gnuplot.hpp"
#include "common/gradients.hpp"
#include "common/lesson.hpp"

namespace ag = axisgrad;
using ag::Pattern;

namespace {

constexpr ag::Size steps = 6, features = 4;

struct Case {
  std::string title;
  ag::WhichAxis which;
};

template <class Layer>
ag::WhichAxis ask(Layer layer, const ag::Shape& shape = {3, steps, features},
                  const ag::WhichAxisOptions& options = {}) {
  ag::initialise(ag::parameters(layer), 5);
  return ag::which_axis(layer, lesson::normal_values(shape), options);
}

void print(const Case& c) {
  fmt::print("{}\n{}\n{}\n", c.title, c.which.sentence(), c.which.pictures());
}

// One matrix as gnuplot reads it: 0 none, 1 depends.
void write_matrix(const std::filesystem::path& path, const ag::AxisDependence& d) {
  std::ofstream file(path);
  for (ag::Size out = 0; out < d.outputs; ++out)
    for (ag::Size in = 0; in < d.inputs; ++in)
      file << d.depends(out, in) << (in + 1 < d.inputs ? ' ' : '\n');
}

// Pairs of a wrong and a right form, a row for each: what steps and what features they see.
std::filesystem::path draw(const std::vector<Case>& cases, const std::filesystem::path& folder) {
  const std::size_t rows = cases.size() / 2;
  int differ = 0;  // pairs that do not see the same
  for (std::size_t i = 0; i < cases.size(); i += 2) {
    const auto &wrong = cases[i].which, &right = cases[i + 1].which;
    differ += wrong.time.influence != right.time.influence ||
              wrong.feature.influence != right.feature.influence;
  }
  std::string script = fmt::format(R"(set terminal pngcairo size 1000,{} font 'DejaVu Sans,11'
set output 'which_axis.png'
set multiplot layout {},4 title 'As it goes round (left) and as it was meant (right): {} of {} see something else.  Blue: the output sees this input' font 'DejaVu Sans,13' noenhanced
set palette defined (0 '#f7fbff', 1 '#08519c')
set cbrange [0:1]
unset colorbox
set style fill solid border linecolor '#ffffff'
set tics out nomirror scale .4
set yrange [*:*] reverse
set ylabel 'output' offset 1.5,0
)",
                                   60 + 235 * rows, rows, differ, rows);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string name = fmt::format("which_axis.{}", i);
    const auto &time = cases[i].which.time, &feature = cases[i].which.feature;
    write_matrix(folder / (name + ".steps.dat"), time);
    write_matrix(folder / (name + ".features.dat"), feature);
    const auto plot = [&](const ag::AxisDependence& d, const char* what, const std::string& title) {
      script += fmt::format(
          "set title '{}' noenhanced\nset xlabel 'input {}' offset 0,.5\nset xrange [-.5:{}]\nset "
          "yrange [{}:-.5]\nset xtics 1\nset ytics 1\nplot '{}.{}.dat' matrix using "
          "1:2:($1-.5):($1+.5):($2-.5):($2+.5):3 with boxxyerror fillcolor palette notitle\n",
          title, what, static_cast<double>(d.inputs) - .5, static_cast<double>(d.outputs) - .5,
          name, what);
    };
    plot(time, "steps", cases[i].title);
    plot(feature, "features", " ");
  }
  script += "unset multiplot\n";
  return lesson::run_gnuplot(folder, "which_axis", script);
}

// The twelve systems in their right forms, a line for each.
std::vector<Case> systems() {
  using Mha = ag::MultiHeadAttention<double>;
  const ag::Shape shape{3, steps, features};
  const auto over_time = [](ag::Size output_dim) {
    return Mha({.num_heads = 2, .key_dim = 3, .embed_size = features, .output_dim = output_dim});
  };
  const auto over_features = [] {
    return Mha({.num_heads = 2, .key_dim = 3, .axis = ag::Axis::feature, .embed_size = steps});
  };
  return {
      {"1 MultiHeadAttention, time", ask(over_time(0))},
      {"2 MultiHeadAttention, feature", ask(over_features())},
      {"3 CorrelatedAttention",
       ask(ag::CorrelatedAttention<double>({.num_heads = 2, .key_dim = 3, .embed_size = steps}),
           shape, {.output_feature = 1})},
      {"4 the same as 1, causal",
       ask(Mha({.num_heads = 2, .key_dim = 3, .embed_size = features, .causal = true}))},
      {"5 PerVariableAttention",
       ask(ag::PerVariableAttention<double>({.num_heads = 2, .key_dim = 3, .embed_size = 3}))},
      {"6 the same as 1, to 8 features", ask(over_time(8))},
      {"7 VariableQueryAttention",
       ask(ag::VariableQueryAttention<double>(
               {.features = features, .num_heads = 2, .key_dim = 3, .output_dim = 5}),
           shape, {.output_time = 1, .output_feature = 3})},
      {"8 the same as 2, in x's shape", ask(over_features())},
      {"9 TimeAttentionBlock", ask(ag::TimeAttentionBlock<double>(steps))},
      {"10 Attention(units)", ask(ag::Attention<double>(features, 5))},
      {"11 FeatureAttentionBlock", ask(ag::FeatureAttentionBlock<double>(features))},
      {"12 DualStage",
       ask(ag::DualStage<double>({.features = features, .lstm_units = 5, .attention_units = 3}))},
  };
}

const char* word(Pattern pattern) {
  constexpr std::array words{"none", "apart", "moved", "mixed"};
  return words[static_cast<std::size_t>(pattern)];
}

std::string text(const auto& printable) {
  std::ostringstream out;
  out << printable;
  return out.str();
}

void print_table(const std::vector<Case>& cases) {
  fmt::print("{:<32}{:<13}{:<7}{:<10}{:<13}weights sum to 1 along\n", "", "output", "steps",
             "features", "later steps");
  for (const auto& [title, w] : cases) {
    std::string sums;
    for (const ag::WeightSums& s : w.weights) {
      sums += (sums.empty() ? "" : ", and ") + text(s.shape) + " axis";
      for (const int axis : s.axes) sums += ' ' + std::to_string(axis);
      sums += s.positions == steps ? ", steps" : s.positions == features ? ", features" : "";
    }
    fmt::print("{:<32}{:<13}{:<7}{:<10}{:<13}{}\n", title, text(w.output), word(w.time.pattern),
               word(w.feature.pattern),
               !w.sees_later   ? "-"
               : *w.sees_later ? "seen"
                               : "not seen",
               sums);
  }
  fmt::print("\n");
}

// Whether repeating by the number of features, where there are as many steps, gives what
// FeatureAttentionBlock gives with the same parameters.
bool repeats_rightly() {
  lesson::RepeatedFeatureBlock<double> repeated(features, features);
  ag::FeatureAttentionBlock<double> block(features, {.single_attention_vector = true});
  ag::initialise(ag::parameters(repeated), 5);
  block.kernel.set_value(repeated.dense.kernel.value());
  block.bias.set_value(repeated.dense.bias.value());
  const auto x = ag::constant(lesson::normal_values({3, features, features}));
  const auto difference = ag::abs(repeated.with_weights(x).out - block(x));
  return ag::max(difference).item() < 1e-15;
}

bool which_axis(const lesson::Options& options) {
  fmt::print("The twelve systems on x (3,{},{}): {} steps, {} features\n", steps, features, steps,
             features);
  const std::vector<Case> right = systems();
  print_table(right);
  std::string blind, apart;  // the systems whose steps see no later one; that keep features apart
  for (const auto& [title, w] : right) {
    const std::string number = title.substr(0, title.find(' ')) + ' ';
    if (w.sees_later == false) blind += number;
    if (w.feature.pattern == Pattern::own) apart += number;
  }
  bool all = lesson::claim(blind == "4 11 ",
                           "of those with a step for each step, only the causal attention and the "
                           "feature block see no later step");
  all &= lesson::claim(apart == "5 9 ",
                       "only the time block and per-variable attention keep features apart");

  fmt::print("\nCode that goes round, each beside the right form\n\n");
  using PerVariable = lesson::PerVariable<double>;
  using Repeated = lesson::RepeatedFeatureBlock<double>;
  const ag::MultiHeadAttentionOptions between{
      .num_heads = 3, .key_dim = 2, .axis = ag::Axis::feature, .embed_size = steps};
  const std::vector<Case> cases{
      {"reshape to (B,V,T,d)", ask(PerVariable(PerVariable::Reorder::by_reshape, 3))},
      {"transpose to (B,V,T,d)", ask(PerVariable(PerVariable::Reorder::by_transpose, 3))},
      {"time block, no Permute", ask(lesson::TimeBlockWithoutPermute<double>(features))},
      {"TimeAttentionBlock", ask(ag::TimeAttentionBlock<double>(steps))},
      {"softmax(scores (B,T,1), -1)", ask(lesson::PooledOverTime<double>(features, -1))},
      {"softmax(scores (B,T,1), time)",
       ask(lesson::PooledOverTime<double>(features, ag::Axis::time))},
      {"Keras, attention_axes=2", ask(lesson::KerasAttentionAxes2<double>(features, 3, 2))},
      {"axis = Axis::feature", ask(ag::MultiHeadAttention<double>(between))},
  };
  for (const Case& c : cases) print(c);

  // The fifth fits only where there are as many steps as features, and is right there.
  const Case square{"RepeatVector(input_dim), T = F = 4",
                    ask(Repeated(features, features), {3, features, features})};
  print(square);
  const std::string refused = lesson::refusal([] { return ask(Repeated(features, features)); });
  fmt::print("The same with T = {}, F = {}: {}\n\n", steps, features, refused);

  fmt::print("{}\n", draw(cases, options.out).string());
  const auto w = [&](std::size_t i) -> const ag::WhichAxis& { return cases[i].which; };
  all &= lesson::claim(
      w(0).output == w(1).output && w(0).feature.pattern == Pattern::mixed &&
          w(1).feature.pattern == Pattern::own,
      "reshaped in place of transposed, a variable's history holds values of other variables; the "
      "shapes are the same");
  all &= lesson::claim(
      w(2).weights.at(0).axes == std::vector{2} && w(3).weights.at(0).axes == std::vector{1},
      "without the Permute, time attention is attention over features");
  all &= lesson::claim(w(4).weights.at(0).positions == 1 && w(4).feature.pattern == Pattern::own &&
                           w(5).weights.at(0).axes == std::vector{1},
                       "the softmax of one score is 1: nothing is attended to");
  all &= lesson::claim(w(6).time.pattern == Pattern::own && w(6).weights.at(0).positions == 3 &&
                           w(7).weights.at(0).positions == features,
                       "Keras's attention_axes=2 lets the 3 heads of a step attend to each other; "
                       "axis = feature lets the 4 variables do so");
  all &= lesson::claim(
      refused == "[multiply] shapes do not broadcast: got (3,6,4) and (3,4,4)" && repeats_rightly(),
      "RepeatVector(input_dim) is the feature block where T = F, by luck, and is "
      "refused elsewhere");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Which axis does it look at?", which_axis);
}
