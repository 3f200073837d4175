// The variable transformer: each variable is a token, embedded from its whole window.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/position.hpp>

namespace axisgrad {

/// How the gradient goes through the mean and the deviation that a window is normalised by: as the
/// function says; not through the mean, as in the published code; through neither.
enum class InstanceNormGradient { full, detach_mean, detach_both };

/// First values of all kernels and biases: glorot_uniform and 0, or U(-1/sqrt(in), 1/sqrt(in)) for
/// both, as PyTorch's Linear begins.
enum class Initialisation { keras, torch };

struct ITransformerOptions {
  Size time_steps = 0;  // T, of a window
  Size horizon = 0;     // steps to forecast
  Size d_model = 0, num_heads = 1, d_ff = 0, layers = 1;
  Activation activation = Activation::gelu;
  double dropout = 0;  // in a training recording
  double layer_norm_epsilon = 1e-5, instance_norm_epsilon = 1e-5;
  InstanceNormGradient instance_norm_gradient = InstanceNormGradient::full;
  /// A learnt vector for each variable, added to its embedding: without it the network treats the
  /// variables as a set and cannot know which is which. It then needs `variables`.
  bool identity_embeddings = false;
  Size variables = 0;
  Initialisation initialisation = Initialisation::keras;
};

/// weights of each layer, first to last, (B,H,V,V); each row sums to 1 over the variables looked
/// at.
template <Scalar T>
struct AttendedByLayer {
  Var<T> out;
  std::vector<Var<T>> weights;
};

namespace detail {

inline DenseOptions dense_options(const ITransformerOptions& o, Activation activation) {
  const bool torch = o.initialisation == Initialisation::torch;
  return {.activation = activation,
          .kernel_init = torch ? Init::torch_uniform : Init::glorot_uniform,
          .bias_init = torch ? Init::torch_uniform : Init::zeros};
}

inline MultiHeadAttentionOptions attention_options(const ITransformerOptions& o) {
  MultiHeadAttentionOptions a{.num_heads = o.num_heads, .embed_dim = o.d_model, .axis = 1};
  a.dropout = o.dropout;
  if (o.initialisation == Initialisation::torch)
    a.kernel_init = a.bias_init = Init::torch_uniform, a.fans = AttentionFans::matrix;
  return a;
}

/// Mean and deviation of each variable over its window, (B,1,V), in the unit of x.
template <Scalar U>
struct InstanceNorm {
  InstanceNorm(const Var<U>& x, double epsilon, InstanceNormGradient gradient)
      : mean(axisgrad::mean(x, 1, {.keep = true})),
        deviation(sqrt(var(x, 1, {.keep = true}) + static_cast<U>(epsilon))) {
    if (gradient != InstanceNormGradient::full) mean = mean.detach();
    if (gradient == InstanceNormGradient::detach_both) deviation = deviation.detach();
  }
  Var<U> mean, deviation;
};

}  // namespace detail

/// One layer of a transformer encoder, normalised after each residual sum (Vaswani et al. 2017):
/// x (B,N,d_model) -> the same shape, x = norm1(x + attention(x)), x = norm2(x +
/// dense2(activation(dense1(x)))). Errors are those of its parts.
template <Scalar T>
class EncoderLayer {
 public:
  using scalar = T;

  explicit EncoderLayer(const ITransformerOptions& o)
      : attention(detail::attention_options(o)),
        norm1(Shape{o.d_model}, {.epsilon = o.layer_norm_epsilon}),
        dense1(o.d_model, o.d_ff, detail::dense_options(o, o.activation)),
        dense2(o.d_ff, o.d_model, detail::dense_options(o, Activation::none)),
        norm2(Shape{o.d_model}, {.epsilon = o.layer_norm_epsilon}),
        rate_(o.dropout) {}

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return finish(x, attention(x));
  }
  /// Also the weights and scores of the attention, (B,H,N,N).
  template <Scalar U>
  [[nodiscard]] Attended<U> with_weights(const Var<U>& x) const {
    Attended<U> a = attention.with_weights(x);
    a.out = finish(x, a.out);
    return a;
  }

  void visit(auto&& visitor) {
    visitor("attention", attention), visitor("norm1", norm1);
    visitor("dense1", dense1), visitor("dense2", dense2), visitor("norm2", norm2);
  }

  MultiHeadAttention<T> attention;
  LayerNormalization<T> norm1;
  Dense<T> dense1, dense2;
  LayerNormalization<T> norm2;

 private:
  template <Scalar U>
  Var<U> finish(const Var<U>& x, const Var<U>& attended) const {
    const Var<U> y = norm1(x + drop(attended));
    return norm2(y + drop(dense2(drop(dense1(y)))));
  }
  template <Scalar U>
  Var<U> drop(const Var<U>& x) const {
    return rate_ > 0 ? dropout(x, rate_) : x;
  }
  double rate_;
};

