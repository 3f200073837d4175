// One to three steps of each optimizer against values worked out by hand, in both conventions.
#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/rmsprop.hpp>
#include <axisgrad/optim/sgd.hpp>

#include "../error_of.hpp"

namespace ag = axisgrad;
using ag::Convention, ag::Parameter, ag::Shape, ag::Tensor;

namespace {

struct Scalars {
  Parameter<double> a{Shape{}}, b{Shape{}};
  explicit Scalars(double value = 1) {
    a.set_value({Shape{}, value}), b.set_value({Shape{}, value});
    a.set_name("a"), b.set_name("b");
  }
  ag::Parameters<double> list() { return {&a, &b}; }
};

double item(const Parameter<double>& p) { return p.value().item(); }

// The value of a parameter that starts at `start`, after steps with these gradients.
template <class O>
double after(O optimizer, std::initializer_list<double> gradients, double start = 1) {
  Scalars p(start);
  optimizer.bind({&p.a});
  for (double g : gradients) {
    p.a.mutable_grad() = {Shape{}, g};
    optimizer.step();
    CHECK(p.a.grad().item() == g);
  }
  return item(p.a);
}

using SGD = ag::SGD<double>;
using Adam = ag::Adam<double>;
using AdamW = ag::AdamW<double>;
using RMSprop = ag::RMSprop<double>;

}  // namespace

static_assert(ag::OptimizerFor<ag::SGD<float>, float> && ag::OptimizerFor<Adam, double> &&
              ag::OptimizerFor<AdamW, double> && ag::OptimizerFor<RMSprop, double>);

TEST_CASE("SGD: plain, momentum, nesterov; the conventions part when the rate changes") {
  for (auto c : {Convention::keras, Convention::torch}) {
    CHECK(after(SGD{{.learning_rate = .1, .convention = c}}, {1, 2}) == doctest::Approx(.7));
    // v = 1, then .9 + 2 = 2.9
    const SGD heavy{{.learning_rate = .1, .momentum = .9, .convention = c}};
    CHECK(after(heavy, {1, 2}) == doctest::Approx(1 - .1 - .29));
    // steps 1 + .9, then 2 + .9 * 2.9
    const SGD nesterov{{.learning_rate = .1, .momentum = .9, .nesterov = true, .convention = c}};
    CHECK(after(nesterov, {1, 2}) == doctest::Approx(1 - .19 - .461));

    Scalars p;
    SGD changing{{.learning_rate = .1, .momentum = .5, .convention = c}};
    changing.bind({&p.a});
    p.a.mutable_grad() = {Shape{}, 1.0};
    changing.step();
    changing.set_learning_rate(1);
    changing.step();
    // Keras keeps the old rate in the velocity: -.1, then -.05 - 1; torch: 1, then 1.5 times 1.
    CHECK(item(p.a) == doctest::Approx(c == Convention::keras ? 1 - .1 - 1.05 : 1 - .1 - 1.5));
  }
}

TEST_CASE("weight decay: of the value in Keras, of the gradient in torch") {
  const double keras =
      after(SGD{{.learning_rate = .1, .momentum = .5, .weight_decay = .2}}, {1, 1}, 2);
  // 2 -> 2*.98 - .1 = 1.86 -> 1.86*.98 - .15
  CHECK(keras == doctest::Approx(1.6728));
  const SGD torch{
      {.learning_rate = .1, .momentum = .5, .weight_decay = .2, .convention = Convention::torch}};
  // g = 1.4, p = 1.86; g = 1.372, v = 2.072
  CHECK(after(torch, {1, 1}, 2) == doctest::Approx(1.6528));

  // With a gradient of 0 AdamW only shrinks; Adam does in Keras, in torch it takes a full step.
  for (auto c : {Convention::keras, Convention::torch}) {
    const ag::AdamOptions decay{.learning_rate = .1, .weight_decay = .5, .convention = c};
    CHECK(after(AdamW{decay}, {0}, 2) == doctest::Approx(1.9));
    CHECK(after(Adam{decay}, {0}, 2) == doctest::Approx(1.9));
    // 2 * .95 + .1; g = -3 + .5 * 2 < 0
    CHECK(after(Adam{decay}, {-3}, 2) ==
          doctest::Approx(c == Convention::keras ? 2 : 2.1).epsilon(1e-4));
  }
  CHECK(after(AdamW{{.learning_rate = 1}}, {0}) == doctest::Approx(.996));
  CHECK(after(AdamW{{.learning_rate = 1, .convention = Convention::torch}}, {0}) ==
        doctest::Approx(.99));
}

TEST_CASE("Adam: one counter for all parameters, raised once per step (C50)") {
  Scalars p;
  Adam adam{{.learning_rate = .1, .epsilon = 1e-8, .convention = Convention::torch}};
  adam.bind(p.list());
  p.a.mutable_grad() = p.b.mutable_grad() = {Shape{}, 1.0};
  adam.step();
  CHECK(item(p.a) == doctest::Approx(.900000001).epsilon(1e-11));
  CHECK(item(p.b) == item(p.a));
  CHECK(adam.steps() == 1);
}

