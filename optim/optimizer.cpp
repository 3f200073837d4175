#include <algorithm>
#include <cmath>
#include <limits>

#include <axisgrad/optim/optimizer.hpp>

namespace axisgrad {

namespace detail {

void require_option(std::string_view optimizer, std::string_view option, double value, double low,
                    double high) {
  if (value >= low && value < high) return;
  if (std::isinf(high))
    fail(optimizer, option, " must be finite and at least ", low, ", got ", value);
  fail(optimizer, option, " must be at least ", low, " and less than ", high, ", got ", value);
}

}  // namespace detail

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

template <Scalar T>
OptimizerState<T>::OptimizerState(std::string_view name, double learning_rate, double weight_decay)
    : name_(name), weight_decay_(weight_decay) {
  set_learning_rate(learning_rate);
  detail::require_option(name, "weight_decay", weight_decay, 0, infinity);
}

template <Scalar T>
void OptimizerState<T>::set_learning_rate(double rate) {
  detail::require_option(name_, "learning_rate", rate, 0, infinity);
  *rate_.mutable_data() = rate;
}

template <Scalar T>
void OptimizerState<T>::set_group(const Parameters<T>& parameters, const ParameterGroup& group) {
  detail::require_option(name_, "learning_rate_factor", group.learning_rate_factor, 0, infinity);
  detail::require_option(name_, "weight_decay", group.weight_decay.value_or(0), 0, infinity);
  if (parameters.empty()) fail(name_, "a group without parameters");
  for (const Parameter<T>* p : parameters) groups_[p->id()] = group;
}

template <Scalar T>
ParameterGroup OptimizerState<T>::group_of(const Parameter<T>& p) const {
  const auto found = groups_.find(p.id());
  return found == groups_.end() ? ParameterGroup{} : found->second;
}

template <Scalar T>
void OptimizerState<T>::bind(const Parameters<T>& parameters) {
  if (parameters.empty()) fail(name_, "there are no parameters to bind to");
  std::vector<ParameterId> ids;
  for (const Parameter<T>* p : parameters) {
    if (p->value().empty())
      fail(name_, "the parameter '", p->name(), "' has no value yet: call initialise()");
    if (std::find(ids.begin(), ids.end(), p->id()) != ids.end())
      fail(name_, "the parameter '", p->name(), "' is listed twice");
    ids.push_back(p->id());
  }
  parameters_ = parameters;
  if (ids == ids_) return;
  ids_ = std::move(ids);
  *step_.mutable_data() = 0;
  pointers_.reserve(slots_.size());
  for (Slot& slot : slots_) {
    slot.values.clear();
    for (const Parameter<T>* p : parameters) slot.values.emplace_back(p->shape(), T(0));
  }
}

template <Scalar T>
void OptimizerState<T>::require_bound() const {
  if (parameters_.empty())
    fail(name_, "step() before bind(parameters): there is nothing to change");
}

template <Scalar T>
void OptimizerState<T>::require_matching(const Parameter<T>& p) const {
  if (!p.grad().empty() && p.grad().shape() != p.shape())
    fail(name_, "the gradient of '", p.name(), "' has the shape ", p.grad().shape(), ", not ",
         p.shape());
}

template class OptimizerState<float>;
template class OptimizerState<double>;

}  // namespace axisgrad