/// iTransformer (Liu et al. 2024, arXiv 2310.06625): x (B,T,V) -> out (B,horizon,V), in the unit of
/// x. Each window and variable is normalised (biased variance), embedded by one Dense(T -> d_model)
/// for all variables, passed through encoder layers whose attention runs over the variables and a
/// last LayerNormalization, projected by Dense(d_model -> horizon), and de-normalised.
///
/// Parameters embedding.*, identity.embeddings (V,d_model) where asked for, encoder.K.attention.*,
/// .norm1.*, .dense1.*, .dense2.*, .norm2.* of each layer K, norm.*, projector.*. With
/// .initialisation = torch and identity embeddings, these begin glorot_uniform all the same.
/// Without identity embeddings V may differ between calls. Error for an x of another rank or number
/// of steps, and at construction where num_heads does not divide d_model.
template <Scalar T>
class ITransformer {
 public:
  using scalar = T;

  explicit ITransformer(const ITransformerOptions& options)
      : embedding(require(options).time_steps, options.d_model,
                  detail::dense_options(options, Activation::none)),
        norm(Shape{options.d_model}, {.epsilon = options.layer_norm_epsilon}),
        projector(options.d_model, options.horizon,
                  detail::dense_options(options, Activation::none)),
        options_(options) {
    if (options.identity_embeddings)
      identity.emplace(PositionOptions{.axis = 1,
                                       .positions = options.variables,
                                       .embed_axis = Axis(2),
                                       .size = options.d_model});
    for (Size k = 0; k < options.layers; ++k) encoder.emplace_back(options);
  }

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return run<U>(x, nullptr);
  }
  template <Scalar U>
  [[nodiscard]] AttendedByLayer<U> with_weights(const Var<U>& x) const {
    AttendedByLayer<U> y;
    y.out = run<U>(x, &y.weights);
    return y;
  }

  void visit(auto&& visitor) {
    visitor("embedding", embedding);
    if (identity) visitor("identity", *identity);
    for (std::size_t k = 0; k < encoder.size(); ++k)
      visitor("encoder." + std::to_string(k), encoder[k]);
    visitor("norm", norm), visitor("projector", projector);
  }

  Dense<T> embedding;
  std::optional<PositionEmbedding<T>> identity;
  std::vector<EncoderLayer<T>> encoder;
  LayerNormalization<T> norm;
  Dense<T> projector;

 private:
  static const ITransformerOptions& require(const ITransformerOptions& o) {
    if (o.time_steps < 1 || o.horizon < 1 || o.d_model < 1 || o.d_ff < 1 || o.layers < 0)
      fail("ITransformer", "needs sizes of at least 1, got .time_steps = ", o.time_steps,
           ", .horizon = ", o.horizon, ", .d_model = ", o.d_model, ", .d_ff = ", o.d_ff,
           ", .layers = ", o.layers);
    if (o.identity_embeddings && o.variables < 1)
      fail("ITransformer", "identity embeddings need .variables, got ", o.variables);
    if (!(o.instance_norm_epsilon > 0))
      fail("ITransformer", "a constant window needs an .instance_norm_epsilon above 0, got ",
           o.instance_norm_epsilon);
    if (!(o.dropout >= 0 && o.dropout <= 1))
      fail("ITransformer", ".dropout must lie in [0, 1], got ", o.dropout);
    return o;
  }

  template <Scalar U>
  Var<U> run(const Var<U>& x, std::vector<Var<U>>* weights) const {
    if (x.rank() != 3 || x.shape()[1] != options_.time_steps ||
        (identity && x.shape()[2] != options_.variables))
      fail("ITransformer", "expects (batch,", options_.time_steps, ',',
           identity ? std::to_string(options_.variables) : std::string("variables"), "), got ",
           x.shape());
    const detail::InstanceNorm<U> window(x, options_.instance_norm_epsilon,
                                         options_.instance_norm_gradient);
    Var<U> y = embedding(swap_axes((x - window.mean) / window.deviation, 1, 2));
    if (identity) y = (*identity)(y);
    if (options_.dropout > 0) y = dropout(y, options_.dropout);
    for (const EncoderLayer<T>& layer : encoder) {
      if (!weights) {
        y = layer(y);
        continue;
      }
      const Attended<U> a = layer.with_weights(y);
      y = a.out, weights->push_back(a.weights);
    }
    const Var<U> forecast = swap_axes(projector(norm(y)), 1, 2);
    return forecast * window.deviation + window.mean;
  }

  ITransformerOptions options_;
};

}  // namespace axisgrad
