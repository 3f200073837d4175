// The models that are timed, made of the library's modules. Each is a module itself.
#pragma once
#include <axisgrad/axisgrad.hpp>

namespace bench {

namespace ag = axisgrad;
using ag::Axis;
using ag::Size;

/// LSTM -> attention over its time steps -> Dense: x (B,20,2).
template <class T>
struct TimeBlock {
  using scalar = T;
  ag::LSTM<T> lstm{{.inputs = 2, .units = 32}};
  ag::TimeAttentionBlock<T> block{20};
  ag::Dense<T> out{640, 1};
  auto operator()(auto x) const { return out(ag::flatten(block(lstm(x).sequence()))); }
  void visit(auto&& v) { v("lstm", lstm), v("block", block), v("out", out); }
};

/// Attention over features -> LSTM -> Dense: x (B,20,10).
struct FeatureBlock {
  using scalar = float;
  ag::FeatureAttentionBlock<float> block{10};
  ag::LSTM<float> lstm{{.inputs = 10, .units = 32}};
  ag::Dense<float> out{32, 1};
  auto operator()(auto x) const { return out(lstm(block(x)).last()); }
  void visit(auto&& v) { v("block", block), v("lstm", lstm), v("out", out); }
};

/// LSTM -> attention of its last step to all -> dropout -> Dense: x (B,T,1).
template <Size Units, Size Attended>
struct ManyToOne {
  using scalar = float;
  explicit ManyToOne(ag::AttentionScore score, double rate)
      : attention(Units, Attended, {.score = score}), drop(rate) {}
  ag::LSTM<float> lstm{{.inputs = 1, .units = Units}};
  ag::Attention<float> attention;
  ag::Dropout drop;
  ag::Dense<float> out{Attended, 1};
  auto operator()(auto x) const { return out(drop(attention(lstm(x).sequence()))); }
  void visit(auto&& v) { v("lstm", lstm), v("attention", attention), v("out", out); }
};
struct Luong : ManyToOne<64, 32> {
  Luong() : ManyToOne(ag::AttentionScore::luong, 0) {}
};
struct Bahdanau : ManyToOne<100, 128> {
  Bahdanau() : ManyToOne(ag::AttentionScore::bahdanau, .2) {}
};

/// DA-RNN: x (B,10,81), past of the target (B,10).
struct DaRnn : ag::DualStageRNN<float> {
  DaRnn()
      : DualStageRNN({.time_steps = 10, .series = 81, .encoder_units = 64, .decoder_units = 64}) {}
};

/// x (B,96,V) -> (B,96,V), as the peers have it: no gradient through the windows' normalisation.
template <Size Width, Size Layers>
struct Inverted : ag::ITransformer<float> {
  Inverted()
      : ITransformer({.time_steps = 96,
                      .horizon = 96,
                      .d_model = Width,
                      .num_heads = 8,
                      .d_ff = Width,
                      .layers = Layers,
                      .dropout = .1,
                      .instance_norm_gradient = ag::InstanceNormGradient::detach_both}) {}
};

/// Multi-head attention among the time steps: x (B,4,12).
struct OverTime {
  using scalar = float;
  ag::MultiHeadAttention<float> attention{
      {.num_heads = 8, .embed_dim = 64, .axis = Axis::time, .embed_size = 12, .output_dim = 64}};
  ag::Dense<float> out{256, 1};
  auto operator()(auto x) const { return out(ag::flatten(attention(x))); }
  void visit(auto&& v) { v("attention", attention), v("out", out); }
};

/// Multi-head attention among the variables, its output shaped as x (B,4,12).
struct OverVariables {
  using scalar = float;
  ag::MultiHeadAttention<float> attention{
      {.num_heads = 8, .embed_dim = 64, .axis = Axis::feature, .embed_size = 4, .output_dim = 4}};
  ag::Dense<float> out{48, 1};
  auto operator()(auto x) const { return out(ag::flatten(attention(x))); }
  void visit(auto&& v) { v("attention", attention), v("out", out); }
};

/// LSTM(256) -> Dense: x (B,100,64).
struct LongLstm {
  using scalar = float;
  ag::LSTM<float> lstm{{.inputs = 64, .units = 256}};
  ag::Dense<float> out{256, 1};
  auto operator()(auto x) const { return out(lstm(x).last()); }
  void visit(auto&& v) { v("lstm", lstm), v("out", out); }
};

}  // namespace bench
