// The workloads on which axisgrad is compared with other libraries, one JSON line each. compare.sh
// runs this beside the same models in PyTorch, JAX and Keras; docs/performance.md has the results.
#include <algorithm>
#include <iostream>

#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>

#include "command_line.hpp"
#include "models.hpp"
#include "train.hpp"

namespace bench {
namespace {

template <class Model, std::size_t Inputs>
Figure training(const Settings& settings, const auto& loss, const Data<Inputs>& data) {
  Model model;
  Training<Model, std::decay_t<decltype(loss)>, Inputs> run(model, loss, data);
  if (settings.steps == 0) {
    const Figure figure = run.figure(measure(settings, [&] { run.step(); }));
    if (settings.profile) run.profile(std::cerr);
    return figure;
  }
  for (int i = 0; i < settings.steps; ++i) run.step();
  return run.figure(0);
}

constexpr auto flags = Values::flags, uniform = Values::uniform;

// The whole Jacobian of the loss by the model's input and all its parameters, in double, by central
// differences at the given point: what torch.autograd.gradcheck does.
Figure gradient_check(const Settings& settings) {
  TimeBlock<float> model;
  const auto parameters = ag::parameters(model);
  ag::initialise(parameters, 7);
  const auto x = random<double>({2, 20, 2}, Values::normal, 1);
  const ag::Var<double> y(random<double>({2, 1}, flags, 2));
  const auto loss = [&](auto v) { return ag::binary_crossentropy_from_logits(model(v), y); };
  const double start = seconds(settings.clock);
  const auto report = ag::gradcheck(
      loss, x, ag::GradcheckOptions{.mode = ag::GradcheckMode::two_point, .other_points = false});
  const double us = (seconds(settings.clock) - start) * 1e6;
  if (!report) ag::fail("workloads", "the gradient check of W1 failed: ", report);
  return {.us = us, .parameters = ag::count(parameters)};
}

// A graph of 10 nodes, each a number: what the tape itself costs.
Figure scalar_graph(const Settings& settings) {
  ag::Parameter<float> a{Shape{}}, b{Shape{}};
  a.set_value(ag::Tensor<float>(Shape{}, -4.f)), b.set_value(ag::Tensor<float>(Shape{}, 2.f));
  ag::Tape<float> tape;
  const double us = measure(settings, [&] {
    a.mutable_grad() = ag::Tensor<float>(), b.mutable_grad() = ag::Tensor<float>();
    const auto x = tape.watch(a), y = tape.watch(b);
    const auto c = x + y, d = x * y + y * y * y, e = c - d, f = e * e, g = f / 2;
    ag::backward(g);
  });
  // e = a + b - a b - b^3, g = e^2 / 2: dg/da = e (1 - b), dg/db = e (1 - a - 3 b^2)
  if (a.grad().item() != 2 || b.grad().item() != 14)
    ag::fail("workloads", "gradients of W12: expected 2 and 14, got ", a.grad(), " and ", b.grad());
  return {.us = us, .parameters = 2};
}

struct Workload {
  const char* name;
  Figure (*run)(const Settings&);
};

const std::vector<Workload> workloads = {
    {"W1",
     [](const Settings& s) {
       return training<TimeBlock<float>, 1>(s, ag::binary_crossentropy_from_logits,
                                            {{{{64, 20, 2}}}, {64, 1}, Values::normal, flags});
     }},
    {"W2",
     [](const Settings& s) {
       return training<FeatureBlock, 1>(s, ag::binary_crossentropy_from_logits,
                                        {{{{64, 20, 10}}}, {64, 1}, Values::normal, flags});
     }},
    {"W3",
     [](const Settings& s) {
       return training<Luong, 1>(s, ag::mae, {{{{100, 10, 1}}}, {100, 1}});
     }},
    {"W4",
     [](const Settings& s) {
       return training<Bahdanau, 1>(s, ag::mae, {{{{64, 20, 1}}}, {64, 1}, uniform, uniform});
     }},
    {"W5",
     [](const Settings& s) {
       return training<OverTime, 1>(s, ag::mse, {{{{100, 4, 12}}}, {100, 1}});
     }},
    {"W6",
     [](const Settings& s) {
       return training<OverVariables, 1>(s, ag::mse, {{{{100, 4, 12}}}, {100, 1}});
     }},
    {"W7",
     [](const Settings& s) {
       return training<DaRnn, 2>(s, ag::mse, {{{{128, 10, 81}, {128, 10}}}, {128, 1}});
     }},
    {"W8",
     [](const Settings& s) {
       return training<Inverted<256, 2>, 1>(s, ag::mse, {{{{32, 96, 7}}}, {32, 96, 7}});
     }},
    {"W9",
     [](const Settings& s) {
       return training<Inverted<512, 3>, 1>(s, ag::mse, {{{{16, 96, 321}}}, {16, 96, 321}});
     }},
    {"W10",
     [](const Settings& s) {
       return training<LongLstm, 1>(s, ag::mse, {{{{64, 100, 64}}}, {64, 1}});
     }},
    {"W11", gradient_check},
    {"W12", scalar_graph},
};

int run(int argc, char** argv) {
  CommandLine line(
      "Times training steps; prints one JSON line per workload, times in microseconds.");
  Settings settings;
  int threads = 1;
  Names only, names;
  for (const Workload& w : workloads) names.push_back(w.name);
  line.positive("--threads", threads, "threads to compute with");
  line.option("--only", only, "some workloads: W1,W2", names);
  line.measuring(settings);
  line.flag("--profile", settings.profile,
            "then 100 steps op by op, as a table on the standard error output");
  line.option("--steps", settings.steps, "take so many training steps and no time");
  if (const auto code = line.parse(argc, argv)) return *code;
  ag::kernels::set_threads(threads);
  for (const Workload& w : workloads) {
    if (!only.empty() && !std::count(only.begin(), only.end(), w.name)) continue;
    const Figure figure = w.run(settings);
    print_line({{"workload", w.name},
                {"peer", "axisgrad"},
                {"version", AXISGRAD_VERSION},
                {"threads", threads},
                {"us", figure.us},
                {"loss_first", figure.loss_first},
                {"loss_last", figure.loss_last},
                {"parameters", figure.parameters}});
  }
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "workloads: " << e.what() << "\n";
    return 1;
  }
}
