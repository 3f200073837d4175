// Checkpoints: model, optimizer and position of a training in one safetensors file, from which it
// goes on with the same bits as if it had not been interrupted.
//
//   FitState<float> state(parameters);
//   if (exists("run.safetensors")) load_checkpoint("run.safetensors", parameters, adam, state);
//   options.on_epoch = [&](auto&) { save_checkpoint("run.safetensors", parameters, adam, state); };
//   fit(model, parameters, adam, mse, data, options, &state);
#pragma once
#include <axisgrad/nn/weights/named_tensors.hpp>
#include <axisgrad/optim/fit.hpp>

namespace axisgrad {

namespace detail {

template <Scalar T, class O, class... More>
NamedTensors checkpoint(const Parameters<T>& parameters, O& optimizer, FitState<T>& state,
                        More&... more) {
  optimizer.bind(parameters);
  NamedTensors list;
  for (Parameter<T>* p : parameters) list.add("model." + p->name(), *p);
  list.add_state("optimizer", optimizer);
  list.add_state("fit", state);
  [[maybe_unused]] int number = 0;
  (list.add_state("more." + std::to_string(number++), more), ...);
  return list;
}

}  // namespace detail

/// Writes all that the next step depends on: "model.<parameter>", "optimizer.<name>", "fit.<name>";
/// step counters and the learning rate as F64. `more`: further state with a visit(), such as a
/// ReduceOnPlateau. The old file stays until the new one is complete.
template <Scalar T, OptimizerFor<T> O, class... More>
void save_checkpoint(const std::filesystem::path& path, const Parameters<T>& parameters,
                     O& optimizer, FitState<T>& state, More&... more) {
  detail::checkpoint(parameters, optimizer, state, more...).save(path);
}

/// Reads it back into a model, an optimizer and a state made as before: all of it, or nothing and
/// an Error that says what does not fit. The parameters must have values (any: initialise()).
template <Scalar T, OptimizerFor<T> O, class... More>
LoadReport load_checkpoint(const std::filesystem::path& path, const Parameters<T>& parameters,
                           O& optimizer, FitState<T>& state, More&... more) {
  return detail::checkpoint(parameters, optimizer, state, more...)
      .load(path, {.allow_unexpected = false});
}

}  // namespace axisgrad
