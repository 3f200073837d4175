#include "case.hpp"

#include <algorithm>

#include <axisgrad/autograd/backward.hpp>

namespace axisgrad::reference {
namespace {

constexpr std::string_view where = "golden";

bool lists(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

template <Scalar T>
Tensor<T> Case<T>::array(const std::string& name) {
  if (!has_input(name)) fail(where, "input ", name, " is missing");
  used_.insert(name);
  return file_.tensor<T>(name);
}

template <Scalar T>
std::vector<std::int64_t> Case<T>::integers(const std::string& name) {
  if (!has_input(name)) fail(where, "input ", name, " is missing");
  used_.insert(name);
  return file_.integers(name);
}

template <Scalar T>
Var<T> Case<T>::input(const std::string& name) {
  const auto known = inputs_.find(name);
  if (known != inputs_.end()) return known->second;
  const bool gradient = lists(entry_.gradients, "grad." + name) || file_.contains("hv." + name);
  return inputs_.emplace(name, tape_.input(array(name), {.gradient = gradient})).first->second;
}

template <Scalar T>
void Case<T>::load_parameter(const std::string& name, Parameter<T>& parameter) {
  if (!lists(entry_.parameters, name))
    fail(where, "the block has a parameter ", name, ", which the index does not list");
  parameter.set_name(name);
  parameter.set_value(file_.tensor<T>(name));
  parameters_.insert_or_assign(name, tape_.watch(parameter));
}

template <Scalar T>
void Case<T>::require_all_used() const {
  options.require_all_read();
  for (const std::string& name : entry_.inputs)
    if (!used_.contains(name)) fail(where, "input ", name, " is not used by this block");
  for (const std::string& name : entry_.parameters)
    if (!parameters_.contains(name)) fail(where, "the block has no parameter ", name);
}

template <Scalar T>
Var<T> Case<T>::loss(const std::map<std::string, Var<T>>& outputs) const {
  const auto output_of = [&](const std::string& name) -> const Var<T>& {
    const auto found = outputs.find(name);
    if (found == outputs.end()) fail(where, "the block has no output ", name);
    return found->second;
  };
  if (entry_.loss == LossKind::out) return output_of("out");
  if (entry_.loss == LossKind::half_square) return sum(square(output_of("out"))) * T(.5);
  std::vector<Var<T>> parts;
  for (const StoredArray& array : file_.arrays()) {
    const bool whole = array.name == "cotangent";
    if (!whole && !array.name.starts_with("cotangent.")) continue;
    const Var<T>& y = output_of(whole ? "out" : array.name.substr(array.name.find('.') + 1));
    if (y.shape() != array.shape)
      fail(where, "array ", array.name, " has the shape ", array.shape, ", the output ", y.shape());
    parts.push_back(sum(y * constant(file_.tensor<T>(array.name))));
  }
  if (parts.empty()) fail(where, "array cotangent is missing");
  Var<T> total = parts[0];
  for (std::size_t k = 1; k < parts.size(); ++k) total = total + parts[k];
  return total;
}

template <Scalar T>
std::vector<Var<T>> Case<T>::leaves(const std::vector<std::string>& names) const {
  std::vector<Var<T>> found;
  for (const std::string& name : names) {
    const auto parameter = parameters_.find(name);
    const auto input = inputs_.find(name);
    if (parameter == parameters_.end() && input == inputs_.end())
      fail(where, "a derivative by ", name, " is asked for, which is neither parameter nor input");
    found.push_back(parameter == parameters_.end() ? input->second : parameter->second);
  }
  return found;
}

template <Scalar T>
void Case<T>::gradients_of(const std::string& prefix,
                           const std::map<std::string, Var<T>>& outputs) {
  add_gradients(prefix, loss(outputs));
}

template <Scalar T>
void Case<T>::add_gradients(const std::string& prefix, const Var<T>& loss) {
  std::vector<std::string> names;
  for (const std::string& name : entry_.gradients) {
    if (!name.starts_with("grad.")) fail(where, name, " is no name of a gradient: grad.NAME");
    names.push_back(name.substr(5));
  }
  if (names.empty()) return;
  const auto gradients = grad(loss, leaves(names));
  for (std::size_t k = 0; k < names.size(); ++k)
    result(prefix + "." + names[k], gradients[k].value());
}

// The Hessian acts on all vectors jointly: hv.NAME has a part from each v.
template <Scalar T>
void Case<T>::add_hessian_products(const Var<T>& loss) {
  std::vector<std::string> names;
  std::vector<Var<T>> vectors;
  for (const StoredArray& array : file_.arrays())
    if (array.name.starts_with("v.")) {
      names.push_back(array.name.substr(2));
      vectors.push_back(constant(file_.tensor<T>(array.name)));
    }
  if (names.empty()) return;
  const auto products = hvp(loss, leaves(names), vectors);
  for (std::size_t k = 0; k < names.size(); ++k) result("hv." + names[k], products[k].value());
}

template <Scalar T>
Arrays<T> Case<T>::finish() {
  require_all_used();
  for (const auto& [name, y] : outputs_) result(name, y.value());
  if (entry_.loss != LossKind::none) {
    const Var<T> value = loss(outputs_);
    if (value.size() != 1)
      fail(where, "the loss has the shape ", value.shape(), ", expected one element");
    result("loss", value.value());
    add_gradients("grad", value);
    add_hessian_products(value);
  } else if (!entry_.gradients.empty()) {
    fail(where, "the index lists gradients, but no loss");
  }
  return std::move(results_);
}

template class Case<float>;
template class Case<double>;

}  // namespace axisgrad::reference
