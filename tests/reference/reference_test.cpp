// The comparison with the reference arrays must be able to fail: copies of the folder are spoiled
// in one place each, and the file concerned must fail by name. Files of the same form with other
// options must be read, too.
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "../temporary_folder.hpp"
#include "block.hpp"
#include "run.hpp"

namespace ag = axisgrad;
using ag::Json;
using namespace ag::reference;

namespace {

const std::filesystem::path golden = AXISGRAD_SOURCE_DIR "/tests/golden";

// One case in memory, to be changed and run.
class Changed {
 public:
  explicit Changed(const std::string& name) : name_(name) {
    static const std::map<std::string, Json> index = [] {
      std::map<std::string, Json> all;
      for (auto& [key, json] : read_index(golden)) all.emplace(key, json);
      return all;
    }();
    entry = index.at(name);
    const auto file = ag::read_safetensors(golden / (name + ".safetensors"));
    for (const auto& a : file.arrays()) arrays.emplace(a.name, file.tensor<double>(a.name));
  }

  Json entry;
  std::map<std::string, ag::Tensor<double>> arrays;

  // All arrays as F64, or F32; the index describes them so.
  template <class Stored = double>
  Verdict run() {
    const TemporaryFolder folder;
    ag::ArrayFile file;
    for (const auto& [key, x] : arrays) file.add(key, ag::Tensor<Stored>(x));
    ag::write_safetensors(folder / (name_ + ".safetensors"), file);
    for (auto& [key, described] : entry["tensors"].items())
      described["dtype"] = sizeof(Stored) == 4 ? "float32" : "float64";
    return run_file(folder.path(), name_, entry);
  }
  void scale(const std::string& key, double factor) {
    ag::Tensor<double>& x = arrays.at(key);
    for (ag::Size i = 0; i < x.size(); ++i) x.mutable_data()[i] *= factor;
  }

 private:
  std::string name_;
};

std::string refusal(const std::function<void(Changed&)>& change,
                    const std::string& name = "dense_tanh") {
  Changed c(name);
  change(c);
  const Verdict v = c.run();
  CHECK_FALSE(v.passed);
  return v.text;
}

std::string index_refusal(const std::string& text) {
  const TemporaryFolder folder;
  write_text(folder / "index.json", text);
  try {
    (void)read_index(folder.path());
  } catch (const ag::Error& e) {
    std::string message = e.what();
    const std::string path = (folder.path() / "").string();
    return message.erase(message.find(path), path.size());
  }
  return "no error";
}

const std::vector<std::string> samples{"dense_tanh",
                                       "activation_softmax_axis1",
                                       "time_block",
                                       "feature_block_single",
                                       "both_product",
                                       "both_joint",
                                       "loss_mae",
                                       "loss_binary_crossentropy_logits",
                                       "loss_categorical_crossentropy",
                                       "hvp_time_block",
                                       "hvp_feature_block",
                                       "optimizer_torch_adam",
                                       "optimizer_keras_rmsprop_centered",
                                       "clip_global_norm_torch",
                                       "schedule_keras_cosine_warmup",
                                       "attention_luong",
                                       "pearson_correlation",
                                       "correlated_attention",
                                       "dual_stage_simple_luong",
                                       "da_rnn_one_series",
                                       "metrics"};

}  // namespace

TEST_CASE("reference: one element off by 1e-3 in any compared array fails by name") {
  for (const std::string& name : samples) {
    CAPTURE(name);
    REQUIRE(Changed(name).run().passed);
    const Entry entry = parse_entry(name, Changed(name).entry);
    const auto file = ag::read_safetensors(golden / (name + ".safetensors"));
    for (const std::string& array : compared_arrays(entry, file)) {
      CAPTURE(array);
      Changed c(name);
      ag::Tensor<double>& x = c.arrays.at(array);
      double& element = x.mutable_data()[x.size() / 2];
      element += std::abs(element) < 1 ? 1e-3 : 1e-3 * element;
      const Verdict v = c.run();
      CHECK_FALSE(v.passed);
      CHECK_MESSAGE(v.text.find("double: " + array + "[") == 0, v.text);
      CHECK_MESSAGE(v.text.find("; float: " + array + "[") != std::string::npos, v.text);
      CHECK_MESSAGE(v.text.find("(1 of " + std::to_string(x.size())) != std::string::npos, v.text);
    }
  }
}

TEST_CASE("reference: the complaint gives the element, both values and what is allowed") {
  const std::string text = refusal([](Changed& c) {
    c.arrays.at("out").set({1, 4, 0}, 7);
    c.arrays.at("grad.bias").mutable_data()[1] += 1e-3;
  });
  CHECK_MESSAGE(text.find("double: ") == 0, text);
  CHECK_MESSAGE(text.find("out[1,4,0] is ") != std::string::npos, text);
  CHECK_MESSAGE(text.find(", expected 7: off by ") != std::string::npos, text);
  CHECK_MESSAGE(text.find(", allowed 7e-09 (1 of 30 elements outside); also grad.bias; float: ") !=
                    std::string::npos,
                text);
}

