// Copies between strided views: transpositions, slices, broadcasts (stride 0).
#pragma once
#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {

/// out[i] = in[i] for every index i of `sizes` (rank <= 8); strides in elements. The views must not
/// overlap.
template <class T>
void copy_strided(int rank, const Index* sizes, const Index* in_strides, const T* in,
                  const Index* out_strides, T* out);

/// out[i] += in[i]. An out stride of 0 adds up along that axis, one after the other.
template <class T>
void add_strided(int rank, const Index* sizes, const Index* in_strides, const T* in,
                 const Index* out_strides, T* out);

}  // namespace axisgrad::kernels
