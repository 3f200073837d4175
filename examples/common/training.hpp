// The training that the lessons have in common.
#pragma once
#include <axisgrad/nn/module.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/fit.hpp>

namespace lesson {

struct TrainingOptions {
  int epochs = 10;
  double learning_rate = 1e-3;
  std::uint64_t seed = 1;
};

struct Losses {
  double first, last;  // mean over the first and the last epoch
};

/// Initialises the model from the seed and trains all of it by Adam, batches of 64, in silence.
template <class Model, class Loss, class Data>
Losses train(Model& model, const Loss& loss, const Data& data, const TrainingOptions& o) {
  const auto parameters = axisgrad::parameters(model);
  axisgrad::initialise(parameters, o.seed);
  axisgrad::Adam<typename Data::scalar> adam({.learning_rate = o.learning_rate});
  const auto history = axisgrad::fit(model, parameters, adam, loss, data,
                                     {.epochs = o.epochs,
                                      .batch_size = 64,
                                      .seed = o.seed,
                                      .verbose = axisgrad::Verbose::silent,
                                      .handle_interrupt = false});
  return {history.epochs.front().loss, history.epochs.back().loss};
}

}  // namespace lesson
