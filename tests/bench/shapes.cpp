// Attention at sizes that are no multiples of anything and with every option: 37 tokens of 33
// numbers, 3 heads, batch 17. JSON lines as of workloads.cpp; `compare.sh --shapes` runs it beside
// PyTorch and JAX.
#include <algorithm>
#include <functional>
#include <iostream>

#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>

#include "command_line.hpp"
#include "train.hpp"

namespace bench {
namespace {

constexpr Size batch = 17, tokens = 37, width = 33;

// 1 but for every third element, and never 0 throughout a row.
template <class T>
ag::Tensor<T> mask(const Shape& shape) {
  ag::Tensor<T> m(shape, T(1));
  for (Size i = 0; i < m.size(); i += 3) m.mutable_data()[i] = 0;
  return m;
}

struct What {
  Shape mask{};
  Size keys = 0;  // cross-attention to so many other tokens
  bool weights = false;
};

template <class T>
struct Attending {
  using scalar = T;
  Attending(const ag::MultiHeadAttentionOptions& options, const What& what)
      : attention(options), what_(what) {
    if (what.mask.rank()) masks_.mask = ag::Var<T>(mask<T>(what.mask));
  }
  ag::Var<T> operator()(const ag::Var<T>& x) const {
    return what_.weights ? attention.with_weights(x, masks_).out : attention(x, masks_);
  }
  ag::Var<T> operator()(const ag::Var<T>& x, const ag::Var<T>& y) const {
    return attention(x, y, y, masks_);
  }
  void visit(auto&& v) { v("attention", attention); }

  ag::MultiHeadAttention<T> attention;

 private:
  What what_;
  ag::AttentionMasks<T> masks_;
};

struct Classes {
  using scalar = float;
  ag::Dense<float> dense{width, width};
  auto operator()(auto x) const { return ag::log_softmax(dense(x), -1); }
  void visit(auto&& v) { v("dense", dense); }
};

template <std::size_t Inputs, class Model>
double train(const Settings& settings, Model model, const Data<Inputs>& data) {
  Training<Model, std::decay_t<decltype(ag::mse)>, Inputs> run(model, ag::mse, data);
  const double us = measure(settings, [&] { run.step(); });
  if (settings.profile) run.profile(std::cerr);
  return us;
}

template <class T = float>
double attend(const Settings& s, ag::MultiHeadAttentionOptions o, const What& what = {},
              Size n = tokens) {
  o.num_heads = 3, o.embed_size = o.output_dim = width;
  if (o.key_dim == 0) o.key_dim = 22;
  Attending<T> model(o, what);
  if (what.keys)
    return train<2>(s, std::move(model),
                    {{Shape{batch, n, width}, Shape{batch, what.keys, width}}, {batch, n, width}});
  return train<1>(s, std::move(model), {{Shape{batch, n, width}}, {batch, n, width}});
}

struct Row {
  const char* name;
  std::function<double(const Settings&)> run;
};
const std::vector<Row> rows{
    {"A1", [](const Settings& s) { return attend(s, {}); }},
    {"A2",
     [](const Settings& s) {
       return attend(s, {}, {.mask = {batch, tokens}});
     }},
    {"A3", [](const Settings& s) { return attend(s, {.causal = true}); }},
    {"A4",
     [](const Settings& s) {
       return attend(s, {}, {.mask = {batch, tokens, tokens}});
     }},
    {"A5",
     [](const Settings& s) {
       return attend<double>(s, {}, {.mask = {batch, tokens}});
     }},
    {"A6", [](const Settings& s) { return attend(s, {.value_dim = 10}, {.keys = 50}); }},
    {"A7", [](const Settings& s) { return attend(s, {}, {.weights = true}); }},
    {"A8", [](const Settings& s) { return attend(s, {.dropout = .1}); }},
    {"A9", [](const Settings& s) { return attend(s, {.causal = true}, {}, 321); }},
    {"A10", [](const Settings& s) {
       return train<1>(s, Classes(), {{Shape{batch, tokens, width}}, {batch, tokens, width}});
     }}};

int run(int argc, char** argv) {
  CommandLine line("Times training steps of attention; prints one JSON line each, microseconds.");
  Settings settings;
  int threads = 1;
  Names only;
  line.positive("--threads", threads, "threads to compute with");
  line.option("--only", only, "some rows: A1,A2");
  line.measuring(settings);
  line.flag("--profile", settings.profile, "then 100 steps op by op");
  if (const auto code = line.parse(argc, argv)) return *code;
  ag::kernels::set_threads(threads);
  for (const Row& row : rows)
    if (only.empty() || std::count(only.begin(), only.end(), row.name))
      print_line({{"workload", row.name},
                  {"peer", "axisgrad"},
                  {"threads", threads},
                  {"us", row.run(settings)}});
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "shapes: " << e.what() << "\n";
    return 1;
  }
}
