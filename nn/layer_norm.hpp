// Layer normalisation (Ba, Kiros and Hinton 2016, arXiv 1607.06450).
#pragma once
#include <initializer_list>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/module.hpp>

namespace axisgrad {

/// y = (x - mean) / sqrt(var + epsilon) gamma + beta, mean and biased variance over some axes of
/// each sample: x of any rank -> the same shape. gamma ones, beta zeros, both of the shape of the
/// axes, named as in Keras. Epsilon inside the root: 1e-3 as in Keras; PyTorch's is 1e-5. Error for
/// sizes that do not fit the axes or a negative epsilon, and for an x whose axes have other sizes.
template <Scalar T>
class LayerNormalization {
 public:
  using scalar = T;

  /// `sizes`: those of the normalised axes, in the order of x: {features}, or {steps, features}
  /// with .axes = {1, 2}.
  explicit LayerNormalization(const Shape& sizes, const LayerNormOptions& options = {})
      : gamma(sizes, Init::ones), beta(sizes, Init::zeros), options_(options) {
    if (options.axes.all() || options.axes.count() != sizes.rank())
      fail("LayerNormalization", "needs a size for each normalised axis, got the sizes ", sizes,
           " for ", options.axes.all() ? std::string("all") : std::to_string(options.axes.count()),
           " axes");
    if (sizes.rank() < 1 || sizes.size() < 1)
      fail("LayerNormalization", "needs sizes of at least 1, got ", sizes);
    if (!(options.epsilon >= 0))
      fail("LayerNormalization", "epsilon must be at least 0, got ", options.epsilon);
  }
  explicit LayerNormalization(std::initializer_list<Size> sizes,
                              const LayerNormOptions& options = {})
      : LayerNormalization(shape_of(sizes), options) {}

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    const unsigned axes = resolve(options_.axes, x.rank(), "LayerNormalization");
    Shape found;
    for (int a = 0; a < x.rank(); ++a)
      if (axes >> a & 1) found = found.inserted(found.rank(), x.shape()[a]);
    if (found != gamma.shape())
      fail("LayerNormalization", "normalises over ", gamma.shape(), ", got ", found, " in x ",
           x.shape());
    return layer_norm(x, watch(gamma, x), watch(beta, x), options_);
  }

  void visit(auto&& visitor) { visitor("gamma", gamma), visitor("beta", beta); }

  Parameter<T> gamma, beta;

 private:
  // A Shape of a negative size would be refused in its own name.
  static Shape shape_of(std::initializer_list<Size> sizes) {
    for (Size n : sizes)
      if (n < 0) fail("LayerNormalization", "needs sizes of at least 1, got ", n);
    return Shape(sizes);
  }

  LayerNormOptions options_;
};

}  // namespace axisgrad
