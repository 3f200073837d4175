// Lesson 8: an LSTM learns a sine wave, then runs on its own.
//
// You learn what an LSTM returns (sequence(), last(), state()) and what the state is for. The layer
// is trained to say the next value of a noisy sine at every step of a window. Then it is fed one
// window, and after that nothing but its own answers, one step at a time, its state handed on from
// call to call: that gives the same numbers as one call over the whole sequence, and the wave goes
// on.
#include <cmath>
#include <fstream>
#include <numbers>

#include <fmt/core.h>

#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/lstm.hpp>

#include "common/gnuplot.hpp"
#include "common/gradients.hpp"
#include "common/lesson.hpp"
#include "common/training.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size window = 50, run_on = 100, units = 32;
constexpr double period = 25, noise = .1;

double wave(double t) { return std::sin(2 * std::numbers::pi * t / period); }

// x (N,50,1) from a random phase, y (N,50,1) the value after each.
ag::Dataset<float> waves(ag::Size samples, std::uint64_t seed) {
  const ag::RandomStream random(seed);
  ag::Tensor<float> x({samples, window, 1}), y({samples, window, 1});
  for (ag::Size n = 0; n < samples; ++n) {
    const auto sample = static_cast<std::uint64_t>(n);
    const double phase = period * random.uniform(sample, 0);
    const auto value = [&](ag::Size t) {
      return static_cast<float>(wave(phase + static_cast<double>(t)) +
                                noise * random.normal(sample, 1 + static_cast<std::uint64_t>(t)));
    };
    for (ag::Size t = 0; t < window; ++t) {
      x.mutable_data()[n * window + t] = value(t);
      y.mutable_data()[n * window + t] = value(t + 1);
    }
  }
  return {x, y};
}

struct Model {
  using scalar = float;
  ag::LSTM<float> lstm{{.inputs = 1, .units = units}};
  ag::Dense<float> head{units, 1};

  auto operator()(const auto& x) const { return head(lstm(x).sequence()); }
  void visit(auto&& visitor) { visitor("lstm", lstm), visitor("head", head); }
};

// Fed with the wave for one window, then with its own answers.
std::vector<double> run_alone(const Model& model, double phase) {
  ag::Tensor<float> start({1, window, 1});
  for (ag::Size t = 0; t < window; ++t)
    start.mutable_data()[t] = static_cast<float>(wave(phase + static_cast<double>(t)));
  auto result = model.lstm(ag::constant(start));
  std::vector<double> answers;
  for (ag::Size t = 0; t < run_on; ++t) {
    const auto next = model.head(result.last());  // (1,1)
    answers.push_back(static_cast<double>(next.item()));
    result = model.lstm(ag::reshape(next, {1, 1, 1}), {.initial_state = result.state()});
  }
  return answers;
}

// How far one call over the window is from a call for each step that hands the state on.
double difference_by_step(const Model& model, const ag::Tensor<float>& x) {
  const auto whole = model.lstm(ag::constant(x)).last();
  std::optional<ag::LstmState<float>> state;
  for (ag::Size t = 0; t < window; ++t)
    state =
        model
            .lstm(ag::slice(ag::constant(x), {.axis = ag::Axis::time, .begin = t, .end = t + 1}),
                  {.initial_state = state})
            .state();
  return static_cast<double>(ag::max(abs(whole - state->h)).item());
}

void picture(const std::vector<double>& answers, double phase, double error,
             const lesson::Options& options) {
  std::ofstream data(options.out / "sine.dat");
  for (ag::Size t = 0; t < window + run_on; ++t)
    data << t << ' ' << wave(phase + static_cast<double>(t)) << ' '
         << (t < window ? NAN : answers[static_cast<std::size_t>(t - window)]) << '\n';
  data.close();
  const auto path =
      lesson::run_gnuplot(options.out, "sine",
                          fmt::format(R"(set terminal pngcairo size 1000,420 font 'DejaVu Sans,11'
set output 'sine.png'
set title "LSTM({}) run on by itself for {} steps: rms error {}, amplitude 1" font 'DejaVu Sans,14'
set xlabel 'step'
set ylabel 'value'
set key below
set bmargin 5.5
set xrange [0:{}]
set yrange [-1.4:1.4]
set arrow 1 from {},-1.4 to {},1.4 nohead dashtype 2 linecolor '#777777'
set label 1 'fed with the wave' at {},1.25 right textcolor '#555555'
set label 2 'fed with its own answers' at {},1.25 left textcolor '#555555'
plot 'sine.dat' using 1:2 with lines linewidth 2 linecolor '#9ecae1' title 'the wave', \
     '' using 1:3 with lines linewidth 2 linecolor '#d95f02' title 'the answers'
)",
                                      units, run_on, lesson::figure(error), window + run_on - 1,
                                      window, window, window - 2, window + 2));
  fmt::print("{}\n", path.string());
}

bool sine(const lesson::Options& options) {
  Model model;
  ag::initialise(ag::parameters(model), 1);
  const auto checked = lesson::check_gradients(
      "LSTM and Dense", [&](const auto& x) { return model(x); }, lesson::normal_values({2, 5, 1}));
  const auto losses = lesson::train(model, ag::mse, waves(options.quick ? 500 : 1'000, 1),
                                    {.epochs = options.quick ? 15 : 40, .learning_rate = 5e-3});
  const auto test = waves(200, 2);
  const double error = std::sqrt(ag::evaluate(model, ag::mse, test).loss);
  double repeat = 0;
  for (ag::Size i = 0; i < test.x.size(); ++i)
    repeat += std::pow(double(test.x.data()[i]) - double(test.y.data()[i]), 2);
  repeat = std::sqrt(repeat / static_cast<double>(test.x.size()));
  fmt::print(
      "loss {:.4f} -> {:.4f}; next value of new waves: rms error {:.3f}, repeating the last "
      "value {:.3f}, the noise {:.3f}\n",
      losses.first, losses.last, error, repeat, noise);

  const double phase = 7;
  const auto answers = run_alone(model, phase);
  double alone = 0;
  for (std::size_t t = 0; t < answers.size(); ++t)
    alone += std::pow(answers[t] - wave(phase + static_cast<double>(window) + double(t)), 2) /
             static_cast<double>(run_on);
  alone = std::sqrt(alone);
  picture(answers, phase, alone, options);

  bool all = lesson::claim(checked.right, "the gradients of first and second order are right");
  all &= lesson::claim(error < .7 * repeat && error < 1.6 * noise,
                       fmt::format("one step ahead it is nearer the noise ({:.3f}) than repeating "
                                   "({:.3f}): {:.3f}",
                                   noise, repeat, error));
  const double difference = difference_by_step(model, ag::take_rows(test.x, {0, 1}));
  all &= lesson::claim(difference < 1e-5,
                       fmt::format("step by step with the state handed on is the same as one call "
                                   "(to {:.1e})",
                                   difference));
  all &= lesson::claim(alone < .5, fmt::format("alone it keeps the wave for {:.0f} periods: rms "
                                               "error {:.3f}, a flat line has .707",
                                               run_on / period, alone));
  return all;
}

}  // namespace

int main(int argc, char** argv) { return lesson::run(argc, argv, "An LSTM on a sine", sine); }
