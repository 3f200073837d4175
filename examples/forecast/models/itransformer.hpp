// iTransformer (Liu et al. 2023, arXiv 2310.06625): a transformer whose tokens are the variables.
#pragma once
#include "attention.hpp"

namespace forecast {

/// A dense layer that begins as PyTorch's Linear, kernel and bias U(-l, l) with l = 1 / sqrt(in).
/// Under a learning rate that is halved every epoch the first values matter: Keras's are worse by
/// .01 on ETTh1.
class TorchDense : public axisgrad::Dense<float> {
 public:
  TorchDense(Size inputs, Size units);
};

/// x = norm(x + attention(x)); x = norm(x + dense(gelu(dense(x)))); tokens (B, variables, units).
class EncoderLayer {
 public:
  using scalar = float;
  explicit EncoderLayer(const Settings& s);
  Var<float> operator()(const Var<float>& x) const;
  Var<float> weights(const Var<float>& x) const { return attention_.with_weights(x).weights; }
  void visit(auto&& visitor) {
    visitor("attention", attention_), visitor("norm_1", norm_1_), visitor("norm_2", norm_2_);
    visitor("wide", wide_), visitor("narrow", narrow_);
  }

 private:
  axisgrad::MultiHeadAttention<float> attention_;
  axisgrad::LayerNormalization<float> norm_1_, norm_2_;
  TorchDense wide_, narrow_;
  axisgrad::Dropout dropout_;
};

/// The window of each variable through a dense layer, --layers encoder layers of --units and
/// --heads, a last normalisation, and a dense layer to the horizon, shared by the variables.
class ITransformer {
 public:
  using scalar = float;
  explicit ITransformer(const ModelContext& c);
  Var<float> operator()(const Var<float>& x) const;
  std::vector<AttentionMap> maps(const Var<float>& x) const;
  void visit(auto&& visitor) {
    visitor("embed", embed_);
    for (std::size_t k = 0; k < layers_.size(); ++k)
      visitor("layer_" + std::to_string(k), layers_[k]);
    visitor("norm", norm_), visitor("head", head_);
  }

 private:
  std::vector<Size> targets_;
  TorchDense embed_;
  std::vector<EncoderLayer> layers_;
  axisgrad::LayerNormalization<float> norm_;
  TorchDense head_;
  axisgrad::Dropout dropout_;
};

}  // namespace forecast
