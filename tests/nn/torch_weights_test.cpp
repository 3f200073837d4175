// Weights from PyTorch and back, on the arrays that PyTorch computed.
#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/sequential.hpp>
#include <axisgrad/nn/weights/npz.hpp>
#include <axisgrad/nn/weights/safetensors.hpp>
#include <axisgrad/nn/weights/torch.hpp>

#include "../error_of.hpp"
#include "../temporary_folder.hpp"

namespace ag = axisgrad;
using ag::Shape;
using ag::Tensor;
using ag::Var;

namespace {

const std::filesystem::path golden = std::filesystem::path(AXISGRAD_SOURCE_DIR) / "tests/golden";

// The arrays of a reference file whose names begin so, without that beginning.
ag::ArrayFile part_of(const ag::ArrayFile& file, const std::string& beginning) {
  ag::ArrayFile part;
  for (const auto& array : file.arrays())
    if (array.name.starts_with(beginning))
      part.add(array.name.substr(beginning.size()), file.tensor<double>(array.name));
  return part;
}

// The largest difference of two files of the same names, relative to the largest element.
double difference(const ag::ArrayFile& got, const ag::ArrayFile& want) {
  REQUIRE(got.arrays().size() == want.arrays().size());
  double worst = 0, largest = 1e-300;
  for (const auto& array : want.arrays()) {
    CAPTURE(array.name);
    REQUIRE(got.contains(array.name));
    const auto a = got.tensor<double>(array.name), b = want.tensor<double>(array.name);
    REQUIRE(a.shape() == b.shape());
    for (ag::Size i = 0; i < b.size(); ++i) {
      worst = std::max(worst, std::abs(a.data()[i] - b.data()[i]));
      largest = std::max(largest, std::abs(b.data()[i]));
    }
  }
  return worst / largest;
}

// Loads PyTorch's weights, and compares output, and gradients in PyTorch's layout, with PyTorch's.
// run(layer, file, tape) gives the loss of the reference file and its output.
template <class Layer, class Run>
void agrees(const std::string& name, Layer& layer, const Run& run, bool both_biases = false) {
  CAPTURE(name);
  const TemporaryFolder folder;
  const ag::ArrayFile file = ag::read_safetensors(golden / (name + ".safetensors"));
  const ag::ArrayFile weights = part_of(file, "torch.");
  REQUIRE(!weights.arrays().empty());
  const auto parameters = ag::parameters(layer);
  for (const char* path : {"w.safetensors", "w.npz"}) {
    ag::write_arrays(folder / path, weights);
    const auto report =
        ag::load_torch_weights(folder / path, layer, {}, {.allow_unexpected = false});
    CHECK(report.loaded == static_cast<ag::Size>(weights.arrays().size()));
  }
  // The parameters are those that the file has in Keras's layout.
  for (const auto* p : parameters) {
    CAPTURE(p->name());
    ag::ArrayFile one, other;
    one.add("p", p->value()), other.add("p", file.tensor<double>(p->name()));
    CHECK(difference(one, other) < 1e-15);
  }
  ag::Tape<double> tape;
  const auto [out, loss] = run(layer, file, tape);
  ag::ArrayFile got, want;
  got.add("out", out.value()), want.add("out", file.tensor<double>("out"));
  CHECK(difference(got, want) < 1e-12);
  ag::zero_gradients(parameters);
  ag::backward(loss);
  CHECK(difference(ag::torch_gradients(layer), part_of(file, "grad.torch.")) < 1e-12);

  // And back. What was two biases is one in the first of them.
  ag::save_torch_weights(folder / "back.npz", layer);
  const ag::ArrayFile back = ag::read_npz(folder / "back.npz");
  if (!both_biases) CHECK(difference(back, weights) == 0);
  Layer again = layer;
  ag::initialise(ag::parameters(again), 5);
  ag::load_torch_weights(folder / "back.npz", again);
  const auto reloaded = ag::parameters(again);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    CHECK(same_bits(parameters[i]->value(), reloaded[i]->value()));
}

Var<double> input(ag::Tape<double>& tape, const ag::ArrayFile& file, const char* name) {
  return tape.input(file.tensor<double>(name), {.gradient = true});
}
Var<double> weighted(const Var<double>& y, const ag::ArrayFile& file, const char* name) {
  return ag::sum(y * ag::constant(file.tensor<double>(name)));
}
struct OutAndLoss {
  Var<double> out, loss;
};
const auto plain = [](auto& layer, const ag::ArrayFile& file, ag::Tape<double>& tape) {
  const Var<double> y = layer(input(tape, file, "x"));
  return OutAndLoss{y, weighted(y, file, "cotangent")};
};

struct WholeModel {
  using scalar = float;
  ag::LSTM<float> first{{.inputs = 2, .units = 3}}, second{{.inputs = 3, .units = 3}};
  ag::PositionEmbedding<float> position{{.positions = 4, .size = 3}};
  ag::TimeAttentionBlock<float> gate{4};
  ag::Dense<float> head{3, 1, {.use_bias = false}};
  ag::Parameter<float> scale{Shape{2}, ag::Init::ones};
  void visit(auto&& v) {
    v("first", first), v("second", second), v("position", position), v("gate", gate);
    v("head", head), v("scale", scale);
  }
};

struct DenseAndLstm {
  using scalar = double;
  ag::Dense<double> dense{2, 3};
  ag::LSTM<double> lstm{{.inputs = 2, .units = 1}};
  void visit(auto&& v) { v("dense", dense), v("lstm", lstm); }
};

struct TwoDense {
  using scalar = double;
  ag::Dense<double> a{2, 2}, b{2, 2};
  void visit(auto&& v) { v("a", a), v("b", b); }
};

}  // namespace

