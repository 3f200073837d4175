// Derivatives of what a tape has recorded.
#pragma once
#include <concepts>
#include <type_traits>
#include <vector>

#include <axisgrad/autograd/tape.hpp>

namespace axisgrad {

struct BackwardOptions {
  bool retain = false;  // keep the recording for another backward
};

/// Adds the gradient of a loss (one element) to the grad of every trainable parameter watched in
/// its recording, then releases the recording. Nothing is changed when it fails.
template <Scalar T>
void backward(const Var<T>& loss, BackwardOptions options = {});

template <Scalar T>
struct GradOptions {
  bool create_graph = false;  // record the gradients, so that they can be differentiated again
  std::vector<Var<T>>
      cotangents{};  // one for each y, of its shape; may be left out when every y has one element
  bool allow_constant = false;  // zeros, not an error, for a y that is on no tape
};

/// Gradients of sum(y * cotangent) by each x: Vars of this recording that ask for a gradient,
/// leaves or not. Zeros for an x that no y depends on. Error for a y that is a constant, as a
/// gradient is that was taken without .create_graph. Keeps the recording and touches no parameter.
/// One x alone gives one Var; a list, {x} too, gives a vector.
template <Scalar T>
[[nodiscard]] std::vector<Var<T>> grad(const std::vector<Var<T>>& ys, const std::vector<Var<T>>& xs,
                                       const std::type_identity_t<GradOptions<T>>& options = {});
template <Scalar T>
[[nodiscard]] std::vector<Var<T>> grad(const Var<T>& y, const std::vector<Var<T>>& xs,
                                       const std::type_identity_t<GradOptions<T>>& options = {}) {
  return grad<T>(std::vector{y}, xs, options);
}
template <Scalar T, std::same_as<Var<T>> X>  // not deduced from {x}
[[nodiscard]] Var<T> grad(const Var<T>& y, const X& x,
                          const std::type_identity_t<GradOptions<T>>& options = {}) {
  return grad<T>(std::vector{y}, std::vector{x}, options)[0];
}
/// By parameters; zeros for one that the recording of y did not watch. Error for one that was
/// frozen when it was watched.
template <Scalar T, ParameterLike P>
[[nodiscard]] std::vector<Var<T>> grad(const Var<T>& y, const std::vector<P*>& parameters,
                                       const std::type_identity_t<GradOptions<T>>& options = {}) {
  Recording<T>::require_live(y, "grad");
  auto* recording = Recording<T>::of(y);
  std::vector<Var<T>> xs, result;
  for (const P* p : parameters)
    if (const auto* leaf = recording ? recording->leaf(p->cell()->id) : nullptr) {
      if (!leaf->var.has_gradient())
        fail("grad", "the parameter '", leaf->cell->name, "' of shape ", leaf->var.shape(),
             " asked for no gradient when it was watched: it was frozen, or the tape records none");
      xs.push_back(leaf->var);
    }
  const auto found = grad<T>(y, xs, options);
  auto next = found.begin();
  for (const P* p : parameters)
    result.push_back(recording && recording->leaf(p->cell()->id)
                         ? *next++
                         : Var<T>(Tensor<T>(p->value().shape(), T(0))));
  return result;
}

/// Hessian of y (one element) by all xs jointly, times vs: one vector for each x, of its shape.
template <Scalar T>
[[nodiscard]] std::vector<Var<T>> hvp(const Var<T>& y, const std::vector<Var<T>>& xs,
                                      const std::type_identity_t<std::vector<Var<T>>>& vs) {
  if (vs.size() != xs.size())
    fail("hvp", "needs one v for each x: got ", vs.size(), " for ", xs.size());
  for (std::size_t k = 0; k < xs.size(); ++k)
    if (vs[k].shape() != xs[k].shape())
      fail("hvp", "v number ", k, " must have the shape of its x: got ", vs[k].shape(), " and ",
           xs[k].shape());
  return grad<T>(grad<T>(y, xs, {.create_graph = true}), xs, {.cotangents = vs});
}

/// The value without its history: no gradient flows back through it, but it stays on its tape.
template <Scalar T>
[[nodiscard]] Var<T> stop_gradient(const Var<T>& x) {
  Recording<T>::require_live(x, "stop_gradient");
  auto* recording = Recording<T>::of(x);
  return recording ? recording->at(x.value(), -1) : x;
}

}  // namespace axisgrad
