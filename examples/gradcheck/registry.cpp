// The modules and models that gradcheck checks. To add your own: one line here,
//   module("MyLayer", [] { return MyLayer<float>({.units = 3}); }, Shape{2, 5, 4}),
// with the shape of each input of a call. Small and uneven sizes: every element is checked.
#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/bidirectional.hpp>
#include <axisgrad/nn/correlated_attention.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/dropout.hpp>
#include <axisgrad/nn/itransformer.hpp>
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/per_variable_attention.hpp>
#include <axisgrad/nn/position.hpp>
#include <axisgrad/nn/variable_query_attention.hpp>

#include "make.hpp"

namespace checks {

using namespace axisgrad;

namespace {

// x and a mask (B,T) whose second sample ends early.
const Tensor<double> early_end({2, 4}, {1, 1, 1, 1, 1, 1, 0, 0});
template <Scalar T>
Var<T> mask_like(const Var<T>&) {
  return constant(Tensor<T>(early_end.shape(), std::vector<T>(early_end.begin(), early_end.end())));
}

}  // namespace

std::vector<Check> module_checks() {
  return {
      module(
          "Dense", [] { return Dense<float>(4, 3); }, Shape{2, 5, 4}),
      module(
          "Dense, no bias", [] { return Dense<float>(4, 3, {.use_bias = false}); }, Shape{2, 4}),
      module(
          "Dense, tanh", [] { return Dense<float>(4, 3, {.activation = Activation::tanh}); },
          Shape{2, 5, 4}),
      module(
          "Dense, relu", [] { return Dense<float>(4, 3, {.activation = Activation::relu}); },
          Shape{2, 5, 4}),
      module(
          "Dense, gelu", [] { return Dense<float>(4, 3, {.activation = Activation::gelu}); },
          Shape{2, 5, 4}),
      module(
          "Activate, softmax over time",
          [] {
            return Activate{Activation::softmax, Axis::time};
          },
          Shape{2, 5, 3}),
      module(
          "Flatten", [] { return Flatten{}; }, Shape{2, 4, 3}),
      in_training(module(
          "Dropout", [] { return Dropout(.4); }, Shape{2, 4, 3})),
      in_training(module(
          "Dropout, shared over time", [] { return Dropout(.4, {.shared = Axis::time}); },
          Shape{2, 4, 3})),
      module(
          "LayerNormalization", [] { return LayerNormalization<float>({5}); }, Shape{2, 3, 5}),
      module(
          "LayerNormalization, two axes",
          [] {
            return LayerNormalization<float>({3, 5}, {.axes = {1, 2}});
          },
          Shape{2, 3, 5}),
      module(
          "PositionEmbedding, time",
          [] { return PositionEmbedding<float>({.positions = 5, .size = 3}); }, Shape{2, 4, 3}),
      module(
          "PositionEmbedding, variables",
          [] {
            return PositionEmbedding<float>({.axis = Axis::feature, .positions = 3, .size = 4});
          },
          Shape{2, 4, 3}),
      module(
          "SinusoidalPosition", [] { return SinusoidalPosition({.positions = 4, .size = 3}); },
          Shape{2, 4, 3}),
      module(
          "LSTM", [] { return LSTM<float>({.inputs = 3, .units = 2}); }, Shape{2, 4, 3}),
      module(
          "LSTM, no bias", [] { return LSTM<float>({.inputs = 3, .units = 2, .use_bias = false}); },
          Shape{2, 4, 3}),
      module(
          "LSTM, backwards",
          [] { return LSTM<float>({.inputs = 3, .units = 2, .go_backwards = true}); },
          Shape{2, 4, 3}),
      module_called(
          "LSTM, initial state", [] { return LSTM<float>({.inputs = 3, .units = 2}); },
          [](const auto& lstm, const auto& x, const auto& h, const auto& c) {
            return lstm(x, {.initial_state = {{h, c}}}).sequence();
          },
          Shape{2, 4, 3}, Shape{2, 2}, Shape{2, 2}),
      module_called(
          "LSTM, masked", [] { return LSTM<float>({.inputs = 3, .units = 2}); },
          [](const auto& lstm, const auto& x) {
            return lstm(x, {.mask = mask_like(x)}).sequence();
          },
          Shape{2, 4, 3}),
      in_training(module(
          "LSTM, dropout",
          [] {
            return LSTM<float>({.inputs = 3, .units = 2, .dropout = .3, .recurrent_dropout = .4});
          },
          Shape{2, 4, 3})),
      module(
          "Bidirectional, concat", [] { return Bidirectional<float>({.inputs = 3, .units = 2}); },
          Shape{2, 3, 3}),
      module(
          "Bidirectional, mul",
          [] { return Bidirectional<float>({.inputs = 3, .units = 2, .merge = Merge::mul}); },
          Shape{2, 3, 3}),
      module_called(
          "Bidirectional, masked",
          [] { return Bidirectional<float>({.inputs = 3, .units = 2, .merge = Merge::ave}); },
          [](const auto& both, const auto& x) {
            return both(x, {.mask = mask_like(x)}).sequence();
          },
          Shape{2, 4, 3}),
      module(
          "MultiHeadAttention, time",
          [] { return MultiHeadAttention<float>({.num_heads = 2, .key_dim = 3, .embed_size = 4}); },
          Shape{2, 3, 4}),
      module(
          "MultiHeadAttention, feature",
          [] {
            return MultiHeadAttention<float>(
                {.num_heads = 2, .key_dim = 3, .axis = Axis::feature, .embed_size = 3});
          },
          Shape{2, 3, 4}),
      module(
          "MultiHeadAttention, feature, other width",
          [] {
            return MultiHeadAttention<float>({.num_heads = 2,
                                              .key_dim = 2,
                                              .value_dim = 3,
                                              .axis = Axis::feature,
                                              .embed_size = 3,
                                              .output_dim = 5,
                                              .use_bias = false});
          },
          Shape{2, 3, 4}),
      module(
          "MultiHeadAttention, causal",
          [] {
            return MultiHeadAttention<float>(
                {.num_heads = 2, .key_dim = 3, .embed_size = 4, .causal = true});
          },
          Shape{2, 3, 4}),
      module(
          "MultiHeadAttention, each variable over time",
          [] {
            return MultiHeadAttention<float>(
                {.num_heads = 2, .key_dim = 2, .axis = Axis::time, .embed_size = 3});
          },
          Shape{2, 4, 2, 3}),
      module(
          "MultiHeadAttention, time and variables",
          [] {
            return MultiHeadAttention<float>(
                {.num_heads = 2, .key_dim = 2, .axis = {1, 2}, .embed_size = 3});
          },
          Shape{2, 2, 2, 3}),
      module(
          "MultiHeadAttention, cross",
          [] {
            return MultiHeadAttention<float>({.num_heads = 2,
                                              .key_dim = 2,
                                              .embed_size = 3,
                                              .key_embed_size = 4,
                                              .value_embed_size = 2});
          },
          Shape{2, 3, 3}, Shape{2, 4, 4}, Shape{2, 4, 2}),
      module_called(
          "MultiHeadAttention, padding mask",
          [] { return MultiHeadAttention<float>({.num_heads = 2, .key_dim = 2, .embed_size = 3}); },
          [](const auto& attention, const auto& x) { return attention(x, {.mask = mask_like(x)}); },
          Shape{2, 4, 3}),
      module_called(
          "MultiHeadAttention, additive mask",
          [] { return MultiHeadAttention<float>({.num_heads = 2, .key_dim = 2, .embed_size = 3}); },
          [](const auto& attention, const auto& x, const auto& mask) {
            return attention(x, {.additive_mask = mask});
          },
          Shape{2, 4, 3}, Shape{2, 4, 4}),
      in_training(module(
          "MultiHeadAttention, dropout",
          [] {
            return MultiHeadAttention<float>(
                {.num_heads = 2, .key_dim = 2, .embed_size = 3, .dropout = .3});
          },
          Shape{2, 4, 3})),
      module(
          "TimeAttentionBlock", [] { return TimeAttentionBlock<float>(4); }, Shape{2, 4, 3}),
      module(
          "TimeAttentionBlock, single vector",
          [] { return TimeAttentionBlock<float>(4, {.single_attention_vector = true}); },
          Shape{2, 4, 3}),
      module(
          "FeatureAttentionBlock", [] { return FeatureAttentionBlock<float>(3); }, Shape{2, 4, 3}),
      module(
          "FeatureAttentionBlock, single vector",
          [] { return FeatureAttentionBlock<float>(3, {.single_attention_vector = true}); },
          Shape{2, 4, 3}),
      module(
          "BothAttentionBlocks, product", [] { return BothAttentionBlocks<float>(4, 3); },
          Shape{2, 4, 3}),
      module(
          "BothAttentionBlocks, time then feature",
          [] { return BothAttentionBlocks<float>(4, 3, {.form = BothForm::time_then_feature}); },
          Shape{2, 4, 3}),
      module(
          "BothAttentionBlocks, feature then time",
          [] { return BothAttentionBlocks<float>(4, 3, {.form = BothForm::feature_then_time}); },
          Shape{2, 4, 3}),
      module(
          "BothAttentionBlocks, joint",
          [] { return BothAttentionBlocks<float>(4, 3, {.form = BothForm::joint}); },
          Shape{2, 4, 3}),
      module(
          "Attention, luong", [] { return Attention<float>(3, 2); }, Shape{2, 4, 3}),
      module(
          "Attention, bahdanau",
          [] { return Attention<float>(3, 2, {.score = AttentionScore::bahdanau}); },
          Shape{2, 4, 3}),
      module(
          "PerVariableAttention, one lift",
          [] {
            return PerVariableAttention<float>({.num_heads = 2, .key_dim = 2, .embed_size = 3});
          },
          Shape{2, 4, 2}),
      module(
          "PerVariableAttention, a lift for each variable",
          [] {
            return PerVariableAttention<float>({.num_heads = 2,
                                                .key_dim = 2,
                                                .embed_size = 3,
                                                .lift = Lift::separate,
                                                .variables = 2});
          },
          Shape{2, 4, 2}),
      module(
          "PerVariableAttention, rank 4",
          [] {
            return PerVariableAttention<float>(
                {.num_heads = 2, .key_dim = 2, .embed_size = 3, .lift = Lift::none});
          },
          Shape{2, 4, 2, 3}),
      module(
          "VariableQueryAttention",
          [] {
            return VariableQueryAttention<float>(
                {.features = 2, .num_heads = 2, .key_dim = 2, .output_dim = 3});
          },
          Shape{2, 3, 2}),
      module(
          "pearson_correlation",
          [] { return [](const auto& x) { return pearson_correlation(x, Axis::feature); }; },
          Shape{2, 5, 3}),
      module(
          "CorrelatedAttention",
          [] {
            return CorrelatedAttention<float>(
                {.num_heads = 2, .key_dim = 2, .embed_size = 4, .output_dim = 5});
          },
          Shape{2, 4, 3}),
      module(
          "EncoderLayer",
          [] { return EncoderLayer<float>({.d_model = 4, .num_heads = 2, .d_ff = 3}); },
          Shape{2, 3, 4}),
  };
}

}  // namespace checks
