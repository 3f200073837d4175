// block -> LSTM layers -> last state -> dense: the models whose attention is a gate on the window.
#pragma once
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/dropout.hpp>
#include <axisgrad/nn/lstm.hpp>

#include "../models.hpp"

namespace forecast {

struct NoBlock {
  using scalar = float;
  explicit NoBlock(const ModelContext&) {}
  const Var<float>& operator()(const Var<float>& x) const { return x; }
  void visit(auto&&) {}
};

struct TimeBlock : axisgrad::TimeAttentionBlock<float> {
  explicit TimeBlock(const ModelContext& c) : TimeAttentionBlock(c.settings.lookback) {}
  std::vector<AttentionMap> maps(const Var<float>& x) const {
    return {{"time block", with_weights(x).weights, {"time", "feature"}, "time"}};
  }
};

struct FeatureBlock : axisgrad::FeatureAttentionBlock<float> {
  explicit FeatureBlock(const ModelContext& c) : FeatureAttentionBlock(c.variables) {}
  std::vector<AttentionMap> maps(const Var<float>& x) const {
    return {{"feature block", with_weights(x).weights, {"time", "feature"}, "feature"}};
  }
};

struct BothBlocks : axisgrad::BothAttentionBlocks<float> {
  explicit BothBlocks(const ModelContext& c)
      : BothAttentionBlocks(c.settings.lookback, c.variables) {}
  std::vector<AttentionMap> maps(const Var<float>& x) const {
    const auto both = with_weights(x);
    return {{"time weights", both.time_weights, {"time", "feature"}, "time"},
            {"feature weights", both.feature_weights, {"time", "feature"}, "feature"}};
  }
};

/// A stack of LSTM layers, with dropout behind each: (B,T,D) -> (B,T,units).
class LstmStack {
 public:
  using scalar = float;
  LstmStack(Size inputs, const Settings& s) : dropout_(s.dropout) {
    for (Size k = 0; k < s.layers; ++k)
      layers_.emplace_back(
          axisgrad::LstmOptions{.inputs = k == 0 ? inputs : s.units, .units = s.units});
  }
  [[nodiscard]] Var<float> sequence(Var<float> x) const {
    for (const auto& layer : layers_) x = dropout_(layer(x).sequence());
    return x;
  }
  [[nodiscard]] Var<float> last(Var<float> x) const {
    for (std::size_t k = 0; k + 1 < layers_.size(); ++k) x = dropout_(layers_[k](x).sequence());
    return dropout_(layers_.back()(x).last());
  }
  void visit(auto&& visitor) {
    for (std::size_t k = 0; k < layers_.size(); ++k) visitor(std::to_string(k), layers_[k]);
  }

 private:
  std::vector<axisgrad::LSTM<float>> layers_;
  axisgrad::Dropout dropout_;
};

/// (B, units) -> (B, horizon, targets)
class Head {
 public:
  using scalar = float;
  Head(Size inputs, const ModelContext& c)
      : horizon_(c.settings.horizon), width_(c.width()), dense_(inputs, horizon_ * width_) {}
  Var<float> operator()(const Var<float>& x) const {
    return reshape(dense_(x), {-1, horizon_, width_});
  }
  void visit(auto&& visitor) { dense_.visit(visitor); }

 private:
  Size horizon_, width_;
  axisgrad::Dense<float> dense_;
};

template <class Block>
class Recurrent {
 public:
  using scalar = float;
  explicit Recurrent(const ModelContext& c)
      : block_(c), lstm_(c.variables, c.settings), head_(c.settings.units, c) {}
  Var<float> operator()(const Var<float>& x) const { return head_(lstm_.last(block_(x))); }
  std::vector<AttentionMap> maps(const Var<float>& x) const {
    if constexpr (requires { block_.maps(x); })
      return block_.maps(x);
    else
      return (void)x, std::vector<AttentionMap>{};
  }
  void visit(auto&& visitor) {
    visitor("block", block_), visitor("lstm", lstm_), visitor("head", head_);
  }

 private:
  Block block_;
  LstmStack lstm_;
  Head head_;
};

}  // namespace forecast
