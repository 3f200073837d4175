// iTransformer (Liu et al. 2023, arXiv 2310.06625): a transformer whose tokens are the variables.
#pragma once
#include <axisgrad/nn/itransformer.hpp>

#include "linear.hpp"

namespace forecast {

/// --layers encoder layers of --units and --heads. It begins as PyTorch's layers do: under a
/// learning rate that is halved every epoch Keras's first values are worse by .01 on ETTh1. It
/// normalises each window itself.
class VariableTransformer {
 public:
  using scalar = float;
  explicit VariableTransformer(const ModelContext& c)
      : targets_(c.targets),
        network_({.time_steps = c.settings.lookback,
                  .horizon = c.settings.horizon,
                  .d_model = c.settings.units,
                  .num_heads = c.settings.heads,
                  .d_ff = c.settings.units,
                  .layers = c.settings.layers,
                  .dropout = c.settings.dropout,
                  .initialisation = axisgrad::Initialisation::torch}) {}
  Var<float> operator()(const Var<float>& x) const {
    return take(network_(x), targets_, axisgrad::Axis::feature);
  }
  std::vector<AttentionMap> maps(const Var<float>& x) const {
    const auto weights = network_.with_weights(x).weights;
    std::vector<AttentionMap> maps;
    for (std::size_t k = 0; k < weights.size(); ++k)
      // In front of the last layer every variable reaches the forecast.
      maps.push_back({"layer " + std::to_string(k),
                      weights[k],
                      {"head", "feature", "feature"},
                      "feature",
                      k + 1 < weights.size() ? std::vector<Size>{} : targets_});
    return maps;
  }
  void visit(auto&& visitor) { network_.visit(visitor); }

 private:
  std::vector<Size> targets_;
  axisgrad::ITransformer<float> network_;
};

}  // namespace forecast
