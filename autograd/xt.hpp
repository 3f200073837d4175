// xtensor at the border of the library: expressions in, views out, and tables as CSV. This is the
// only public header that includes xtensor, and axisgrad.hpp does not include it. Files of NumPy:
// nn/weights/npy.hpp.
//
// Beware of xtensor 0.24 in C++20: a lazy reducer with keep_dims inside of an expression gives
// wrong numbers. Assign it to a container first: xt::xarray<double> m = xt::mean(x, {1},
// xt::keep_dims); then adapt_in(x - m).
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xnoalias.hpp>

#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

/// A view of the tensor's elements as an xtensor expression of the same shape. It does not own
/// them: the tensor must outlive it and not be written to meanwhile.
template <Scalar T>
[[nodiscard]] auto adapt_out(const Tensor<T>& x) {
  const std::vector<std::size_t> shape(x.shape().begin(), x.shape().end());
  return xt::adapt<xt::layout_type::row_major>(x.begin(), static_cast<std::size_t>(x.size()),
                                               xt::no_ownership(), shape);
}
template <Scalar T>
void adapt_out(const Tensor<T>&&) = delete;

/// The values of an xtensor container, view or expression of any layout, evaluated into a tensor of
/// its own. The scalar is that of the expression, or the one named: adapt_in<float>(integers).
/// Error for a rank above max_rank.
template <class As = void, class E>
[[nodiscard]] auto adapt_in(const xt::xexpression<E>& expression) {
  using T = std::conditional_t<std::is_void_v<As>, std::remove_cv_t<typename E::value_type>, As>;
  static_assert(Scalar<T>, "name the scalar of the tensor, float or double: adapt_in<float>(x)");
  const E& e = expression.derived_cast();
  const std::vector<Size> sizes(e.shape().begin(), e.shape().end());
  const std::vector<std::size_t> shape(e.shape().begin(), e.shape().end());
  Tensor<T> x(Shape(sizes.data(), static_cast<int>(sizes.size())));
  auto elements = xt::adapt<xt::layout_type::row_major>(
      x.mutable_data(), static_cast<std::size_t>(x.size()), xt::no_ownership(), shape);
  xt::noalias(elements) = xt::cast<T>(e);
  return x;
}

/// Writes (rows, columns) as CSV with a first row of names. Numbers are the shortest that read back
/// to the same bits. Error for another rank, a wrong number of names, or a file that cannot be
/// written.
template <Scalar T>
void save_csv(const std::string& path, const std::vector<std::string>& names, const Tensor<T>& x);

}  // namespace axisgrad
