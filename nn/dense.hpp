// A dense (fully connected) layer.
#pragma once
#include <axisgrad/nn/activation.hpp>
#include <axisgrad/nn/flatten.hpp>
#include <axisgrad/nn/module.hpp>

namespace axisgrad {

struct DenseOptions {
  Activation activation = Activation::none;
  bool use_bias = true;
  Init kernel_init = Init::glorot_uniform, bias_init = Init::zeros;
};

/// y = activation(x kernel + bias) along the last axis: x (..., inputs) of any rank >= 1 -> (...,
/// units). kernel (inputs, units) glorot_uniform, bias (units) zeros, as in Keras; torch_uniform
/// for both is how PyTorch's Linear begins. Error for sizes below 1, and for an x whose last axis
/// has another size.
template <Scalar T>
class Dense {
 public:
  using scalar = T;

  Dense(Size inputs, Size units, DenseOptions options = {})
      : kernel(shape(inputs, units), options.kernel_init),
        bias(Shape{units}, options.bias_init, {.in = static_cast<double>(inputs)}),
        options_(options) {}

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    const Size inputs = kernel.shape()[0];
    if (x.rank() < 1 || x.shape()[x.rank() - 1] != inputs)
      fail("Dense", "expects (..., ", inputs, "), got ", x.shape());
    const Var<U> y = matmul(x, watch(kernel, x));
    return activate(options_.use_bias ? y + watch(bias, x) : y, options_.activation);
  }

  void visit(auto&& visitor) {
    visitor("kernel", kernel);
    if (options_.use_bias) visitor("bias", bias);
  }

  Parameter<T> kernel, bias;

 private:
  static Shape shape(Size inputs, Size units) {
    if (inputs < 1 || units < 1)
      fail("Dense", "needs at least one input and one unit, got ", inputs, " and ", units);
    return {inputs, units};
  }

  DenseOptions options_;
};

}  // namespace axisgrad
