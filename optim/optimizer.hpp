// What every optimizer is, and what they share. An optimizer reads gradients and changes parameter
// values; it sees no tape and never touches a gradient.
#pragma once
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <axisgrad/nn/module.hpp>

namespace axisgrad {

/// Whose formula and defaults, where Keras and PyTorch differ.
enum class Convention { keras, torch };

/// `o.visit(visitor)` calls visitor(name, tensor) for everything the next step depends on besides
/// values and gradients, so that a checkpoint can save and load it.
template <class O, class T>
concept OptimizerFor = Scalar<T> &&
    requires(O& o, const O& read, const Parameters<T>& parameters, double rate) {
  o.bind(parameters);
  o.step();
  { read.learning_rate() } -> std::convertible_to<double>;
  o.set_learning_rate(rate);
  o.visit(detail::AnyVisitor{});
};

/// What some parameters have of their own.
struct ParameterGroup {
  /// Their learning rate is this times the optimizer's, so that a schedule moves all of them. A
  /// rate of its own, r, is the factor r / learning_rate.
  double learning_rate_factor = 1;
  std::optional<double> weight_decay{};  // the optimizer's when left out
};

/// The parameters an optimizer is bound to, its step counter, its learning rate and, for each
/// parameter, tensors of the parameter's shape ("slots": moments, velocities), zero at first.
template <Scalar T>
class OptimizerState {
 public:
  /// The parameters that step() will change; they must stay where they are. Bound again to the same
  /// ones it keeps its state, bound to others it starts afresh. Error when one has no value.
  void bind(const Parameters<T>& parameters);
  const Parameters<T>& parameters() const { return parameters_; }

  double learning_rate() const { return rate_.item(); }
  /// Error unless it is finite and not negative.
  void set_learning_rate(double rate);
  /// Gives these parameters a group of their own, in place of one they had; before or after bind().
  /// Error for an option out of range.
  ///   adam.set_group(parameters(norm, embedding), {.weight_decay = 0});
  void set_group(const Parameters<T>& parameters, const ParameterGroup& group);
  /// Calls of step() so far.
  Size steps() const { return static_cast<Size>(step_.item()); }

  /// "step" and "learning_rate" (double, rank 0), then "m.<parameter>" and so on (T).
  void visit(auto&& visitor) {
    visitor("step", step_);
    visitor("learning_rate", rate_);
    for (Slot& slot : slots_)
      for (std::size_t k = 0; k < slot.values.size(); ++k)
        visitor(slot.name + "." + parameters_[k]->name(), slot.values[k]);
  }

 protected:
  /// Error for a learning rate or weight decay out of range.
  OptimizerState(std::string_view name, double learning_rate, double weight_decay);
  void add_slot(std::string name) { slots_.push_back({std::move(name), {}}); }

  /// One parameter in a step: all of n elements.
  struct Update {
    Size n;
    T* p;
    const T* g;
    std::vector<T*>& slots;
    double rate, weight_decay;  // of its group
  };
  /// Raises the step counter once, then calls f(Update) for each parameter that is trainable and
  /// has a gradient. Pointers are taken anew each time: a buffer shared with a recording that is
  /// kept is copied first, so the recording still differentiates at its old values.
  template <class F>
  void each_update(const F& f);

 private:
  struct Slot {
    std::string name;
    std::vector<Tensor<T>> values;
  };
  ParameterGroup group_of(const Parameter<T>& p) const;
  void require_bound() const;
  void require_matching(const Parameter<T>& p) const;

  std::string_view name_;
  Parameters<T> parameters_;
  std::vector<ParameterId> ids_;
  std::map<ParameterId, ParameterGroup> groups_;
  double weight_decay_;
  std::vector<Slot> slots_;
  std::vector<T*> pointers_;
  Tensor<double> step_{Shape{}, 0.0}, rate_{Shape{}, 0.0};
};

template <Scalar T>
template <class F>
void OptimizerState<T>::each_update(const F& f) {
  require_bound();
  for (const Parameter<T>* p : parameters_) require_matching(*p);
  *step_.mutable_data() += 1;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    Parameter<T>& p = *parameters_[k];
    if (!p.trainable() || p.grad().empty()) continue;
    pointers_.clear();
    for (Slot& slot : slots_) pointers_.push_back(slot.values[k].mutable_data());
    const ParameterGroup group = group_of(p);
    f(Update{p.shape().size(), p.mutable_data(), p.grad().data(), pointers_,
             learning_rate() * group.learning_rate_factor,
             group.weight_decay.value_or(weight_decay_)});
  }
}

namespace detail {

/// base^n for n >= 0 by squaring: the same bits on every machine, which pow() does not promise.
inline double power(double base, Size n) {
  double result = 1;
  for (; n > 0; n /= 2, base *= base)
    if (n % 2) result *= base;
  return result;
}

/// Error unless low <= value < high, naming the option.
void require_option(std::string_view optimizer, std::string_view option, double value, double low,
                    double high);

}  // namespace detail

extern template class OptimizerState<float>;
extern template class OptimizerState<double>;

}  // namespace axisgrad
