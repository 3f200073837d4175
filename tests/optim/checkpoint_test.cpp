// Weights and checkpoints in files.
#include <sstream>

#include <doctest/doctest.h>

#include <axisgrad/nn/weights/safetensors.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/checkpoint.hpp>

#include "../temporary_folder.hpp"
#include "line.hpp"

TEST_CASE("weights: saved and loaded by name, in either precision") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "line.safetensors";
  Line<double> written, read;
  written.dense.kernel.set_value(Tensor<double>({2, 1}, {1. / 3, -2}));
  ag::save_weights(path, written.parameters);
  const auto report = ag::load_weights(path, read.parameters);
  CHECK(report.loaded == 2);
  CHECK(report.unexpected.empty());
  CHECK(ag::same_bits(read.dense.kernel.value(), written.dense.kernel.value()));
  // Without initial values, in float.
  Dense<float> fresh(2, 1);
  CHECK(ag::load_weights(path, ag::parameters(fresh)).loaded == 2);
  CHECK(fresh.kernel.value()(0, 0) == 1.f / 3);
}

TEST_CASE("weights: what does not fit is named in full, and nothing is loaded") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "weights.safetensors";
  ag::ArrayFile file;
  file.add("bias", Tensor<double>({1}, 7.0));
  file.add("scale", Tensor<double>({3}, 7.0));
  file.add("kernel", Tensor<double>({1, 2}, 7.0));
  ag::write_safetensors(path, file);
  Line<double> line;
  ag::Parameter<double> gain(Shape{1});
  gain.set_name("gain");
  auto list = line.parameters;
  list.push_back(&gain);
  CHECK(contains(error_of([&] { ag::load_weights(path, list); }),
                 " does not fit, nothing was loaded: "
                 "kernel has the shape (1,2) instead of (2,1); missing: gain; unexpected: scale"));
  CHECK(line.dense.bias.value()(0) == 0);
  // A number that float cannot hold, found only when all else is in order.
  ag::ArrayFile large;
  large.add("kernel", Tensor<double>({2, 1}, 1.0));
  large.add("bias", Tensor<double>({1}, 1e300));
  ag::write_safetensors(path, large);
  Line<float> narrow;
  CHECK(error_of([&] { ag::load_weights(path, narrow.parameters); }) != "no error");
  CHECK(narrow.dense.kernel.value()(0, 0) == .1f);
}

TEST_CASE("weights: arrays that nobody asked for are reported; no value, no file") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "weights.safetensors";
  Line<double> line;
  ag::save_weights(path, line.parameters);
  ag::Dense<double> without(2, 1, {.use_bias = false});
  std::ostringstream text;
  text << ag::load_weights(path, ag::parameters(without));
  CHECK(text.str() == "1 array loaded; unexpected: bias");
  ag::Dense<double> empty(2, 1);
  const auto none = folder.path() / "none.safetensors";
  CHECK(contains(error_of([&] { ag::save_weights(none, ag::parameters(empty)); }),
                 "[save] 'kernel' has no value yet, "));
  CHECK(!std::filesystem::exists(none));
  const auto keras = folder.path() / "weights.h5";
  CHECK(error_of([&] { ag::save_weights(keras, line.parameters); }) ==
        "[save] the name of a weights file must end in .safetensors or .npz, got 'weights.h5'");
  CHECK(!std::filesystem::exists(keras));
}

