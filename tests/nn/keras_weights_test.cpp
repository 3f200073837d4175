// Weights from Keras: the order and the names of get_weights().
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/bidirectional.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/weights/json.hpp>
#include <axisgrad/nn/weights/keras.hpp>
#include <axisgrad/nn/weights/npz.hpp>
#include <axisgrad/nn/weights/safetensors.hpp>

#include "../error_of.hpp"
#include "../temporary_folder.hpp"

namespace ag = axisgrad;
using ag::Shape;
using ag::Tensor;

namespace {

const std::filesystem::path golden = std::filesystem::path(AXISGRAD_SOURCE_DIR) / "tests/golden";

ag::Json index_of(const std::string& name) {
  const ag::Json index = ag::Json::parse(read_text(golden / "index.json"));
  return index.at("files").at(name);
}

// The parameters of a reference file as numpy.savez(path, *layer.get_weights()) would name them.
void save_list(const std::filesystem::path& path, const std::string& name) {
  const ag::ArrayFile reference = ag::read_safetensors(golden / (name + ".safetensors"));
  ag::ArrayFile list;
  int i = 0;
  const ag::Json entry = index_of(name);
  for (const std::string parameter : entry.at("parameters"))
    list.add("arr_" + std::to_string(i++), reference.tensor<double>(parameter));
  ag::write_arrays(path, list);
}

// Loads what Keras gives for this case, and compares the layer's output with Keras's.
template <class Layer, class Run>
void agrees(const std::string& name, Layer& layer, const Run& run) {
  CAPTURE(name);
  const TemporaryFolder folder;
  const auto parameters = ag::parameters(layer);
  for (const char* file : {"w.npz", "w.safetensors"}) {
    ag::initialise(parameters, 1);
    save_list(folder / file, name);
    CHECK(ag::load_keras_weights(folder / file, parameters).loaded ==
          static_cast<ag::Size>(parameters.size()));
    const ag::ArrayFile reference = ag::read_safetensors(golden / (name + ".safetensors"));
    const Tensor<double> want = reference.tensor<double>("out"),
                         got = run(layer, ag::constant(reference.tensor<double>("x"))).value();
    REQUIRE(got.shape() == want.shape());
    for (ag::Size i = 0; i < want.size(); ++i)
      CHECK(got.data()[i] == doctest::Approx(want.data()[i]).epsilon(1e-9));
  }
  // And back: the same list.
  save_list(folder / "want.npz", name);
  ag::save_keras_weights(folder / "got.npz", parameters);
  CHECK(read_text(folder / "got.npz") == read_text(folder / "want.npz"));
}
const auto plain = [](auto& layer, const ag::Var<double>& x) { return layer(x); };
const auto whole = [](auto& layer, const ag::Var<double>& x) { return layer(x).sequence(); };

struct Twelve {
  using scalar = float;
  std::vector<ag::Parameter<float>> all =
      std::vector<ag::Parameter<float>>(12, ag::Parameter<float>(Shape{2, 3}));
  void visit(auto&& visitor) {
    for (std::size_t i = 0; i < all.size(); ++i) visitor(std::to_string(i), all[i]);
  }
};

}  // namespace

TEST_CASE("Keras's get_weights() fits each layer as it is, and goes back as it came") {
  ag::Dense<double> dense(4, 6);
  agrees("dense_rank2", dense, plain);
  ag::LSTM<double> lstm({.inputs = 4, .units = 6});
  agrees("lstm_sequences", lstm, whole);
  ag::Bidirectional<double> both({.inputs = 4, .units = 6});
  agrees("bilstm_concat", both, whole);
  ag::MultiHeadAttention<double> attention({.num_heads = 2, .key_dim = 3, .embed_size = 4});
  agrees("mha_time", attention, plain);
  ag::LayerNormalization<double> norm(Shape{4});
  agrees("layer_norm", norm, plain);
  ag::TimeAttentionBlock<double> time(5);
  agrees("time_block", time, plain);
  ag::FeatureAttentionBlock<double> feature(4);
  agrees("feature_block", feature, plain);
  // The package `attention` lists bahdanau's as v, w1, w2.
  ag::Attention<double> luong(4, 6), bahdanau(4, 6, {.score = ag::AttentionScore::bahdanau});
  agrees("attention_luong", luong, plain);
  agrees("attention_bahdanau", bahdanau, plain);
}