TEST_CASE("Adam: a parameter without a gradient keeps value and state, the counter goes on (C50)") {
  Scalars p;
  Adam adam{{.learning_rate = .1, .epsilon = 0}};
  adam.bind(p.list());
  p.b.mutable_grad() = {Shape{}, 1.0};
  adam.step();
  CHECK(item(p.a) == 1);
  p.a.mutable_grad() = {Shape{}, 1.0};
  p.b.set_trainable(false);
  const double b = item(p.b);
  adam.step();
  CHECK(item(p.b) == b);
  // m = .1, v = .001, t = 2: 1 - .1 sqrt(1-.998001)/(1-.81) .1/sqrt(.001)
  CHECK(item(p.a) == doctest::Approx(1 - .01 * std::sqrt(1.999) / .19).epsilon(1e-12));
}

TEST_CASE("Adam: where epsilon stands, and amsgrad") {
  // First step with g = 1, epsilon 1. Keras: sqrt(.001)/.1 * .1/(sqrt(.001) + 1); torch: 1/(1+1).
  CHECK(after(Adam{{.learning_rate = .1, .epsilon = 1}}, {1}) ==
        doctest::Approx(1 - .1 * std::sqrt(.001) / (std::sqrt(.001) + 1)));
  CHECK(after(Adam{{.learning_rate = .1, .epsilon = 1, .convention = Convention::torch}}, {1}) ==
        doctest::Approx(.95));
  // b1 = 0, b2 = .5, g = 2 then 0: v = 2, 1; the largest stays 2, and m = 0 in the second step; a
  // third with g = 1: v = 1, v_max = 2, so 1 - .1 - .1 * 1 * sqrt(1-.125)/sqrt(2).
  for (auto c : {Convention::keras, Convention::torch}) {
    const Adam adam{{.learning_rate = .1,
                     .beta_1 = 0,
                     .beta_2 = .5,
                     .epsilon = 0,
                     .amsgrad = true,
                     .convention = c}};
    CHECK(after(adam, {2, 0, 1}) == doctest::Approx(.9 - .1 * std::sqrt(.875 / 2)));
  }
}

TEST_CASE("RMSprop: epsilon inside or outside of the root (C52)") {
  const ag::RMSpropOptions one{.learning_rate = .01, .rho = .9, .epsilon = 1};
  auto torch = one;
  torch.convention = Convention::torch;
  CHECK(after(RMSprop{one}, {1}) == doctest::Approx(.990465374).epsilon(1e-9));
  CHECK(after(RMSprop{torch}, {1}) == doctest::Approx(.992402531).epsilon(1e-9));
}

TEST_CASE("RMSprop: centered and momentum") {
  for (auto c : {Convention::keras, Convention::torch}) {
    // rho .5, g = 1: v = .5, a = .5, variance .25, d = 2; then g = 1: v = .75, a = .75, variance
    // .1875.
    const RMSprop rms{{.learning_rate = .1,
                       .rho = .5,
                       .momentum = .5,
                       .epsilon = 0,
                       .centered = true,
                       .convention = c}};
    CHECK(after(rms, {1}) == doctest::Approx(.8));
    CHECK(after(rms, {1, 1}) == doctest::Approx(.8 - .1 * (1 + 1 / std::sqrt(.1875))));
  }
  // A constant gradient: the variance must not round below 0.
  ag::RMSprop<float> rms{{.centered = true}};
  Parameter<float> p{Shape{}};
  p.set_value({Shape{}, 1.f});
  rms.bind({&p});
  for (int i = 0; i < 500; ++i) {
    p.mutable_grad() = {Shape{}, .3f};
    rms.step();
    REQUIRE(std::isfinite(p.value().item()));
  }
}

TEST_CASE("defaults by convention") {
  CHECK(SGD{}.learning_rate() == .01);
  CHECK(SGD{{.convention = Convention::torch}}.learning_rate() == .001);
  CHECK(Adam{}.learning_rate() == .001);
  CHECK(RMSprop{}.learning_rate() == .001);
  CHECK(RMSprop{{.convention = Convention::torch}}.learning_rate() == .01);
  // First step g = 1: lr / sqrt(1 - rho)
  CHECK(after(RMSprop{}, {1}) == doctest::Approx(1 - .001 / std::sqrt(.1)));
  CHECK(after(RMSprop{{.convention = Convention::torch}}, {1}) == doctest::Approx(.9));
  // A gradient as small as epsilon shows which: torch 1e-8/(1e-8 + 1e-8).
  CHECK(1 - after(Adam{{.convention = Convention::torch}}, {1e-8}) == doctest::Approx(5e-4));
  const double r = std::sqrt(.001);
  CHECK(1 - after(Adam{}, {1e-7}) == doctest::Approx(1e-3 * r / (r + 1)));
}