TEST_CASE("nn.Linear and nn.LayerNorm: values and gradients, both ways") {
  ag::Dense<double> dense(4, 6);
  agrees("torch_linear_rank1", dense, plain);
  agrees("torch_linear_rank2", dense, plain);
  ag::LayerNormalization<double> norm(Shape{4}, {.epsilon = 1e-5});
  agrees("torch_layer_norm", norm, plain);
}

TEST_CASE("nn.LSTM: transposed, two biases added; values and gradients, both ways") {
  ag::LSTM<double> lstm({.inputs = 4, .units = 6});
  agrees(
      "torch_lstm", lstm,
      [](auto& layer, const ag::ArrayFile& file, ag::Tape<double>& tape) {
        const ag::LstmState<double> start{input(tape, file, "initial_h"),
                                          input(tape, file, "initial_c")};
        const auto y = layer(input(tape, file, "x"), {.initial_state = start});
        return OutAndLoss{y.sequence(), weighted(y.sequence(), file, "cotangent") +
                                            weighted(y.state().h, file, "cotangent.state_h") +
                                            weighted(y.state().c, file, "cotangent.state_c")};
      },
      true);
  const ag::ArrayFile file = ag::read_safetensors(golden / "torch_lstm.safetensors");
  const TemporaryFolder folder;
  ag::save_torch_weights(folder / "w.npz", lstm);
  const ag::ArrayFile back = ag::read_npz(folder / "w.npz");
  const auto ih = file.tensor<double>("torch.bias_ih_l0"),
             hh = file.tensor<double>("torch.bias_hh_l0");
  for (ag::Size i = 0; i < ih.size(); ++i) {
    CHECK(back.tensor<double>("bias_ih_l0")(i) == ih(i) + hh(i));
    CHECK(back.tensor<double>("bias_hh_l0")(i) == 0);
  }
}

TEST_CASE("nn.LSTM(bidirectional=True): the second direction ends in _reverse") {
  ag::Bidirectional<double> both({.inputs = 4, .units = 6});
  agrees(
      "torch_bilstm", both,
      [](auto& layer, const ag::ArrayFile& file, ag::Tape<double>& tape) {
        const auto y = layer(input(tape, file, "x")).sequence();
        return OutAndLoss{y, weighted(y, file, "cotangent")};
      },
      true);
}

TEST_CASE("nn.MultiheadAttention: packed in_proj, values and gradients, both ways") {
  ag::MultiHeadAttention<double> attention({.num_heads = 2, .embed_dim = 8});
  agrees("torch_mha_self", attention, plain);
  // Its boolean masks are True = must not attend; the arrays here are True = attend.
  agrees("torch_mha_causal", attention,
         [](auto& layer, const ag::ArrayFile& file, ag::Tape<double>& tape) {
           const Tensor<double> mask = file.tensor<double>("mask").reshaped({1, 5, 5});
           const Var<double> y = layer(input(tape, file, "x"), {.mask = ag::constant(mask)});
           return OutAndLoss{y, weighted(y, file, "cotangent")};
         });
}

TEST_CASE("nn.MultiheadAttention with kdim and vdim: three projections") {
  ag::MultiHeadAttention<double> attention(
      {.num_heads = 2, .embed_dim = 8, .key_embed_size = 6, .value_embed_size = 9});
  for (const std::string name : {"torch_mha_cross", "torch_mha_padding"})
    agrees(name, attention, [](auto& layer, const ag::ArrayFile& file, ag::Tape<double>& tape) {
      ag::AttentionMasks<double> masks;
      if (file.contains("mask")) masks.mask = ag::constant(file.tensor<double>("mask"));
      const Var<double> y = layer(input(tape, file, "query"), input(tape, file, "key"),
                                  input(tape, file, "value"), masks);
      return OutAndLoss{y, weighted(y, file, "cotangent")};
    });
}

