// What a gradient rule sees of its node.
#include <bit>

#include <axisgrad/autograd/engine/sweep.hpp>

namespace axisgrad {

template <Scalar T>
int Rule<T>::inputs() const {
  return node_.inputs;
}
template <Scalar T>
bool Rule<T>::needs(int k) const {
  if (k < 0 || k >= node_.inputs)
    fail(node_.op->name, "the gradient rule names input ", k, ", the op has ", node_.inputs);
  return sweep_.wanted(sweep_.input(node_, k));
}
template <Scalar T>
Shape Rule<T>::shape(int k) const {
  const auto& input = sweep_.recording().inputs[node_.first_input + static_cast<unsigned>(k)];
  return input.slot < 0 ? sweep_.recording().shape(input.sizes)
                        : sweep_.recording().shape_of(input.slot);
}
template <Scalar T>
bool Rule<T>::has_shape(int k, const Shape& shape) const {
  const auto& input = sweep_.recording().inputs[node_.first_input + static_cast<unsigned>(k)];
  return input.slot < 0 ? sweep_.recording().has(input.sizes, shape)
                        : sweep_.recording().has(input.slot, shape);
}
template <Scalar T>
std::size_t Rule<T>::saved(const char* what, unsigned set, int k, std::size_t first) const {
  if (!Saves::has(set, k))
    fail(node_.op->name, "its gradient rule reads ", what, ' ', k,
         ", which record() was not told to save");
  return first + static_cast<std::size_t>(std::popcount(set & ((1u << k) - 1)));
}
template <Scalar T>
std::size_t Rule<T>::saved_input(int k) const {
  return saved("input", node_.saves.inputs, k, node_.first_saved);
}
template <Scalar T>
std::size_t Rule<T>::saved_output(int k) const {
  const auto inputs = static_cast<std::size_t>(std::popcount(node_.saves.inputs));
  return saved("output", node_.saves.outputs, k, node_.first_saved + inputs);
}
template <Scalar T>
Var<T> Rule<T>::saved(std::size_t position) const {
  const auto& saved = sweep_.recording().saved[position];
  return sweep_.create_graph() ? sweep_.recording().at(saved.value, saved.slot)
                               : Var<T>(saved.value);
}
template <Scalar T>
Var<T> Rule<T>::input(int k) const {
  return saved(saved_input(k));
}
template <Scalar T>
Var<T> Rule<T>::output(int k) const {
  return saved(saved_output(k));
}
template <Scalar T>
const Tensor<T>& Rule<T>::input_value(int k) const {
  return sweep_.recording().saved[saved_input(k)].value;
}
template <Scalar T>
const Tensor<T>& Rule<T>::output_value(int k) const {
  return sweep_.recording().saved[saved_output(k)].value;
}
template <Scalar T>
const Tensor<T>& Rule<T>::cotangent_value(int k) const {
  return sweep_.cotangent(node_.first_output + k)->value();
}
template <Scalar T>
bool Rule<T>::has_cotangent(int k) const {
  return sweep_.cotangent(node_.first_output + k) != nullptr;
}
template <Scalar T>
Var<T> Rule<T>::cotangent(int k) const {
  return sweep_.result(node_.first_output + k);
}
template <Scalar T>
void Rule<T>::add(int k, const Var<T>& g) {
  if (needs(k)) sweep_.add(node_, k, g);
}
template <Scalar T>
void Rule<T>::add(int k, Tensor<T>&& g) {
  if (needs(k)) sweep_.add(node_, k, Var<T>(std::move(g)));
}
template <Scalar T>
bool Rule<T>::recording() const {
  return sweep_.create_graph();
}
template <Scalar T>
const void* Rule<T>::options_data() const {
  return node_.options;
}

template class Rule<float>;
template class Rule<double>;

}  // namespace axisgrad
