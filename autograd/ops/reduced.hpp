// What the families of reductions and of losses share.
#pragma once
#include <axisgrad/autograd/ops.hpp>

namespace axisgrad::detail {

// The result of a reduction, or its cotangent, with the reduced axes of x back as axes of size 1,
// whether it kept them or not.
template <Scalar T>
Var<T> kept(const Var<T>& y, const Shape& x, unsigned axes) {
  return reshape(y, x.without(axes, true));
}

template <Scalar T>
Var<T> reduced(const Var<T>& losses, Reduction reduction) {
  if (reduction == Reduction::mean) return mean(losses);
  return reduction == Reduction::sum ? sum(losses) : losses;
}

// Error unless targets that are data, constants, lie in [0, 1]. A target on a tape is free, so that
// a check of its gradient may move it over the border.
template <Scalar T>
void require_probabilities(const Var<T>& t, std::string_view where) {
  if (t.on_tape()) return;
  for (const T& v : t.value())
    if (!(v >= 0 && v <= 1))
      fail(where, "a target must lie in [0, 1], got ", v, " as number ", &v - t.value().begin(),
           " of ", t.shape());
}

}  // namespace axisgrad::detail
