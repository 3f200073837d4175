// LSTM states scored against the last one (Luong, Bahdanau), also behind a gate on the variables.
#pragma once
#include <axisgrad/nn/attention.hpp>

#include "blocks.hpp"

namespace forecast {

/// block -> LSTM layers, all states -> attention over them -> dense. With a feature block in front
/// it is the simple form of the dual-stage network.
template <class Block, axisgrad::AttentionScore score>
class ManyToOne {
 public:
  using scalar = float;
  explicit ManyToOne(const ModelContext& c)
      : block_(c),
        lstm_(c.variables, c.settings),
        attention_(c.settings.units, c.settings.units, {.score = score}),
        head_(c.settings.units, c) {}
  Var<float> operator()(const Var<float>& x) const {
    return head_(attention_(lstm_.sequence(block_(x))));
  }
  std::vector<AttentionMap> maps(const Var<float>& x) const {
    std::vector<AttentionMap> maps;
    if constexpr (requires { block_.maps(x); }) maps = block_.maps(x);
    maps.push_back({"attention over states",
                    attention_.with_weights(lstm_.sequence(block_(x))).weights,
                    {"time"},
                    "time"});
    return maps;
  }
  void visit(auto&& visitor) {
    visitor("block", block_), visitor("lstm", lstm_), visitor("attention", attention_);
    visitor("head", head_);
  }

 private:
  Block block_;
  LstmStack lstm_;
  axisgrad::Attention<float> attention_;
  Head head_;
};

}  // namespace forecast
