// What every op that takes a mask asks of it: 1 uses a position, 0 leaves it out.
#pragma once
#include <string_view>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

/// Error naming the value unless the mask holds 0 and 1 only: NaN, or an additive mask of 0 and
/// -1e9 in its place, would silently choose the wrong positions.
template <Scalar T>
void require_mask(std::string_view where, const Tensor<T>& mask, std::string_view advice = "") {
  bool fits = true;
  for (T x : mask) fits &= (x == T(0)) | (x == T(1));
  if (fits) return;
  for (T x : mask)
    if (x != T(0) && x != T(1)) fail(where, "a mask holds 1 (attend) and 0 only, got ", x, advice);
}

}  // namespace axisgrad