TEST_CASE("NumPy's own list of twelve: arr_10 comes after arr_9") {
  // In one file with other names than ours, in the order of the file: arr_0, arr_1, arr_10, ...
  Twelve twelve;
  const auto path = std::filesystem::path(AXISGRAD_SOURCE_DIR) / "tests/nn/numpy/list.npz";
  CHECK(ag::load_keras_weights(path, ag::parameters(twelve)).loaded == 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(twelve.all[i].value()(1, 2) == static_cast<float>(i));
}

TEST_CASE("Keras's paths are read in the order of the file, and what they end in is compared") {
  CHECK(ag::detail::from_keras_path("functional/dense_1/kernel:0") == "functional.dense_1.kernel");
  CHECK(ag::detail::from_keras_path("bidirectional/forward_lstm/lstm_cell/recurrent_kernel") ==
        "bidirectional.forward.recurrent_kernel");
  CHECK(ag::detail::from_keras_path("lstm_2/lstm_cell_4/bias:0") == "lstm_2.bias");
  CHECK(ag::detail::from_keras_path("attention/luong_w/kernel") == "attention.luong_w");

  const TemporaryFolder folder;
  ag::Dense<double> dense(2, 2);
  ag::LSTM<double> lstm({.inputs = 2, .units = 1});
  const auto parameters = ag::parameters(dense, lstm);
  ag::initialise(parameters, 3);
  const Tensor<double> before = dense.kernel.value();
  ag::ArrayFile file;
  file.add("dense/kernel:0", Tensor<double>({2, 2}, 1.));
  file.add("dense/bias:0", Tensor<double>({2}, 2.));
  file.add("lstm/lstm_cell/kernel:0", Tensor<double>({2, 4}, 3.));
  file.add("lstm/lstm_cell/recurrent_kernel:0", Tensor<double>({1, 4}, 4.));
  ag::write_npz(folder / "short.npz", file);
  file.add("lstm/lstm_cell/bias:0", Tensor<double>({4}, 5.));
  ag::write_npz(folder / "w.npz", file);
  file.add("extra/gamma", Tensor<double>({7}, 5.));
  ag::write_npz(folder / "long.npz", file);
  const auto error = [&](const char* name) {
    return error_of([&] { ag::load_keras_weights(folder / name, parameters); });
  };
  CHECK(error("short.npz") == "[keras] '" + (folder / "short.npz").string() +
                                  "' does not fit, nothing was loaded: 1.bias is missing");
  CHECK(error("long.npz").ends_with("nothing was loaded: extra/gamma (7) is left over"));
  // Two arrays of one shape in the wrong order: the names say so.
  ag::ArrayFile swapped;
  swapped.add("lstm/lstm_cell/kernel", Tensor<double>({1, 4}, 3.));
  swapped.add("lstm/lstm_cell/bias", Tensor<double>({4}, 5.));
  swapped.add("lstm/lstm_cell/recurrent_kernel", Tensor<double>({1, 4}, 4.));
  ag::write_npz(folder / "swapped.npz", swapped);
  ag::LSTM<double> one({.inputs = 1, .units = 1});
  CHECK(error_of([&] { ag::load_keras_weights(folder / "swapped.npz", ag::parameters(one)); })
            .ends_with("lstm/lstm_cell/bias (4) stands where recurrent_kernel (1,4) is expected; "
                       "lstm/lstm_cell/recurrent_kernel (1,4) stands where bias (4) is expected"));
  CHECK(one.kernel.value().empty());
  CHECK(same_bits(dense.kernel.value(), before));
  CHECK(ag::load_keras_weights(folder / "w.npz", parameters).loaded == 5);
  CHECK(lstm.bias.value()(3) == 5);

  ag::save_keras_weights(folder / "paths.npz", parameters, {.names = ag::KerasNames::paths});
  CHECK(ag::read_npz(folder / "paths.npz").contains("1/kernel"));
  CHECK(ag::load_keras_weights(folder / "paths.npz", parameters).loaded == 5);
}

TEST_CASE("Keras: files that keep no order, and parameters without values, are refused") {
  const TemporaryFolder folder;
  ag::Dense<double> dense(2, 2);
  const auto parameters = ag::parameters(dense);
  CHECK(error_of([&] {
          ag::save_keras_weights(folder / "w.npz", parameters);
        }).starts_with("[keras] 'kernel' has no value yet, nothing was written to "));
  ag::initialise(parameters, 3);
  CHECK(error_of([&] {
          ag::save_keras_weights(folder / "w.safetensors", parameters,
                                 {.names = ag::KerasNames::paths});
        }).ends_with(" would not keep the order of the weights: .names = paths needs .npz"));
  ag::ArrayFile file;
  file.add("dense/kernel", dense.kernel.value());
  ag::write_safetensors(folder / "w.safetensors", file);
  CHECK(error_of([&] { ag::load_keras_weights(folder / "w.safetensors", parameters); })
            .ends_with(" names its arrays by path, and its format keeps no order: write .npz, or "
                       "name them arr_0, arr_1, ..."));
}

TEST_CASE(
    "C14: an LSTM cell of TensorFlow 1 has another order of gates and adds 1 to the forget "
    "gate") {
  ag::LSTM<double> lstm({.inputs = 1, .units = 1});
  ag::set_from_tensorflow_1(lstm, Tensor<double>({2, 4}, {.5, -.5, 1, 2, 0, 0, 0, 0}),
                            Tensor<double>({4}, 0.));
  const ag::LstmState<double> start{ag::constant(Tensor<double>({1, 1}, 0.)),
                                    ag::constant(Tensor<double>({1, 1}, 1.))};
  const auto state =
      lstm(ag::constant(Tensor<double>({1, 1, 1}, 1.)), {.initial_state = start}).state();
  CHECK(state.h.item() == doctest::Approx(0.468721329).epsilon(1e-8));
  CHECK(state.c.item() == doctest::Approx(0.593147941).epsilon(1e-8));
  CHECK_THROWS_WITH(ag::set_from_tensorflow_1(lstm, Tensor<double>({1, 4}, 0.), {}),
                    "[keras] a BasicLSTMCell of 1 inputs and 1 units has a kernel (2,4) and a bias "
                    "(4), got (1,4) and ()");
}
