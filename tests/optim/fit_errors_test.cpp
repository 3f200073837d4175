// What fit refuses, and what it leaves unchanged then.
#include <cmath>

#include <doctest/doctest.h>

#include "line.hpp"

TEST_CASE("fit: any validation_fraction above 0 takes a sample at least, or is refused") {
  for (const ag::Size n : {2, 3, 10})
    for (const double fraction : {1e-20, .01, .1, .49}) {
      Line<double> line;
      ag::SGD<double> sgd;
      const auto history =
          ag::fit(line.model(), line.parameters, sgd, ag::mse, ::line<double>(n),
                  {.epochs = 1, .validation_fraction = fraction, .verbose = silent});
      CAPTURE(n);
      CAPTURE(fraction);
      CHECK(history.epochs[0].validation_loss.has_value());
    }
  Line<double> line;
  ag::SGD<double> sgd;
  CHECK(error_of([&] {
          (void)ag::fit(line.model(), line.parameters, sgd, ag::mse, ::line<double>(1),
                        {.validation_fraction = .1, .verbose = silent});
        }) == "[fit] a validation_fraction of 0.1 leaves none of 1 samples for training");
}

TEST_CASE("fit: errors, and nothing is changed") {
  const auto data = line<double>(10);
  Line<double> line;
  ag::SGD<double> sgd;
  const auto kernel = line.dense.kernel.value();
  auto error = [&](const ag::FitOptions& options, const Dataset<double>& d) {
    auto quiet = options;
    quiet.verbose = silent;
    const auto text =
        error_of([&] { (void)ag::fit(line.model(), line.parameters, sgd, ag::mse, d, quiet); });
    CHECK(ag::same_bits(line.dense.kernel.value(), kernel));
    CHECK(line.dense.kernel.grad().empty());
    return text;
  };
  CHECK(error({.batch_size = 0}, data) == "[fit] batch_size must be at least 1, got 0");
  CHECK(error({.epochs = -1}, data) == "[fit] epochs must be at least 0, got -1");
  CHECK(error({.validation_fraction = 1}, data) ==
        "[fit] validation_fraction must be at least 0 and less than 1, got 1");
  CHECK(error({.validation_fraction = .95}, data) ==
        "[fit] a validation_fraction of 0.95 leaves none of 10 samples for training");
  CHECK(error({.clip_norm = -1}, data) == "[fit] clip_norm must be at least 0, got -1");
  CHECK(error({.clip_value = -1}, data) == "[fit] clip_value must be at least 0, got -1");
  CHECK(error({.clip_norm = 1, .clip_value = 1}, data) ==
        "[fit] clip_norm and clip_value were both given: choose one");
  CHECK(error({.early_stopping = {.patience = -1}}, data) ==
        "[fit] early_stopping.patience must be at least 0, got -1");
  CHECK(error({.schedule = ag::StepDecay{.step_size = 0}}, data) ==
        "[StepDecay] step_size must be at least 1, got 0");
  ag::ReduceOnPlateau plateau;
  CHECK(error({.schedule = ag::StepDecay{}, .plateau = &plateau}, data) ==
        "[fit] a schedule and a plateau would both set the learning rate: choose one");
  auto bad = data;
  bad.x.set({7, 1}, std::nan(""));
  CHECK(error({}, bad) == "[dataset] x of shape (10,2) holds nan at (7,1)");
  bad = data;
  bad.y = Tensor<double>({9, 1}, 0.0);
  CHECK(contains(error({}, bad), "same number of samples on axis 0, got (10,2) and (9,1)"));
  CHECK(error({}, {Tensor<double>(Shape{0, 2}), Tensor<double>(Shape{0, 1})}) ==
        "[fit] the data has no samples");
  const Dataset<double> flat{data.x, data.y.reshaped({10})};
  CHECK(error({}, flat) == "[mse] prediction and target differ in shape: got (10,1) and (10)");

  auto with = [&](auto model, const ag::Parameters<double>& parameters, auto loss) {
    return error_of(
        [&] { (void)ag::fit(model, parameters, sgd, loss, data, {.verbose = silent}); });
  };
  CHECK(with(line.model(), {}, ag::mse) == "[fit] there are no parameters to train");
  Dense<double> fresh{2, 1};
  CHECK(with(line.model(), ag::parameters(fresh), ag::mse) ==
        "[fit] the parameter 'kernel' has no value yet: call initialise()");
  CHECK(with(line.model(), line.parameters, [](auto p, auto t) {
          return ag::mse(p, t, {ag::Reduction::none});
        }) == "[fit] the loss must be one number, got the shape (10,1)");
  CHECK(with([&](auto x) { return line.dense(x).detach(); }, line.parameters, ag::mse) ==
        "[fit] the loss depends on no trainable parameter");
  for (auto* p : line.parameters) p->set_trainable(false);
  CHECK(with(line.model(), line.parameters, ag::mse) ==
        "[fit] none of the 2 parameters is trainable");
  CHECK(error_of([&] { (void)ag::predict(line.model(), data, {.batch_size = 0}); }) ==
        "[predict] batch_size must be at least 1, got 0");
  int batches = 0;
  const auto changing = [&](auto x) { return batches++ ? ag::concat(std::vector{x, x}, 1) : x; };
  CHECK(error_of([&] { (void)ag::predict(changing, data, {.batch_size = 5}); }) ==
        "[predict] the model gave (5,4) after batches that make (10,2)");
}

TEST_CASE(
    "fit: a loss that is NaN, a norm that is infinite stop it, the parameters still good (C77)") {
  const auto data = line<double>(10);
  Line<double> line;
  ag::SGD<double> sgd;
  int calls = 0;
  Tensor<double> before;
  auto spoilt = [&](auto x) {
    before = line.dense.kernel.value();
    const auto y = line.dense(x);
    return ++calls == 4 ? ag::log(y * 0. - 1.) : y;
  };
  auto fit = [&](bool check) {
    calls = 0;
    return error_of([&] {
      (void)ag::fit(spoilt, line.parameters, sgd, ag::mse, data,
                    {.epochs = 9, .batch_size = 5, .verbose = silent, .check_finite = check});
    });
  };
  CHECK(contains(fit(false),
                 "in epoch 2, batch 2 of 2; the parameters are those before this batch. Fit with "
                 ".check_finite = true to see which op gave it first"));
  CHECK(ag::same_bits(before, line.dense.kernel.value()));
  CHECK(fit(true).rfind("[log] ", 0) == 0);

  const auto infinite = error_of([&] {
    (void)ag::fit(line.model(), line.parameters, sgd,
                  [](auto p, auto) { return ag::sum(ag::sqrt(p * 0.)); }, data,
                  {.clip_norm = 1, .verbose = silent});
  });
  CHECK(contains(infinite, "[fit] the norm of the gradients is "));
  CHECK(ag::same_bits(before, line.dense.kernel.value()));
}
