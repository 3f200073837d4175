// How a training step grows: attention over time with the number of steps, attention over variables
// with the number of variables, an LSTM with the batch. One case and size for each run of the
// program, since the peak memory of a process cannot be taken back. scaling.sh runs it beside
// PyTorch; docs/performance.md has the results.
#include <iostream>

#include <sys/resource.h>

#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/nn/itransformer.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>

#include "command_line.hpp"
#include "train.hpp"

namespace bench {
namespace {

/// x (2,T,64) -> (2,T,1): 4 heads, every step sees every step.
struct OverTime {
  using scalar = float;
  ag::MultiHeadAttention<float> attention{
      {.num_heads = 4, .embed_dim = 64, .axis = ag::Axis::time}};
  ag::Dense<float> out{64, 1};
  auto operator()(auto x) const { return out(attention(x)); }
  void visit(auto&& v) { v("attention", attention), v("out", out); }
};

/// x (4,96,N) -> (4,96,N): one layer of an iTransformer, 4 heads, every variable sees every
/// variable.
struct OverVariables : ag::ITransformer<float> {
  OverVariables()
      : ITransformer({.time_steps = 96,
                      .horizon = 96,
                      .d_model = 64,
                      .num_heads = 4,
                      .d_ff = 64,
                      .layers = 1,
                      .dropout = .1,
                      .instance_norm_gradient = ag::InstanceNormGradient::detach_both}) {}
};

/// x (B,50,32) -> (B,1).
struct Recurrent {
  using scalar = float;
  ag::LSTM<float> lstm{{.inputs = 32, .units = 64}};
  ag::Dense<float> out{64, 1};
  auto operator()(auto x) const { return out(lstm(x).last()); }
  void visit(auto&& v) { v("lstm", lstm), v("out", out); }
};

template <class Model>
double train(const Settings& settings, const Shape& x, const Shape& y) {
  Model model;
  Training<Model, std::decay_t<decltype(ag::mse)>, 1, 2> run(model, ag::mse, {{x}, y});
  return measure(settings, [&] { run.step(); });
}

double of(const std::string& name, Size n, const Settings& s) {
  if (name == "time") return train<OverTime>(s, {2, n, 64}, {2, n, 1});
  if (name == "variables") return train<OverVariables>(s, {4, 96, n}, {4, 96, n});
  return train<Recurrent>(s, {n, 50, 32}, {n, 1});
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

int run(int argc, char** argv) {
  CommandLine line("Times a training step of one size; prints a JSON line, time in microseconds.");
  Settings settings;
  std::string name;
  Size size = 0;
  line.option("--case", name, "time, variables or batch", {"time", "variables", "batch"});
  line.require("--case");
  line.positive("--size", size, "steps, variables or batch");
  line.require("--size");
  line.measuring(settings);
  if (const auto code = line.parse(argc, argv)) return *code;
  ag::kernels::set_threads(1);
  const double before = peak_megabytes(), us = of(name, size, settings);
  print_line({{"case", name},
              {"size", size},
              {"peer", "axisgrad"},
              {"us", us},
              {"megabytes", peak_megabytes()},
              {"megabytes_before", before}});
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "scaling: " << e.what() << "\n";
    return 1;
  }
}