TEST_CASE("reference: a difference that only one precision shows fails in that one") {
  CHECK(refusal([](Changed& c) {
          c.entry["tolerance"]["float32"] = {{"rtol", 0}, {"atol", 0}};
        }).find("float: ") == 0);
  const std::string text =
      refusal([](Changed& c) { c.arrays.at("grad.bias").mutable_data()[0] += 1e-8; });
  CHECK(text.find("double: grad.bias[0]") == 0);
  CHECK(text.find("float") == std::string::npos);
}

TEST_CASE("reference: any array that is missing fails by name") {
  for (const std::string& name : samples)
    for (const auto& [array, x] : Changed(name).arrays) {
      Changed c(name);
      c.arrays.erase(array);
      if (!c.entry["tensors"].contains(array)) continue;
      const Verdict v = c.run();
      CHECK_FALSE(v.passed);
      CHECK(v.text == "[golden] array " + array + " of the index is not in the file");
    }
}

TEST_CASE("reference: what a block does not know is refused") {
  CHECK(refusal([](Changed& c) { c.entry["options"]["unit"] = 3; }) ==
        "[golden] option unit is not known to this block");
  CHECK(refusal([](Changed& c) { c.entry["options"].erase("units"); }) ==
        "[golden] option units is missing");
  CHECK(refusal([](Changed& c) { c.entry["options"]["units"] = "two"; }) ==
        "[golden] option units is \"two\", expected a whole number >= 0");
  CHECK(refusal([](Changed& c) { c.entry["options"]["use_bias"] = 1; }) ==
        "[golden] option use_bias is 1, expected true or false");
  CHECK(refusal([](Changed& c) {
          c.entry["options"]["activation"] = "tanhh";
        }).find("[golden] option activation is \"tanhh\", expected one of relu, ") == 0);
  CHECK(refusal([](Changed& c) { c.entry["options"]["axis"] = 9; }, "activation_softmax_axis0") ==
        "[golden] option axis is 9, expected an axis from -8 to 7");
  CHECK(refusal([](Changed& c) { c.entry["options"]["axis"] = 3; }, "activation_softmax_axis0") ==
        "[softmax] axis 3 is out of range for a tensor of rank 3");
  CHECK(refusal([](Changed& c) { c.entry["options"]["momentum"] = .9; }, "optimizer_keras_adam") ==
        "[golden] option momentum is not known to this block");
  CHECK(refusal([](Changed& c) { c.entry["options"]["time_steps"] = 4; }, "time_block") ==
        "[golden] x has the shape (3,5,4), the options say (batch,4,4)");
  CHECK(refusal([](Changed& c) { c.entry["options"]["from_logits"] = true; }, "loss_mse") ==
        "[golden] from_logits is true, but mse knows no logits");
  CHECK(refusal([](Changed& c) { c.entry["block"] = "Conv"; }) == "block Conv is not known");
}

TEST_CASE("reference: what a network or an attention of variables does not know is refused") {
  const auto with = [](const char* option, Json value, const char* name) {
    return refusal([&](Changed& c) { c.entry["options"][option] = value; }, name);
  };
  const auto without = [](const char* option, const char* name) {
    return refusal([&](Changed& c) { c.entry["options"].erase(option); }, name);
  };
  CHECK(with("score", "dot", "attention_luong") ==
        "[golden] option score is \"dot\", expected one of luong, bahdanau");
  CHECK(without("score", "attention_luong") == "[golden] option score is missing");
  CHECK(with("score", "bahdanau", "attention_luong") ==
        "[golden] the block has a parameter bahdanau_v, which the index does not list");
  CHECK(with("lift", "none", "seed5_lift_shared_dense") ==
        "[golden] option lift is \"none\", expected one of shared, separate");
  CHECK(with("constant", "one", "pearson_correlation") ==
        "[golden] option constant is \"one\", expected one of nan, zero");
  CHECK(with("second", "lstm", "dual_stage_simple_luong") ==
        "[golden] option second is \"lstm\", expected one of attention, time_block");
  CHECK(without("attention_units", "dual_stage_simple_luong") ==
        "[golden] option attention_units is missing");
  CHECK(with("include_current", 1, "da_rnn_one_series") ==
        "[golden] option include_current is 1, expected true or false");
  CHECK(with("instance_norm_gradient", "none", "itransformer") ==
        "[golden] option instance_norm_gradient is \"none\", expected one of full, detach_mean, "
        "detach_both");
  for (const char* name : {"attention_luong", "seed5_lift_shared_dense", "seed7_variable_query",
                           "correlated_attention", "pearson_correlation", "da_rnn_one_series",
                           "dual_stage_simple_luong", "itransformer"})
    CHECK(with("units_", 3, name) == "[golden] option units_ is not known to this block");
}

