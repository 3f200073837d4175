// Options of fit, predict and the schedules that are refused, beside those in fit_errors_test.cpp.
#include <doctest/doctest.h>

#include <axisgrad/optim/schedule.hpp>

#include "line.hpp"

namespace {

std::string refusal(ag::FitOptions options) {
  options.verbose = silent;
  Line<double> model;
  ag::SGD<double> sgd;
  return error_of([&] {
    (void)ag::fit(model.model(), model.parameters, sgd, ag::mse, line<double>(10), options);
  });
}

}  // namespace

TEST_CASE("fit: options out of range") {
  CHECK(refusal({.early_stopping = {.min_delta = -1}}) ==
        "[fit] early_stopping.min_delta must be at least 0, got -1");
  ag::Metric half = ag::metrics::rmse;
  half.mean_float = nullptr;
  CHECK(refusal({.metrics = {half}}) == "[fit] the metric 'rmse' lacks a function");
}

TEST_CASE("fit: validation data and a fraction exclude each other") {
  Line<double> model;
  ag::SGD<double> sgd;
  const auto data = line<double>(10);
  CHECK(error_of([&] {
          (void)ag::fit(model.model(), model.parameters, sgd, ag::mse, data, data,
                        {.validation_fraction = .2, .verbose = silent});
        }) == "[fit] validation data and a validation_fraction were both given: choose one");
}

TEST_CASE("fit: a state in the middle of an epoch does not go on with larger batches") {
  Line<double> model;
  ag::SGD<double> sgd;
  const auto data = line<double>(10);
  ag::FitState<double> state(model.parameters);
  for (int k = 0; k < 3; ++k) state.batch_done();
  CHECK(error_of([&] {
          (void)ag::fit(model.model(), model.parameters, sgd, ag::mse, data,
                        {.batch_size = 5, .verbose = silent}, &state);
        }) ==
        "[fit] the state stands after batch 3, but with this batch_size an epoch has 2: go on with "
        "the batch_size it was saved with");
}

TEST_CASE("predict: a model that does not give one output for each sample") {
  const auto data = line<double>(10);
  const auto total = [](const auto& x) { return ag::sum(x, 0); };
  CHECK(error_of([&] { (void)ag::predict(total, data); }) ==
        "[predict] the model gave the shape (2) for 10 samples");
}

TEST_CASE("schedules: negative lengths") {
  CHECK(error_of([] { (void)ag::CosineDecay{.warmup_steps = -3}(0); }) ==
        "[CosineDecay] warmup_steps must be at least 0, got -3");
  CHECK(error_of([] {
          (void)ag::LinearWarmup{0, ag::StepDecay{}}(0);
        }) == "[LinearWarmup] steps must be at least 1, got 0");
  CHECK(error_of([] { ag::ReduceOnPlateau{{.cooldown = -1}}; }) ==
        "[ReduceOnPlateau] cooldown must be at least 0, got -1");
}
