#include <cmath>

#include <doctest/doctest.h>

#include <axisgrad/optim/schedule.hpp>

#include "../error_of.hpp"

namespace ag = axisgrad;
using doctest::Approx;

namespace {}  // namespace

TEST_CASE("step and exponential decay") {
  const ag::StepDecay step{.initial_learning_rate = .4, .step_size = 3, .gamma = .5};
  CHECK(step(0) == .4);
  CHECK(step(2) == .4);
  CHECK(step(3) == .2);
  CHECK(step(8) == .1);
  ag::ExponentialDecay decay{.initial_learning_rate = .4, .decay_steps = 4, .decay_rate = .25};
  CHECK(decay(0) == .4);
  CHECK(decay(2) == Approx(.2));
  CHECK(decay(8) == Approx(.025));
  decay.staircase = true;
  CHECK(decay(3) == .4);
  CHECK(decay(4) == .1);
  CHECK(decay(7) == .1);
}

TEST_CASE("cosine decay: the end is kept; with a warm-up the peak is reached at its end") {
  const ag::CosineDecay cosine{.initial_learning_rate = .2, .decay_steps = 6, .alpha = .1};
  CHECK(cosine(0) == Approx(.2));
  CHECK(cosine(2) == Approx(.2 * (.9 * .75 + .1)));
  CHECK(cosine(3) == Approx(.2 * .55));
  CHECK(cosine(6) == Approx(.02));
  CHECK(cosine(99) == Approx(.02));
  const ag::CosineDecay warm{
      .initial_learning_rate = .1, .decay_steps = 6, .warmup_target = .5, .warmup_steps = 4};
  CHECK(warm(0) == Approx(.1));
  CHECK(warm(1) == Approx(.2));
  CHECK(warm(4) == Approx(.5));
  CHECK(warm(7) == Approx(.25));
  CHECK(warm(10) == Approx(0));
  const ag::CosineAnnealing annealing{.initial_learning_rate = .5, .period = 4, .low = .1};
  CHECK(annealing(0) == Approx(.5));
  CHECK(annealing(2) == Approx(.3));
  CHECK(annealing(4) == Approx(.1));
  CHECK(annealing(6) == Approx(.3));
}

TEST_CASE("linear warm-up: never 0, the peak once, then one factor per step (C54)") {
  const ag::LinearWarmup warm{
      10, ag::StepDecay{.initial_learning_rate = 1, .step_size = 1, .gamma = .1}};
  for (int i = 0; i < 10; ++i) CHECK(warm(i) == Approx(.1 * (i + 1)));
  CHECK(warm(10) == Approx(.1));
  CHECK(warm(11) == Approx(.01));
}

TEST_CASE("reduce on plateau: Keras waits for `patience` epochs, torch for one more") {
  for (auto c : {ag::Convention::keras, ag::Convention::torch}) {
    ag::ReduceOnPlateau plateau{{.factor = .5,
                                 .patience = 2,
                                 .min_delta = .01,
                                 .cooldown = 2,
                                 .min_learning_rate = .2,
                                 .convention = c}};
    const bool keras = c == ag::Convention::keras;
    double rate = 1;
    auto next = [&](double loss) { return rate = plateau(loss, rate); };
    CHECK(next(1) == 1);
    CHECK(next(.5) == 1);    // better
    CHECK(next(.499) == 1);  // not by enough
    CHECK(next(.5) == (keras ? .5 : 1));
    CHECK(next(.5) == .5);  // Keras: cooling down
    CHECK(next(.5) == .5);
    CHECK(next(.5) == (keras ? .25 : .5));
    CHECK(next(.4) == (keras ? .25 : .5));  // better
    for (int i = 0; i < 9; ++i) next(.4);
    CHECK(rate == .2);
  }
}

TEST_CASE("reduce on plateau: state by name") {
  const ag::PlateauOptions options{.factor = .5, .patience = 3};
  ag::ReduceOnPlateau a{options}, b{options};
  (void)a(1, 1), (void)a(1, 1), (void)a(1, 1);
  std::vector<ag::Tensor<double>> state;
  a.visit([&](auto, auto& t) { state.push_back(t); });
  CHECK(state.size() == 3);
  auto from = state.begin();
  b.visit([&](auto, auto& t) { t = *from++; });
  CHECK(b(1, 1) == .5);
}

TEST_CASE("schedules: errors") {
  CHECK(error_of([] { (void)ag::StepDecay{.step_size = 0}(0); }) ==
        "[StepDecay] step_size must be at least 1, got 0");
  CHECK(error_of([] { (void)ag::ExponentialDecay{.initial_learning_rate = -1}(0); }) ==
        "[ExponentialDecay] initial_learning_rate must be finite and at least 0, got -1");
  CHECK(error_of([] { (void)ag::CosineDecay{.warmup_steps = 3}(0); }) ==
        "[CosineDecay] warmup_steps and warmup_target belong together: one is missing");
  CHECK(error_of([] { (void)ag::CosineAnnealing{.period = 0}(0); }) ==
        "[CosineAnnealing] period must be at least 1, got 0");
  CHECK(error_of([] { (void)ag::CosineAnnealing{}(-1); }) ==
        "[CosineAnnealing] a step counts from 0, got -1");
  CHECK(error_of([] { ag::ReduceOnPlateau{{.factor = 1}}; }) ==
        "[ReduceOnPlateau] factor must be greater than 0 and less than 1, got 1");
}
