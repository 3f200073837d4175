// What docs/coming_from_keras.md and docs/coming_from_pytorch.md say beside weights.
#include <limits>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/bidirectional.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/dropout.hpp>
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/weights/torch.hpp>

#include "../temporary_folder.hpp"
#include "explained.hpp"

namespace ag = axisgrad;
using ag::Shape;
using ag::Tensor;
using ag::Var;

namespace {

double difference(const Var<double>& a, const Var<double>& b) {
  REQUIRE(a.shape() == b.shape());
  return ag::max(ag::abs(a - b)).item();
}

// nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), its parts named in our way.
struct EncoderLayer {
  using scalar = double;
  ag::MultiHeadAttention<double> attention{{.num_heads = 2, .embed_dim = 8}};
  ag::LayerNormalization<double> norm_1{Shape{8}, {.epsilon = 1e-5}}, norm_2 = norm_1;
  ag::Dense<double> wide{8, 16, {.activation = ag::Activation::relu}}, narrow{16, 8};

  Var<double> operator()(const Var<double>& x) const {
    const Var<double> y = norm_1(x + attention(x));
    return norm_2(y + narrow(wide(y)));
  }
  void visit(auto&& v) {
    v("attention", attention), v("norm_1", norm_1), v("norm_2", norm_2);
    v("wide", wide), v("narrow", narrow);
  }
};

}  // namespace

TEST_CASE(
    "PyTorch's masks are the other way round: True there is 0 here; a float mask is additive") {
  ag::MultiHeadAttention<double> attention({.num_heads = 2, .embed_dim = 4});
  ag::initialise(ag::parameters(attention), 1);
  const Var<double> x = ag::constant(explained::input({2, 3, 4}));
  const Var<double> padding =
      ag::constant(Tensor<double>({2, 3}, {0, 0, 1, 0, 0, 0}));  // True = pad
  const double none = -std::numeric_limits<double>::infinity();
  const Var<double> additive = ag::constant(Tensor<double>({2, 3}, {0, 0, none, 0, 0, 0}));
  const auto masked = attention.with_weights(x, {.mask = 1. - padding});
  CHECK(difference(masked.out, attention(x, {.additive_mask = additive})) < 1e-15);
  CHECK(masked.weights.value()(0, 1, 0, 2) == 0);
  CHECK(masked.weights.value()(1, 1, 0, 2) > 0);
}

TEST_CASE("a row with nothing to attend to gives 0: no NaN, no mean of everything") {
  const Var<double> x = ag::constant(explained::input({1, 3, 4}));
  const Var<double> mask = ag::constant(Tensor<double>({1, 1, 3}, 0.));
  const auto a = ag::scaled_dot_product_attention_with_weights(x, x, x, {.mask = mask});
  CHECK(ag::max(ag::abs(a.out)).item() == 0);
  CHECK(ag::max(a.weights).item() == 0);
}

TEST_CASE("PyTorch's output[:, -1] of a bidirectional LSTM is not its last(), as Keras has it") {
  ag::Bidirectional<double> both({.inputs = 2, .units = 3});
  ag::initialise(ag::parameters(both), 1);
  const auto y = both(ag::constant(explained::input({2, 4, 2})));
  const auto at = [&](ag::Size t, ag::Size from) {
    return ag::slice(ag::slice(y.sequence(), {.axis = 1, .begin = t, .end = t + 1}),
                     {.axis = 2, .begin = from, .end = from + 3});
  };
  const auto squeezed = [](const Var<double>& v) { return ag::reshape(v, {2, 3}); };
  // last(): the forward direction at the last step, the backward one at the first.
  CHECK(difference(y.last(), ag::concat(std::vector{squeezed(at(3, 0)), squeezed(at(0, 3))}, 1)) <
        1e-15);
  CHECK(difference(y.last(), ag::concat(std::vector{squeezed(at(3, 0)), squeezed(at(3, 3))}, 1)) >
        1e-3);
}

TEST_CASE("the names of nn.TransformerEncoderLayer, by .modules") {
  EncoderLayer layer;
  ag::initialise(ag::parameters(layer), 2);
  const TemporaryFolder folder;
  const ag::TorchOptions names{.modules = {{"attention", "layers.0.self_attn"},
                                           {"wide", "layers.0.linear1"},
                                           {"narrow", "layers.0.linear2"},
                                           {"norm_1", "layers.0.norm1"},
                                           {"norm_2", "layers.0.norm2"}}};
  ag::save_torch_weights(folder / "w.safetensors", layer, names);
  const ag::ArrayFile file = ag::read_arrays(folder / "w.safetensors");
  // The keys of its state_dict() in PyTorch 2.15.
  for (const std::string name :
       {"self_attn.in_proj_weight", "self_attn.in_proj_bias", "self_attn.out_proj.weight",
        "self_attn.out_proj.bias", "linear1.weight", "linear1.bias", "linear2.weight",
        "linear2.bias", "norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias"})
    CHECK_MESSAGE(file.contains("layers.0." + name), name);
  CHECK(file.arrays().size() == 12);
  EncoderLayer other;
  ag::load_torch_weights(folder / "w.safetensors", other, names, {.allow_unexpected = false});
  const Var<double> x = ag::constant(explained::input({2, 5, 8}));
  CHECK(difference(layer(x), other(x)) == 0);
}

TEST_CASE("Permute and RepeatVector of Keras are transpose and repeat") {
  const Var<double> x = ag::constant(explained::input({2, 3, 4}));
  const Var<double> permuted = ag::transpose(x, {0, 2, 1});  // Permute((2, 1))
  CHECK(permuted.shape() == Shape{2, 4, 3});
  CHECK(permuted.value()(1, 3, 2) == x.value()(1, 2, 3));
  const Var<double> mean = ag::mean(x, ag::Axis::time);                   // (2,4)
  const Var<double> repeated = ag::repeat(ag::unsqueeze(mean, 1), 5, 1);  // RepeatVector(5)
  CHECK(repeated.shape() == Shape{2, 5, 4});
  for (ag::Size t = 0; t < 5; ++t) CHECK(repeated.value()(1, t, 2) == mean.value()(1, 2));
}

TEST_CASE("train and eval belong to the recording, not to the module") {
  const ag::Dropout dropout(.5);
  const Tensor<double> x({64}, 1.);
  ag::Tape<double> training({.training = true}), inference;
  CHECK(difference(dropout(inference.input(x)), ag::constant(x)) == 0);
  CHECK(difference(dropout(training.input(x)), ag::constant(x)) == 1);  // 0 or 2
}

TEST_CASE("backward adds to grad and releases the recording, as PyTorch does") {
  ag::Dense<double> dense(2, 1);
  const auto parameters = ag::parameters(dense);
  ag::initialise(parameters, 1);
  const Tensor<double> x({1, 2}, {3, 4});
  for (const double times : {1., 2.}) {
    ag::Tape<double> tape;
    ag::backward(ag::sum(dense(tape.input(x))));
    CHECK(dense.kernel.grad()(1, 0) == 4 * times);
  }
  ag::zero_gradients(parameters);
  CHECK(dense.kernel.grad().empty());
}