TEST_CASE("a kept recording differentiates at its own old values") {
  Parameter<double> w{Shape{2}};
  w.set_value({Shape{2}, {3.0, -2.0}});
  ag::Tape<double> tape;
  const auto loss = ag::sum(ag::square(tape.watch(w)));
  backward(loss, {.retain = true});
  SGD sgd{{.learning_rate = .5}};
  sgd.bind({&w});
  sgd.step();
  CHECK(w.value()(0) == 0);
  ag::zero_gradients(ag::Parameters<double>{&w});
  backward(loss);
  CHECK(w.grad()(0) == 6);
  CHECK(w.grad()(1) == -4);
}

TEST_CASE("state by name: saved, loaded, the same bits from there on") {
  const ag::AdamOptions options{.learning_rate = .1, .amsgrad = true};
  Scalars p;
  Adam first{options};
  first.bind(p.list());
  auto train = [](Scalars& q, Adam& adam, int from, int to) {
    for (int i = from; i < to; ++i) {
      q.a.mutable_grad() = {Shape{}, item(q.a) + i};
      q.b.mutable_grad() = {Shape{}, item(q.b) - i};
      adam.step();
    }
  };
  train(p, first, 0, 5);
  first.set_learning_rate(.05);
  std::map<std::string, Tensor<double>> saved;
  first.visit([&](std::string_view name, auto& t) { saved[std::string(name)] = t; });
  CHECK(saved.size() == 8);
  CHECK(saved.count("v_max.b") == 1);
  CHECK(saved.at("step").item() == 5);
  Scalars q;
  q.a.set_value(p.a.value()), q.b.set_value(p.b.value());
  train(p, first, 5, 9);

  Adam second{options};
  second.bind(q.list());
  second.visit([&](std::string_view name, auto& t) { t = saved.at(std::string(name)); });
  CHECK(second.learning_rate() == .05);
  train(q, second, 5, 9);
  CHECK(ag::same_bits(p.a.value(), q.a.value()));
  CHECK(ag::same_bits(p.b.value(), q.b.value()));
  CHECK(saved.at("step").item() == 5);  // what was saved is not written to
}

TEST_CASE("bound again to the same parameters it goes on, to others it starts afresh") {
  Scalars p;
  Adam adam;
  adam.bind(p.list());
  p.a.mutable_grad() = {Shape{}, 1.0};
  adam.step();
  adam.bind(p.list());
  CHECK(adam.steps() == 1);
  adam.bind({&p.b});
  CHECK(adam.steps() == 0);
}

TEST_CASE("optimizers: errors") {
  CHECK(error_of([] { SGD{{.learning_rate = -1}}; }) ==
        "[SGD] learning_rate must be finite and at least 0, got -1");
  CHECK(error_of([] { Adam{{.learning_rate = NAN}}; }) ==
        "[Adam] learning_rate must be finite and at least 0, got nan");
  CHECK(error_of([] { Adam{{.beta_1 = 1}}; }) ==
        "[Adam] beta_1 must be at least 0 and less than 1, got 1");
  CHECK(error_of([] { AdamW{{.beta_2 = -.1}}; }) ==
        "[AdamW] beta_2 must be at least 0 and less than 1, got -0.1");
  CHECK(error_of([] { AdamW{{.weight_decay = -1}}; }) ==
        "[AdamW] weight_decay must be finite and at least 0, got -1");
  CHECK(error_of([] { RMSprop{{.rho = 1.5}}; }) ==
        "[RMSprop] rho must be at least 0 and less than 1, got 1.5");
  CHECK(error_of([] { RMSprop{{.epsilon = -1}}; }) ==
        "[RMSprop] epsilon must be finite and at least 0, got -1");
  CHECK(error_of([] { SGD{{.momentum = 1}}; }) ==
        "[SGD] momentum must be at least 0 and less than 1, got 1");
  CHECK(error_of([] { SGD{{.nesterov = true}}; }) ==
        "[SGD] nesterov needs a momentum greater than 0");
  CHECK(error_of([] { Adam{}.step(); }) ==
        "[Adam] step() before bind(parameters): there is nothing to change");
  CHECK(error_of([] { Adam{}.bind({}); }) == "[Adam] there are no parameters to bind to");
  Scalars twice;
  CHECK(error_of([&] {
          Adam{}.bind({&twice.a, &twice.b, &twice.a});
        }) == "[Adam] the parameter 'a' is listed twice");
  Parameter<double> w{Shape{2}};
  w.set_name("w");
  CHECK(error_of([&] { Adam{}.bind({&w}); }) ==
        "[Adam] the parameter 'w' has no value yet: call initialise()");

  Scalars p;
  Adam adam;
  adam.bind(p.list());
  p.a.mutable_grad() = {Shape{}, 1.0};
  p.b.mutable_grad() = {Shape{3}, 1.0};
  CHECK(error_of([&] { adam.step(); }) == "[Adam] the gradient of 'b' has the shape (3), not ()");
  CHECK(item(p.a) == 1);  // nothing half-done
  CHECK(adam.steps() == 0);
}
