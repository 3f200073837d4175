// Parameters on a tape: the leaf that a recording keeps of each.
#pragma once
#include <array>

#include <axisgrad/autograd/tape.hpp>

namespace axisgrad {

/// Error when the parameter cannot be used: it has no value, or its module was moved away.
template <ParameterLike P>
void require_value(const P& parameter) {
  if (!parameter.cell())
    fail("watch", "a parameter's module was moved away: use the one it was moved to");
  const std::string& name = parameter.cell()->name;
  if (parameter.value().empty())
    fail("watch", name.empty() ? "a parameter" : "the parameter '" + name + "'", " of shape ",
         parameter.shape(), " has no value yet: call initialise(parameters(model), seed)");
}

/// The parameter's leaf on a recording.
template <Scalar T, ParameterLike P>
[[nodiscard]] Var<T> watch_on(Recording<T>& recording, const P& parameter) {
  require_value(parameter);
  const Cell& cell = *parameter.cell();
  const auto& value = parameter.value();
  if (const auto* leaf = recording.leaf(cell.id)) {
    if (leaf->source == value.buffer()) return leaf->var;
    fail("watch", "the value of '", cell.name,
         "' has changed since this recording first watched it: call clear() on the tape first");
  }
  return recording.add_leaf(parameter.cell(), value.buffer(), Tensor<T>(value));
}

/// The parameter's leaf on the tape that the Vars are on; a constant when they are on none. How a
/// module takes its tape from all its arguments.
template <ParameterLike P, Scalar T, std::same_as<Var<T>>... More>
[[nodiscard]] Var<T> watch(const P& parameter, const Var<T>& x, const More&... more) {
  const std::array<const Var<T>*, 1 + sizeof...(More)> inputs{&x, &more...};
  if (auto* recording = Recording<T>::common(inputs, "watch"))
    return watch_on(*recording, parameter);
  require_value(parameter);
  return Var<T>(Tensor<T>(parameter.value()));
}

template <Scalar T>
template <ParameterLike P>
Var<T> Tape<T>::watch(const P& parameter) const {
  return watch_on(recording(), parameter);
}

}  // namespace axisgrad