TEST_CASE("reference: files of the same form with other options") {
  {  // The correlation with a constant row is NaN where the file asks for 0, the gradient the same.
    Changed c("pearson_correlation_constant_rows");
    c.entry["options"].erase("constant");
    ag::Tensor<double>&r = c.arrays.at("out"), &constant = c.arrays.at("is_constant_row");
    for (ag::Size b = 0; b < 3; ++b)
      for (ag::Size i = 0; i < 5; ++i)
        for (ag::Size j = 0; j < 5; ++j)
          if (constant(b, i) + constant(b, j) > 0) r.set({b, i, j}, NAN);
    c.arrays.at("loss").set({}, NAN);
    const Verdict v = c.run();
    CHECK_MESSAGE(v.passed, v.text);
  }
  {  // The gradient of the published iTransformer as the one that is asked for.
    Changed c("itransformer");
    c.entry["options"]["instance_norm_gradient"] = "detach_mean";
    c.arrays.at("grad.x") = c.arrays.at("grad_detached_mean.x");
    const Verdict v = c.run();
    CHECK_MESSAGE(v.passed, v.text);
    c.entry["options"]["instance_norm_gradient"] = "detach_both";
    CHECK(c.run().text.find("double: grad.x[") == 0);
  }
}

TEST_CASE("reference: an entry that does not describe its file is refused") {
  auto without = [](const char* field) {
    return refusal([&](Changed& c) { c.entry.erase(field); });
  };
  for (const char* field :
       {"block", "options", "inputs", "parameters", "outputs", "gradients", "tolerance"})
    CHECK(without(field) == std::string("[golden] the index gives no ") + field);
  CHECK(refusal([](Changed& c) { c.entry["loss"] = "sum"; }) ==
        "[golden] loss in the index is \"sum\", expected cotangent, half_square, out or null");
  CHECK(refusal([](Changed& c) { c.entry["loss"] = nullptr; }) ==
        "[golden] the index lists gradients, but no loss");
  CHECK(refusal([](Changed& c) { c.entry["tolerance"]["float64"]["rtol"] = "1e-9"; }) ==
        "[golden] rtol of float64 in the index is \"1e-9\", expected a number >= 0");
  CHECK(refusal([](Changed& c) {
          c.entry["tensors"]["out"]["shape"] = {3, 2, 5};
        }) == "[golden] array out is F64 (3,5,2) in the file and F64 (3,2,5) in the index");
  CHECK(refusal([](Changed& c) { c.entry["inputs"].push_back("mask"); }) ==
        "[golden] input mask is not used by this block");
  CHECK(refusal([](Changed& c) { c.entry["inputs"] = Json::array(); }) ==
        "[golden] input x is missing");
  CHECK(refusal([](Changed& c) { c.entry["parameters"] = {"kernel"}; }) ==
        "[golden] the block has a parameter bias, which the index does not list");
  CHECK(refusal([](Changed& c) { c.entry["parameters"].push_back("gamma"); }) ==
        "[golden] the block has no parameter gamma");
  CHECK(refusal([](Changed& c) { c.entry["outputs"].push_back("weights"); }) ==
        "[golden] the block does not give weights");
  CHECK(refusal([](Changed& c) { c.entry["gradients"].push_back("grad.y"); }) ==
        "[golden] a derivative by y is asked for, which is neither parameter nor input");
  CHECK(refusal([](Changed& c) {
          c.arrays.erase("cotangent");
          c.entry["tensors"].erase("cotangent");
        }) == "[golden] array cotangent is missing");
  CHECK(refusal(
            [](Changed& c) {
              c.entry["outputs"] = Json::array();
              c.arrays.erase("steps");
              c.entry["tensors"].erase("steps");
            },
            "optimizer_keras_sgd") == "[golden] there is nothing to compare");
}

