#include "models.hpp"

#include <axisgrad/autograd/error.hpp>

#include "models/attention.hpp"
#include "models/blocks.hpp"
#include "models/itransformer.hpp"
#include "models/linear.hpp"

namespace forecast {
namespace {

template <class M>
std::unique_ptr<Network> make(const ModelContext& context) {
  return std::make_unique<NetworkOf<M>>(context);
}

}  // namespace

const std::vector<ModelInfo>& models() {
  static const std::vector<ModelInfo> list{
      {"repeat", "the last value, again and again", "-", true, make<Repeat>},
      {"seasonal", "the last season, again and again", "-", true, make<Seasonal>},
      {"linear", "least squares: one matrix lookback x horizon shared by the variables, ridge", "-",
       true, make<Linear>},
      {"dlinear", "moving average and remainder, a trained matrix for each (Zeng et al. 2022)", "-",
       false, make<DLinear>},
      {"lstm", "LSTM, its last state through a dense layer", "-", false, make<Recurrent<NoBlock>>},
      {"time-block", "a softmax gate over the steps of each variable, then LSTM", "time", false,
       make<Recurrent<TimeBlock>>},
      {"feature-block", "a softmax gate over the variables of each step, then LSTM", "feature",
       false, make<Recurrent<FeatureBlock>>},
      {"both-blocks", "the product of both gates, then LSTM", "time and feature", false,
       make<Recurrent<BothBlocks>>},
      {"mha-time", "multi-head attention: steps look at steps", "time", false, make<MhaTime>},
      {"mha-feature", "multi-head attention: variables look at variables", "feature", false,
       make<MhaFeature>},
      {"itransformer", "a transformer whose tokens are the variables (Liu et al. 2023)", "feature",
       false, make<ITransformer>},
  };
  return list;
}

const ModelInfo& find_model(const std::string& name) {
  std::string names;
  for (const ModelInfo& info : models()) {
    if (name == info.name) return info;
    names += std::string(names.empty() ? "" : ", ") + info.name;
  }
  axisgrad::fail("forecast", "there is no model '", name, "'; there are: ", names);
}

}  // namespace forecast