TEST_CASE("a training interrupted and gone on with from a file: the same bits as in one go") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.safetensors";
  const auto data = line<double>(23);
  const auto options_with = [](ag::ReduceOnPlateau& plateau) {
    ag::FitOptions options{.epochs = 4,
                           .batch_size = 5,
                           .seed = 3,
                           .validation_fraction = .2,
                           .early_stopping = {.patience = 9},
                           .verbose = silent};
    options.plateau = &plateau;
    return options;
  };
  const ag::PlateauOptions impatient{.factor = .5, .patience = 1, .min_delta = 10};
  Line<double> whole;
  ag::Adam<double> adam{{.learning_rate = .05, .amsgrad = true}};
  ag::ReduceOnPlateau plateau(impatient);
  const auto all =
      ag::fit(whole.model(), whole.parameters, adam, ag::mse, data, options_with(plateau));
  CHECK(all.epochs.back().learning_rate < .05);

  // The file of the 7th step: in the middle of an epoch. What comes later is lost.
  {
    Line<double> line;
    ag::Adam<double> first{{.learning_rate = .05, .amsgrad = true}};
    ag::ReduceOnPlateau waiting(impatient);
    ag::FitState<double> state(line.parameters);
    auto options = options_with(waiting);
    options.on_batch = [&](const ag::BatchRow& row) {
      if (row.step == 7) ag::save_checkpoint(path, line.parameters, first, state, waiting);
    };
    ag::fit(line.model(), line.parameters, first, ag::mse, data, options, &state);
  }
  const auto file = ag::read_safetensors(path);
  CHECK(file.at("optimizer.step").dtype == ag::Dtype::f64);
  CHECK(file.at("optimizer.learning_rate").dtype == ag::Dtype::f64);
  CHECK(file.tensor<double>("fit.step").item() == 7);

  Line<double> line;
  ag::Adam<double> second{{.learning_rate = .05, .amsgrad = true}};
  ag::ReduceOnPlateau waiting(impatient);
  ag::FitState<double> state(line.parameters);
  const auto report = ag::load_checkpoint(path, line.parameters, second, state, waiting);
  CHECK(report.unexpected.empty());
  CHECK(state.step() == 7);
  const auto rest =
      ag::fit(line.model(), line.parameters, second, ag::mse, data, options_with(waiting), &state);
  CHECK(rest.epochs.back().loss == all.epochs.back().loss);
  CHECK(rest.epochs.back().learning_rate == all.epochs.back().learning_rate);
  CHECK(ag::same_bits(line.dense.kernel.value(), whole.dense.kernel.value()));
  CHECK(ag::same_bits(line.dense.bias.value(), whole.dense.bias.value()));
}

TEST_CASE("C54: the rate in force at each update, and the same tail after going on from a file") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.safetensors";
  const auto data = line<double>(26);
  // 13 updates; the file is that of `keep`, or of none.
  const auto rates = [&](Line<double>& line, ag::SGD<double>& sgd, ag::FitState<double>& state,
                         Size keep) {
    std::vector<double> rates;
    ag::FitOptions options{
        .epochs = 1,
        .batch_size = 2,
        .schedule =
            ag::LinearWarmup{
                10, ag::StepDecay{.initial_learning_rate = 1, .step_size = 1, .gamma = .1}},
        .verbose = silent};
    options.on_batch = [&](const ag::BatchRow& row) {
      rates.push_back(sgd.learning_rate());
      if (row.step == keep) ag::save_checkpoint(path, line.parameters, sgd, state);
    };
    ag::fit(line.model(), line.parameters, sgd, ag::mse, data, options, &state);
    return rates;
  };
  const std::vector<double> right{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1, .1, .01, .001};
  Line<double> first, second;
  ag::SGD<double> sgd, resumed;
  ag::FitState<double> state(first.parameters), read(second.parameters);
  const auto all = rates(first, sgd, state, 7);
  ag::load_checkpoint(path, second.parameters, resumed, read);
  const auto tail = rates(second, resumed, read, 0);
  REQUIRE(all.size() == 13);
  REQUIRE(tail.size() == 6);
  for (std::size_t i = 0; i < 13; ++i) CHECK(all[i] == doctest::Approx(right[i]).epsilon(1e-12));
  for (std::size_t i = 0; i < 6; ++i) CHECK(tail[i] == all[7 + i]);
  CHECK(ag::same_bits(first.dense.kernel.value(), second.dense.kernel.value()));
}

TEST_CASE("a checkpoint of another optimizer is refused, and nothing is changed") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.safetensors";
  Line<double> line;
  ag::SGD<double> sgd;
  ag::FitState<double> state(line.parameters);
  ag::save_checkpoint(path, line.parameters, sgd, state);
  line.dense.bias.set_value(Tensor<double>({1}, 3.0));
  ag::Adam<double> adam{{.learning_rate = .5}};
  CHECK(contains(error_of([&] { ag::load_checkpoint(path, line.parameters, adam, state); }),
                 "missing: optimizer.m.kernel, optimizer.m.bias"));
  CHECK(line.dense.bias.value()(0) == 3);
  CHECK(adam.learning_rate() == .5);
  // The other way round nothing is missing, but what is there too much would be lost.
  ag::save_checkpoint(path, line.parameters, adam, state);
  line.dense.bias.set_value(Tensor<double>({1}, 4.0));
  CHECK(contains(error_of([&] { ag::load_checkpoint(path, line.parameters, sgd, state); }),
                 "unexpected: optimizer.m.kernel, optimizer.m.bias"));
  CHECK(line.dense.bias.value()(0) == 4);
}