TEST_CASE("reference: files and indexes that cannot be read are refused in one sentence") {
  const TemporaryFolder folder;
  const Json entry = Changed("dense_tanh").entry;
  CHECK(run_file(folder.path(), "dense_tanh", entry).text ==
        "[safetensors] '" + (folder / "dense_tanh.safetensors").string() + "' does not exist");
  const std::string whole = read_text(golden / "dense_tanh.safetensors");
  write_text(folder / "dense_tanh.safetensors", whole.substr(0, whole.size() - 8));
  CHECK(run_file(folder.path(), "dense_tanh", entry).text ==
        "[safetensors] '" + (folder / "dense_tanh.safetensors").string() +
            "' is cut short: expected " + std::to_string(whole.size()) + " bytes, found " +
            std::to_string(whole.size() - 8));
  CHECK(run_file(folder.path(), "dense_tanh", 3).text ==
        "[golden] the index gives 3, expected an object");

  CHECK(index_refusal("{\"files\":") == "[golden] 'index.json' is not valid JSON, at byte 10 of 9");
  CHECK(index_refusal("{\"files\":[]}") == "[golden] 'index.json' has no object 'files'");
  CHECK(index_refusal("{\"files\":{}}") == "[golden] 'index.json' lists no files");
  CHECK(index_refusal("{\"files\":{\"a\":{},\"a\":{}}}") ==
        "[golden] 'index.json' gives the name 'a' twice");
}

TEST_CASE("reference: other files of the same form are read") {
  Changed negative("activation_softmax_axis1");
  negative.entry["options"]["axis"] = -2;
  CHECK(negative.run().passed);

  Changed defaults("activation_softmax_axis2");
  defaults.entry["options"].erase("axis");
  CHECK(defaults.run().passed);

  Changed absent("dense_rank3");
  absent.entry["options"] = {{"units", 6}};
  CHECK(absent.run().passed);

  // The gradient of a sum is that of the mean times the number of elements.
  Changed sum("loss_mse");
  const auto n = static_cast<double>(sum.arrays.at("y_pred").size());
  sum.entry["options"]["reduction"] = "sum";
  for (const char* array : {"out", "loss", "grad.y_pred"}) sum.scale(array, n);
  CHECK(sum.run().passed);

  // Rounded to F32 the arrays agree to F32's precision only.
  Changed narrow("time_block");
  CHECK_FALSE(narrow.run<float>().passed);
  narrow.entry["tolerance"]["float64"] = {{"rtol", 1e-6}, {"atol", 1e-6}};
  CHECK(narrow.run<float>().passed);
}

TEST_CASE("reference: the criterion") {
  ag::ArrayFile file;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  file.add("out", ag::Tensor<double>({4}, {100, .5, nan, -inf}));
  file.add("grad.key.bias", ag::Tensor<double>({2}, {1e-18, 0}));
  file.add("grad.x", ag::Tensor<double>({1}, 50.));
  Entry entry;
  entry.in_double = {.rtol = 1e-3, .atol = 1e-6};
  entry.in_float = {.rtol = 1e-3, .atol = 1e-6};

  SUBCASE("double: by element; float: by the largest of the array") {
    const double off = .505;  // .005 away, .0005 allowed by its own size, .1 by that of the array
    const auto in_double =
        compare(entry, file, "out", ag::Tensor<double>({4}, {100, off, nan, -inf}));
    CHECK(in_double.at == 1);
    CHECK(in_double.outside == 1);
    CHECK(in_double.allowed == doctest::Approx(1e-6 + .5e-3));
    const auto in_float = compare(
        entry, file, "out", ag::Tensor<float>({4}, {100, float(off), float(nan), float(-inf)}));
    CHECK(in_float.holds());
    CHECK(in_float.allowed == doctest::Approx(1e-6 + .1));
  }
  SUBCASE("NaN and infinity agree with themselves only") {
    auto outside = [&](double third, double fourth) {
      return compare(entry, file, "out", ag::Tensor<double>({4}, {100, .5, third, fourth})).outside;
    };
    CHECK(outside(nan, -inf) == 0);
    CHECK(outside(0, -inf) == 1);
    CHECK(outside(nan, inf) == 1);
    CHECK(outside(nan, -1e308) == 1);
    CHECK(outside(inf, nan) == 2);
    CHECK(compare(entry, file, "out", ag::Tensor<double>({4}, {nan, .5, nan, -inf})).outside == 1);
  }
  SUBCASE("what is zero by theory is measured by all gradients in float") {
    const ag::Tensor<float> noise({2}, {1e-2f, 0});
    CHECK_FALSE(compare(entry, file, "grad.key.bias", noise).holds());
    entry.zero_by_theory = {"grad.key.bias"};
    CHECK(compare(entry, file, "grad.key.bias", noise).holds());
    CHECK_FALSE(compare(entry, file, "grad.key.bias", ag::Tensor<float>({2}, {.1f, 0})).holds());
    CHECK_FALSE(compare(entry, file, "grad.key.bias", ag::Tensor<double>({2}, {1e-2, 0})).holds());
  }
  SUBCASE("shapes must be equal, not only sizes") {
    CHECK_THROWS_WITH((void)compare(entry, file, "out", ag::Tensor<double>({2, 2}, 0.)),
                      "[golden] array out has the shape (2,2), expected (4)");
  }
}
