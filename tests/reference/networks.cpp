// Many-to-one attention and the networks made of several blocks.
#include <axisgrad/nn/dual_stage.hpp>
#include <axisgrad/nn/dual_stage_rnn.hpp>
#include <axisgrad/nn/itransformer.hpp>

#include "activations.hpp"
#include "block.hpp"
#include "scores.hpp"

namespace axisgrad::reference {
namespace {

// (batch, time, feature), whose sizes the options leave out.
template <Scalar T>
Var<T> sequence(Case<T>& c) {
  const Var<T> x = c.input("x");
  if (x.rank() != 3) fail("golden", "x has the shape ", x.shape(), ", expected rank 3");
  return x;
}

template <Scalar T>
void many_to_one(Case<T>& c) {
  const Var<T> x = sequence(c);
  Attention<T> module(x.size(2), c.options.size("units"), {.score = score_of(c.options)});
  c.load(module);
  const auto y = module.with_weights(x);
  c.output("out", y.out), c.output("alpha", y.weights), c.output("scores", y.scores);
}

template <Scalar T>
void dual_stage(Case<T>& c) {
  const Var<T> x = sequence(c);
  const auto second =
      c.options.choice("second", Choices<SecondStage>{{"attention", SecondStage::attention},
                                                      {"time_block", SecondStage::time_block}});
  const bool attends = second == SecondStage::attention;
  DualStageOptions o{.features = x.size(2),
                     .lstm_units = c.options.size("lstm_units"),
                     .second = second,
                     .outputs = c.shape("dense.bias").size()};
  if (attends)
    o.score = score_of(c.options), o.attention_units = c.options.size("attention_units");
  else
    o.time_steps = x.size(1);
  // A file may describe the attention that a network with a time block has not.
  for (const char* name : {"score", "attention_units"}) static_cast<void>(c.options.has(name));
  DualStage<T> module(o);
  c.load(module);
  const auto y = module.with_weights(x);
  c.output("out", y.out), c.output("feature_attention", y.feature_weights);
  c.output(attends ? "alpha" : "time_attention", y.time_weights);
}

template <Scalar T>
void dual_stage_rnn(Case<T>& c) {
  const Var<T> x = sequence(c);
  // include_current says how x was cut from the series: nothing that is done here depends on it.
  DualStageRNN<T> module({.time_steps = x.size(1),
                          .series = x.size(2),
                          .encoder_units = c.options.size("encoder_units"),
                          .decoder_units = c.options.size("decoder_units"),
                          .include_current = c.options.flag("include_current", false)});
  c.load(module);
  const auto y = module.with_weights(x, c.input("y_prev"));
  c.output("out", y.out), c.output("alpha", y.alpha), c.output("beta", y.beta);
  c.output("encoder_states", y.encoder_states);
}

ITransformerOptions itransformer_options(Options& options, Size time_steps) {
  return {
      .time_steps = time_steps,
      .horizon = options.size("horizon"),
      .d_model = options.size("d_model"),
      .num_heads = options.size("num_heads"),
      .d_ff = options.size("d_ff"),
      .layers = options.size("layers"),
      .activation = options.choice("activation", activations(), std::optional(Activation::none)),
      .layer_norm_epsilon = options.number("layer_norm_epsilon"),
      .instance_norm_epsilon = options.number("instance_norm_epsilon"),
      .instance_norm_gradient = options.choice(
          "instance_norm_gradient",
          Choices<InstanceNormGradient>{{"full", InstanceNormGradient::full},
                                        {"detach_mean", InstanceNormGradient::detach_mean},
                                        {"detach_both", InstanceNormGradient::detach_both}},
          std::optional(InstanceNormGradient::full))};
}

template <Scalar T>
std::map<std::string, Var<T>> outputs_of(const AttendedByLayer<T>& y) {
  std::map<std::string, Var<T>> all{{"out", y.out}};
  for (std::size_t k = 0; k < y.weights.size(); ++k)
    all.emplace("weights." + std::to_string(k), y.weights[k]);
  return all;
}

template <Scalar T>
void itransformer(Case<T>& c) {
  const Var<T> x = sequence(c);
  const ITransformerOptions options = itransformer_options(c.options, x.size(1));
  // First, since its parameters then make place for those of the model that is compared otherwise.
  if (c.holds("grad_detached_mean.x")) {
    ITransformerOptions published = options;
    published.instance_norm_gradient = InstanceNormGradient::detach_mean;
    ITransformer<T> module(published);
    c.load(module);
    c.gradients_of("grad_detached_mean", outputs_of(module.with_weights(x)));
  }
  ITransformer<T> module(options);
  c.load(module);
  for (const auto& [name, y] : outputs_of(module.with_weights(x))) c.output(name, y);
}

}  // namespace

std::span<const Block> networks() {
  static constexpr Block all[]{{"Attention", many_to_one, many_to_one},
                               {"DualStage", dual_stage, dual_stage},
                               {"DualStageRNN", dual_stage_rnn, dual_stage_rnn},
                               {"ITransformer", itransformer, itransformer}};
  return all;
}

}  // namespace axisgrad::reference
