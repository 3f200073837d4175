// What schedules, predict and the rest of fit's options refuse.
#include <doctest/doctest.h>

#include <axisgrad/optim/schedule.hpp>

#include "line.hpp"

TEST_CASE("schedules: errors") {
  CHECK(error_of([] {
          (void)ag::LinearWarmup{0, ag::StepDecay{.step_size = 1}}(0);
        }) == "[LinearWarmup] steps must be at least 1, got 0");
  CHECK(error_of([] { (void)ag::CosineDecay{.decay_steps = 5, .warmup_steps = -1}(0); }) ==
        "[CosineDecay] warmup_steps must be at least 0, got -1");
  CHECK(error_of([] { ag::ReduceOnPlateau plateau({.cooldown = -1}); }) ==
        "[ReduceOnPlateau] cooldown must be at least 0, got -1");
}

TEST_CASE("fit: options that exclude each other or lack something") {
  const auto data = line<double>(10);
  Line<double> line;
  ag::SGD<double> sgd;
  auto error = [&](ag::FitOptions options) {
    options.verbose = silent;
    return error_of(
        [&] { (void)ag::fit(line.model(), line.parameters, sgd, ag::mse, data, options); });
  };
  CHECK(error({.early_stopping = {.min_delta = -1}}) ==
        "[fit] early_stopping.min_delta must be at least 0, got -1");
  CHECK(error({.metrics = {ag::Metric{
                   .name = "half", .mean_float = nullptr, .mean_double = nullptr}}}) ==
        "[fit] the metric 'half' lacks a function");
  CHECK(error_of([&] {
          (void)ag::fit(line.model(), line.parameters, sgd, ag::mse, data, data,
                        {.validation_fraction = .5, .verbose = silent});
        }) == "[fit] validation data and a validation_fraction were both given: choose one");
}

TEST_CASE("fit: a state in the middle of an epoch goes on with its batch size only") {
  const auto data = line<double>(10);
  Line<double> line;
  ag::SGD<double> sgd;
  ag::FitState<double> state(line.parameters);
  state.visit([](std::string_view name, auto& value) {
    if constexpr (requires { value.set({}, 0.); })
      if (name.find("batch") != name.npos) value.set({}, 3);
  });
  CHECK(error_of([&] {
          (void)ag::fit(line.model(), line.parameters, sgd, ag::mse, data,
                        {.batch_size = 5, .verbose = silent}, &state);
        }) ==
        "[fit] the state stands after batch 3, but with this batch_size an epoch has 2: go on with "
        "the batch_size it was saved with");
}

TEST_CASE("predict: a model that loses the batch axis") {
  CHECK(error_of([] {
          (void)ag::predict([](auto x) { return ag::sum(x); }, Tensor<double>({4, 2}, 1.));
        }) == "[predict] the model gave the shape () for 4 samples");
}
