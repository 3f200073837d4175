#include "itransformer.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

const ag::LayerNormOptions epsilon{.epsilon = 1e-5};  // PyTorch's

}  // namespace

TorchDense::TorchDense(Size inputs, Size units) : Dense(inputs, units) {
  kernel = ag::Parameter<float>({inputs, units}, ag::Init::torch_uniform);
  bias =
      ag::Parameter<float>({units}, ag::Init::torch_uniform, {.in = static_cast<double>(inputs)});
}

EncoderLayer::EncoderLayer(const Settings& s)
    : attention_({.num_heads = s.heads,
                  .key_dim = key_dim(s),
                  .axis = ag::Axis::time,  // of (B, variables, units): axis 1
                  .embed_size = s.units,
                  .dropout = s.dropout,
                  .kernel_init = ag::Init::torch_uniform,
                  .bias_init = ag::Init::torch_uniform,
                  .fans = ag::AttentionFans::matrix}),
      norm_1_({s.units}, epsilon),
      norm_2_({s.units}, epsilon),
      wide_(s.units, s.units),
      narrow_(s.units, s.units),
      dropout_(s.dropout) {}

Var<float> EncoderLayer::operator()(const Var<float>& x) const {
  const auto y = norm_1_(x + dropout_(attention_(x)));
  return norm_2_(y + dropout_(narrow_(dropout_(gelu(wide_(y))))));
}

ITransformer::ITransformer(const ModelContext& c)
    : targets_(c.targets),
      embed_(c.settings.lookback, c.settings.units),
      layers_(),
      norm_({c.settings.units}, epsilon),
      head_(c.settings.units, c.settings.horizon),
      dropout_(c.settings.dropout) {
  for (Size k = 0; k < c.settings.layers; ++k) layers_.emplace_back(c.settings);
}

Var<float> ITransformer::operator()(const Var<float>& x) const {
  Var<float> y = dropout_(embed_(swap_axes(x, 1, 2)));
  for (const EncoderLayer& layer : layers_) y = layer(y);
  return swap_axes(head_(norm_(take(y, targets_, 1))), 1, 2);
}

std::vector<AttentionMap> ITransformer::maps(const Var<float>& x) const {
  std::vector<AttentionMap> maps;
  Var<float> y = embed_(swap_axes(x, 1, 2));
  for (const EncoderLayer& layer : layers_) {
    // In front of the last layer every variable reaches the forecast.
    const bool last = maps.size() + 1 == layers_.size();
    maps.push_back({"layer " + std::to_string(maps.size()),
                    layer.weights(y),
                    {"head", "feature", "feature"},
                    "feature",
                    last ? targets_ : std::vector<Size>{}});
    y = layer(y);
  }
  return maps;
}

}  // namespace forecast
