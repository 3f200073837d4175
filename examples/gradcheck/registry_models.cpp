// The models that gradcheck checks: compositions, added by one line as the modules of registry.cpp.
#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/dropout.hpp>
#include <axisgrad/nn/dual_stage.hpp>
#include <axisgrad/nn/dual_stage_rnn.hpp>
#include <axisgrad/nn/itransformer.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/sequential.hpp>

#include "make.hpp"

namespace checks {

using namespace axisgrad;

namespace {

Check called(const std::string& name, auto make, auto call, auto... shapes) {
  Check check = module_called(name, make, call, shapes...);
  check.kind = "model";
  return check;
}

DualStageRNN<float> dual_stage_rnn(bool include_current) {
  return DualStageRNN<float>({.time_steps = 3,
                              .series = 2,
                              .encoder_units = 2,
                              .decoder_units = 2,
                              .include_current = include_current});
}
// From the series and the target of T + 1 steps: what window() cuts decides what has a gradient.
Check dual_stage_windows(const std::string& name, bool include_current) {
  return called(
      name, [=] { return dual_stage_rnn(include_current); },
      [](const auto& network, const auto& series, const auto& target) {
        const auto w = network.window(series, target);
        return std::vector{network(w.x, w.y_prev), w.target};
      },
      Shape{2, 4, 2}, Shape{2, 4});
}

ITransformer<float> itransformer(auto change) {
  ITransformerOptions o{.time_steps = 5, .horizon = 2, .d_model = 4, .num_heads = 2, .d_ff = 3};
  change(o);
  return ITransformer<float>(o);
}
// Where the gradient is cut on purpose, differences can judge the parameters alone: the window is
// always the same, on the tape but without a gradient, and the input an addend.
Check itransformer_cut(const std::string& name, InstanceNormGradient gradient) {
  return called(
      name, [=] { return itransformer([=](auto& o) { o.instance_norm_gradient = gradient; }); },
      []<Scalar T>(const auto& network, const Var<T>& addend) {
        const Var<T> window = constant(Tensor<T>(normal_values({2, 5, 3}, 7)));
        return network(window + sum(stop_gradient(addend)) * T(0)) + addend;
      },
      Shape{2, 2, 3});
}

}  // namespace

std::vector<Check> model_checks() {
  return {
      model(
          "time block -> LSTM -> Dense",
          [] {
            return Sequential(TimeAttentionBlock<float>(4),
                              last(LSTM<float>({.inputs = 3, .units = 2})), Dense<float>(2, 1));
          },
          Shape{2, 4, 3}),
      model(
          "LSTM -> time block -> Flatten -> Dense",
          [] {
            return Sequential(sequence(LSTM<float>({.inputs = 3, .units = 2})),
                              TimeAttentionBlock<float>(4), Flatten{}, Dense<float>(8, 1));
          },
          Shape{2, 4, 3}),
      model(
          "feature block -> LSTM -> Dense",
          [] {
            return Sequential(FeatureAttentionBlock<float>(3),
                              last(LSTM<float>({.inputs = 3, .units = 2})), Dense<float>(2, 1));
          },
          Shape{2, 4, 3}),
      model(
          "LSTM -> LSTM -> Dense",
          [] {
            return Sequential(sequence(LSTM<float>({.inputs = 3, .units = 2})),
                              last(LSTM<float>({.inputs = 2, .units = 2})), Dense<float>(2, 1));
          },
          Shape{2, 4, 3}),
      in_training(model(
          "Dense -> relu -> Dropout -> Dense",
          [] {
            return Sequential(Dense<float>(3, 4), Activate{Activation::relu}, Dropout(.3),
                              Dense<float>(4, 2));
          },
          Shape{3, 3})),
      model(
          "DualStage, attention",
          [] { return DualStage<float>({.features = 3, .lstm_units = 2, .attention_units = 2}); },
          Shape{2, 4, 3}),
      model(
          "DualStage, attention, bahdanau",
          [] {
            return DualStage<float>({.features = 3,
                                     .lstm_units = 2,
                                     .score = AttentionScore::bahdanau,
                                     .attention_units = 2});
          },
          Shape{2, 4, 3}),
      model(
          "DualStage, time block",
          [] {
            return DualStage<float>({.features = 3,
                                     .lstm_units = 2,
                                     .second = SecondStage::time_block,
                                     .time_steps = 4});
          },
          Shape{2, 4, 3}),
      model(
          "DualStageRNN", [] { return dual_stage_rnn(false); }, Shape{2, 3, 2}, Shape{2, 3}),
      dual_stage_windows("DualStageRNN, windows without the current values", false),
      dual_stage_windows("DualStageRNN, windows with the current values", true),
      model(
          "ITransformer", [] { return itransformer([](auto&) {}); }, Shape{2, 5, 3}),
      model(
          "ITransformer, as PyTorch begins",
          [] { return itransformer([](auto& o) { o.initialisation = Initialisation::torch; }); },
          Shape{2, 5, 3}),
      model(
          "ITransformer, two layers, relu, identity embeddings",
          [] {
            return itransformer([](auto& o) {
              o.layers = 2, o.activation = Activation::relu;
              o.identity_embeddings = true, o.variables = 3;
            });
          },
          Shape{2, 5, 3}),
      itransformer_cut("ITransformer, no gradient through the window's mean",
                       InstanceNormGradient::detach_mean),
      itransformer_cut("ITransformer, no gradient through mean and deviation",
                       InstanceNormGradient::detach_both),
      in_training(model(
          "ITransformer, identity embeddings, dropout",
          [] {
            return itransformer(
                [](auto& o) { o.dropout = .3, o.identity_embeddings = true, o.variables = 2; });
          },
          Shape{2, 5, 2})),
  };
}

}  // namespace checks
