// Attention over variables that forecasts the next value of each: what lesson 18 trains.
#pragma once
#include <string>
#include <vector>

#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/position.hpp>

namespace planted {

namespace ag = axisgrad;

inline constexpr ag::Size window = 8, width = 32, heads = 4;

struct ForecasterOptions {
  ag::Size variables = 8;
  /// Whether the window of a variable is embedded in `width` numbers, or attends as it is.
  bool embed = true;
  /// A learnt vector for each variable, added to its embedding: without it two variables with the
  /// same past are the same to the attention.
  bool identity = true;
  /// LayerNormalization and a feed-forward part behind each attention, as in a transformer.
  bool feed_forward = false;
  int layers = 1;
};

struct Layer {
  using scalar = float;
  ag::MultiHeadAttention<float> attention;
  bool feed_forward;
  ag::LayerNormalization<float> norm_1{{width}}, norm_2{{width}};
  ag::Dense<float> up{width, 4 * width, {.activation = ag::Activation::gelu}},
      down{4 * width, width};

  Layer(ag::Size size, bool with_feed_forward)
      : attention({.num_heads = heads, .key_dim = width / heads, .axis = 1, .embed_size = size}),
        feed_forward(with_feed_forward) {}

  template <ag::Scalar T>
  ag::Var<T> behind(const ag::Var<T>& h) const {
    if (!feed_forward) return h;
    const auto y = norm_1(h);
    return norm_2(y + down(up(y)));
  }
  void visit(auto&& visitor) {
    visitor("attention", attention);
    if (!feed_forward) return;
    visitor("norm_1", norm_1), visitor("norm_2", norm_2), visitor("up", up), visitor("down", down);
  }
};

/// x (B,8,V) -> its variables as tokens (B,V,8) -> embedded: Dense (B,V,32) -> with identity: + a
/// vector for each -> per layer h + attention over variables -> Dense (B,V,1) -> (B,1,V)
class Forecaster {
 public:
  using scalar = float;

  explicit Forecaster(const ForecasterOptions& o)
      : embed(window, width),
        identity({.axis = 1, .positions = o.variables, .embed_axis = 2, .size = width}),
        head(o.embed ? width : window, 1),
        options_(o) {
    if (!o.embed && (o.identity || o.feed_forward))
      ag::fail("Forecaster", "identity and feed-forward need .embed");
    for (int l = 0; l < o.layers; ++l)
      layers.emplace_back(o.embed ? width : window, o.feed_forward);
  }

  template <ag::Scalar T>
  [[nodiscard]] ag::Var<T> operator()(const ag::Var<T>& x) const {
    return run<T>(x, nullptr);
  }
  /// The weights of one layer, (B,H,V,V).
  template <ag::Scalar T>
  [[nodiscard]] ag::Var<T> weights(const ag::Var<T>& x, int layer) const {
    std::vector<ag::Var<T>> all;
    (void)run<T>(x, &all);
    return all[static_cast<std::size_t>(layer)];
  }
  void visit(auto&& visitor) {
    if (options_.embed) visitor("embed", embed);
    if (options_.identity) visitor("identity", identity);
    for (std::size_t l = 0; l < layers.size(); ++l)
      visitor("layer_" + std::to_string(l + 1), layers[l]);
    visitor("head", head);
  }

  ag::Dense<float> embed;
  ag::PositionEmbedding<float> identity;
  std::vector<Layer> layers;
  ag::Dense<float> head;

 private:
  template <ag::Scalar T>
  ag::Var<T> run(const ag::Var<T>& x, std::vector<ag::Var<T>>* weights) const {
    ag::Var<T> h = swap_axes(x, ag::Axis::time, ag::Axis::feature);
    if (options_.embed) h = embed(h);
    if (options_.identity) h = identity(h);
    for (const Layer& layer : layers) {
      if (weights) {
        const auto attended = layer.attention.with_weights(h);
        weights->push_back(attended.weights);
        h = layer.behind(h + attended.out);
      } else {
        h = layer.behind(h + layer.attention(h));
      }
    }
    return swap_axes(head(h), 1, 2);
  }

  ForecasterOptions options_;
};

}  // namespace planted
