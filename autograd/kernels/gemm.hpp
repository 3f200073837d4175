// Matrix products C = D + A B, for the small and middle-sized matrices of recurrent and attention
// layers.
//
// The result is defined: every element of C is ((D + P0) + P1) + ..., where Pb is one chain of fma
// (multiply and add on SSE2) over the b-th block of 256 values of k, starting from 0. So its bits
// depend neither on how the matrices are stored, nor on the path taken, nor on the number of
// threads. The exception is n == 1 with contiguous rows of A and contiguous B: a dot product in
// another order, which is fixed as well.
#pragma once
#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {

/// Element (i,j) of product q is p[q*batch + i*row + j*col]. p = nullptr is the zero matrix, row =
/// 0 a bias, batch = 0 a matrix that all products share.
template <class T>
struct Matrix {
  const T* p = nullptr;
  Index row = 0, col = 1, batch = 0;
};

/// C = D + A B for `count` products, A (m,k), B (k,n), C (m,n) with contiguous rows ldc apart and
/// products c_batch apart. D (col = 1) may be C, A and B may not overlap it. k = 0 gives D.
template <class T>
void gemm(Index count, Index m, Index n, Index k, Matrix<T> a, Matrix<T> b, Matrix<T> d, T* c,
          Index ldc, Index c_batch = 0);

/// For a B (k,n) that serves many products: packed_size(n, k) elements, 64-byte aligned, written by
/// pack_b and read by gemm_packed. Valid for one architecture only.
template <class T>
Index packed_size(Index n, Index k);
template <class T>
void pack_b(Index n, Index k, Matrix<T> b, T* packed);
template <class T>
void gemm_packed(Index m, Index n, Index k, Matrix<T> a, const T* packed, Matrix<T> d, T* c,
                 Index ldc);

}  // namespace axisgrad::kernels
