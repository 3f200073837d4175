#include "models.hpp"

#include <axisgrad/autograd/error.hpp>

#include "models/attention.hpp"
#include "models/blocks.hpp"
#include "models/da_rnn.hpp"
#include "models/itransformer.hpp"
#include "models/linear.hpp"
#include "models/many_to_one.hpp"

namespace forecast {
namespace {

constexpr auto luong = axisgrad::AttentionScore::luong;
constexpr auto bahdanau = axisgrad::AttentionScore::bahdanau;

template <class M>
std::unique_ptr<Network> make(const ModelContext& context) {
  return std::make_unique<NetworkOf<M>>(context);
}

}  // namespace

const std::vector<ModelInfo>& models() {
  static const std::vector<ModelInfo> list{
      {"repeat", "the last value, again and again", "-", Kind::rule, make<Repeat>},
      {"seasonal", "the last season, again and again", "-", Kind::rule, make<Seasonal>},
      {"linear", "least squares: one matrix lookback x horizon shared by the variables, ridge", "-",
       Kind::rule, make<Linear>},
      {"dlinear", "moving average and remainder, a trained matrix for each (Zeng et al. 2022)", "-",
       Kind::network, make<DLinear>},
      {"lstm", "LSTM, its last state through a dense layer", "-", Kind::network,
       make<Recurrent<NoBlock>>},
      {"time-block", "a softmax gate over the steps of each variable, then LSTM", "time",
       Kind::network, make<Recurrent<TimeBlock>>},
      {"feature-block", "a softmax gate over the variables of each step, then LSTM", "feature",
       Kind::network, make<Recurrent<FeatureBlock>>},
      {"both-blocks", "the product of both gates, then LSTM", "time and feature", Kind::network,
       make<Recurrent<BothBlocks>>},
      {"luong", "LSTM, its states scored against the last one (Luong et al. 2015)", "time",
       Kind::network, make<ManyToOne<NoBlock, luong>>},
      {"bahdanau", "LSTM, its states scored by a small network (Bahdanau et al. 2015)", "time",
       Kind::network, make<ManyToOne<NoBlock, bahdanau>>},
      {"mha-time", "multi-head attention: steps look at steps", "time", Kind::network,
       make<MhaTime>},
      {"mha-feature", "multi-head attention: variables look at variables", "feature", Kind::network,
       make<MhaFeature>},
      {"dual-stage", "a gate over the variables, LSTM, Luong attention over its states",
       "time and feature", Kind::network, make<ManyToOne<FeatureBlock, luong>>},
      {"da-rnn", "attention within two LSTMs (Qin et al. 2017); one step of one target",
       "time and feature", Kind::network, make<DaRnn>},
      {"itransformer", "a transformer whose tokens are the variables (Liu et al. 2023)", "feature",
       Kind::normalising, make<VariableTransformer>},
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