TEST_CASE("a whole model: names by part, stacked LSTMs, layers without biases") {
  WholeModel model, other;
  ag::initialise(ag::parameters(model), 1);
  const ag::TorchOptions options{
      .modules = {{"first", "rnn"}, {"second", "rnn", 1}, {"", "net"}, {"head", "out.linear"}}};
  const TemporaryFolder folder;
  ag::save_torch_weights(folder / "w.safetensors", model, options);
  const ag::ArrayFile file = ag::read_safetensors(folder / "w.safetensors");
  for (const char* name :
       {"rnn.weight_ih_l0", "rnn.weight_hh_l1", "rnn.bias_hh_l1", "net.position.weight",
        "net.gate.weight", "net.gate.bias", "out.linear.weight", "net.scale"})
    CHECK_MESSAGE(file.contains(name), name);
  CHECK(file.arrays().size() == 13);
  CHECK(file.at("out.linear.weight").shape == Shape{1, 3});
  CHECK(file.tensor<float>("net.gate.weight")(0, 2) == model.gate.kernel.value()(2, 0));
  CHECK(ag::load_torch_weights(folder / "w.safetensors", other, options).loaded == 13);
  const auto a = ag::parameters(model), b = ag::parameters(other);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(same_bits(a[i]->value(), b[i]->value()));

  // A Sequential, whose LSTM is wrapped.
  ag::Sequential layers(ag::sequence(ag::LSTM<float>({.inputs = 2, .units = 3})),
                        ag::last(ag::Bidirectional<float>({.inputs = 3, .units = 3})),
                        ag::Dense<float>(6, 1));
  ag::initialise(ag::parameters(layers), 1);
  ag::save_torch_weights(folder / "s.safetensors", layers);
  CHECK(ag::read_safetensors(folder / "s.safetensors").contains("1.weight_hh_l0_reverse"));
}

TEST_CASE("a state dict that does not fit is described in full, and nothing is loaded") {
  DenseAndLstm model;
  const auto parameters = ag::parameters(model);
  ag::initialise(parameters, 1);
  const auto before = model.dense.kernel.value();
  const TemporaryFolder folder;
  ag::ArrayFile file;
  file.add("dense.weight", Tensor<double>({2, 3}, 1.));  // Keras's layout
  file.add("dense.bias", Tensor<double>({3}, 1.));
  file.add("lstm.weight_ih_l0", Tensor<double>({4, 2}, 1.));
  file.add("lstm.weight_hh_l0", Tensor<double>({4, 1}, 1.));
  file.add("lstm.bias_ih_l0", Tensor<double>({4}, 1.));
  file.add("lstm.weight_hr_l0", Tensor<double>({4}, 1.));
  ag::write_arrays(folder / "w.npz", file);
  CHECK(error_of([&] { ag::load_torch_weights(folder / "w.npz", model); })
            .ends_with("does not fit, nothing was loaded: dense.weight has the shape (2,3) instead "
                       "of (3,2); missing: lstm.bias_hh_l0; unexpected: lstm.weight_hr_l0"));
  CHECK(same_bits(model.dense.kernel.value(), before));
  // Half of a bias is none: it keeps its value.
  ag::ArrayFile part;
  part.add("dense.bias", Tensor<double>({3}, 7.));
  part.add("lstm.bias_ih_l0", Tensor<double>({4}, 7.));
  ag::write_arrays(folder / "part.npz", part);
  const auto report =
      ag::load_torch_weights(folder / "part.npz", model, {}, {.allow_missing = true});
  CHECK(report.loaded == 1);
  CHECK(report.missing.size() == 4);
  CHECK(model.dense.bias.value()(2) == 7);
  CHECK(model.lstm.bias.value()(0) == 0);
  CHECK(error_of([&] {
          ag::load_torch_weights(folder / "part.npz", model, {},
                                 {.allow_missing = true, .allow_unexpected = false});
        }) == "no error");
}

TEST_CASE("PyTorch: what has no twin there is said") {
  ag::MultiHeadAttention<double> odd({.num_heads = 2, .key_dim = 3, .embed_size = 8});
  ag::initialise(ag::parameters(odd), 1);
  CHECK(error_of([&] { ag::save_torch_weights("w.npz", odd); }) ==
        "[torch] '' is no nn.MultiheadAttention, which has key_dim = value_dim = embed_size / "
        "num_heads and output_dim = embed_size: got key_dim = 3, value_dim = 3, embed_size = 8, "
        "num_heads = 2, output_dim = 8");
  TwoDense model;
  CHECK(error_of([&] {
          ag::save_torch_weights("w.npz", model, {{{"c", "linear"}}});
        }) == "[torch] the model has no part 'c'; it has a, b");
  CHECK(error_of([&] {
          ag::save_torch_weights("w.npz", model, {{{"a", "b"}}});
        }) == "[torch] two parts of the model would both have the array 'b.weight'");
  CHECK(error_of([&] { ag::save_torch_weights("w.npz", model); }) ==
        "[torch] the part of 'a.weight' of shape (2,2) has no value yet");
}
