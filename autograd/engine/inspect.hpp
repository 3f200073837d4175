// What a recording tells of itself while it runs, when asked to: the first NaN or infinity, by op,
// node and place, and where the time goes. When not, each costs one comparison.
#pragma once
#include <string>

#include <axisgrad/autograd/tape.hpp>

namespace axisgrad {

/// An op has given its outputs; it becomes the next node if it is recorded.
template <Scalar T>
void inspect_outputs(const Recording<T>& recording, const OpInfo<T>& op, Inputs<T> inputs,
                     std::span<const Tensor<T>> outputs, const void* options) {
  if (recording.options.check_finite)
    for (const Tensor<T>& y : outputs)
      require_finite(y, op.name, "node " + std::to_string(recording.nodes.size()) + ": the result");
  if (!recording.profile) return;
  double elements = 0;
  for (const Var<T>* x : inputs) elements += static_cast<double>(x->size());
  for (const Tensor<T>& y : outputs) elements += static_cast<double>(y.size());
  recording.profile->forward(op.name, elements * sizeof(T),
                             op.flops ? op.flops(inputs, options) : 0);
}

/// In backward a node has given a gradient to its input k, or has made the sum of what reached that
/// input so far.
template <Scalar T>
void inspect_gradient(const Recording<T>& recording, std::size_t node, int k, const Tensor<T>& g,
                      const char* what = "the gradient") {
  if (recording.options.check_finite)
    require_finite(g, recording.nodes[node].op->name,
                   "node " + std::to_string(node) + ", in backward: " + what + " of input " +
                       std::to_string(k));
}

/// Times a gradient rule from here to its end.
class InspectTime {
 public:
  InspectTime(Profile* profile, std::string_view op) : profile_(profile), op_(op) {
    if (profile_) start_ = Profile::now();
  }
  InspectTime(const InspectTime&) = delete;
  InspectTime& operator=(const InspectTime&) = delete;
  ~InspectTime() {
    if (profile_) profile_->backward(op_, start_);
  }

 private:
  Profile* profile_;
  std::string_view op_;
  Profile::Time start_{};
};

}  // namespace axisgrad
