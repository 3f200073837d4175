// Models of tokens that look at each other: steps, or variables.
#pragma once
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/position.hpp>

#include "blocks.hpp"

namespace forecast {

/// --units over --heads; Error when they do not divide.
[[nodiscard]] Size key_dim(const Settings& s);

/// Attention among tokens (B, tokens, units), their sum with it normalised, and its weights (B,
/// heads, tokens, tokens).
class TokenAttention {
 public:
  using scalar = float;
  explicit TokenAttention(const Settings& s);
  Var<float> operator()(const Var<float>& tokens) const;
  Var<float> weights(const Var<float>& tokens) const {
    return attention_.with_weights(tokens).weights;
  }
  void visit(auto&& visitor) { visitor("attention", attention_), visitor("norm", norm_); }

 private:
  axisgrad::MultiHeadAttention<float> attention_;
  axisgrad::LayerNormalization<float> norm_;
  axisgrad::Dropout dropout_;
};

/// Each step a token: dense to `units`, a learned vector for its position, attention among steps,
/// the last step through a dense layer.
class MhaTime {
 public:
  using scalar = float;
  explicit MhaTime(const ModelContext& c)
      : embed_(c.variables, c.settings.units),
        position_({.axis = axisgrad::Axis::time,
                   .positions = c.settings.lookback,
                   .size = c.settings.units}),
        attention_(c.settings),
        head_(c.settings.units, c) {}
  Var<float> operator()(const Var<float>& x) const;
  std::vector<AttentionMap> maps(const Var<float>& x) const {
    const Size last = x.shape()[1] - 1;
    return {{"attention", attention_.weights(tokens(x)), {"head", "time", "time"}, "time", {last}}};
  }
  void visit(auto&& visitor) {
    visitor("embed", embed_), visitor("position", position_), visitor("attention", attention_);
    visitor("head", head_);
  }

 private:
  Var<float> tokens(const Var<float>& x) const { return position_(embed_(x)); }

  axisgrad::Dense<float> embed_;
  axisgrad::PositionEmbedding<float> position_;
  TokenAttention attention_;
  Head head_;
};

/// Each variable a token: dense from its whole window to `units`, a learned vector that says which
/// variable it is (without it attention among variables says little), attention among variables,
/// one dense layer for all from `units` to the horizon.
class MhaFeature {
 public:
  using scalar = float;
  explicit MhaFeature(const ModelContext& c)
      : targets_(c.targets),
        embed_(c.settings.lookback, c.settings.units),
        identity_({.axis = 1, .positions = c.variables, .size = c.settings.units}),
        attention_(c.settings),
        head_(c.settings.units, c.settings.horizon) {}
  Var<float> operator()(const Var<float>& x) const;
  std::vector<AttentionMap> maps(const Var<float>& x) const {
    return {{"attention",
             attention_.weights(tokens(x)),
             {"head", "feature", "feature"},
             "feature",
             targets_}};
  }
  void visit(auto&& visitor) {
    visitor("embed", embed_), visitor("identity", identity_), visitor("attention", attention_);
    visitor("head", head_);
  }

 private:
  Var<float> tokens(const Var<float>& x) const { return identity_(embed_(swap_axes(x, 1, 2))); }

  std::vector<Size> targets_;
  axisgrad::Dense<float> embed_;
  axisgrad::PositionEmbedding<float> identity_;
  TokenAttention attention_;
  axisgrad::Dense<float> head_;
};

}  // namespace forecast
