// Layer normalisation: y = (x - mean) / sqrt(var + epsilon) gamma + beta over some axes.
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/layer_norm.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>

namespace axisgrad {
namespace {

// In public ops. gamma and beta are brought to x's rank, with size 1 on the other axes.
template <class T>
Var<T> composed(const Var<T>& x, const Var<T>& gamma, const Var<T>& beta, unsigned axes,
                T epsilon) {
  const unsigned every_axis = (1u << x.rank()) - 1;
  const Shape wide = x.shape().without(every_axis & ~axes, true);
  const Var<T> centred = x - mean(x, Axes::of(axes), {.keep = true});
  const Var<T> variance = mean(square(centred), Axes::of(axes), {.keep = true});
  return centred / sqrt(variance + epsilon) * reshape(gamma, wide) + reshape(beta, wide);
}

struct layer_norm_op {
  static constexpr std::string_view name = "layer_norm";
  struct Options {
    unsigned axes;
    double epsilon;
  };
  template <Scalar T>
  static std::vector<Var<T>> reference(Rule<T>& r) {
    const auto& o = r.template options<Options>();
    return {composed(r.input(0), r.input(1), r.input(2), o.axes, static_cast<T>(o.epsilon))};
  }
  // With x^ = (x - mean) inverse and h = g gamma:
  //   dx = inverse (h - mean(h) - x^ mean(h x^)),  dgamma = sum(g x^),  dbeta = sum(g)
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const Tensor<T> x = r.input(0).value(), gamma = r.input(1).value();
    const Tensor<T> mean = r.output(1).value(), inverse = r.output(2).value();
    const Tensor<T> g = r.cotangent().value();
    Tensor<T> dx(x.shape()), dgamma(gamma.shape()), dbeta(gamma.shape());
    kernels::layer_norm_backward(mean.size(), gamma.size(), x.data(), gamma.data(), mean.data(),
                                 inverse.data(), g.data(), dx.mutable_data(), dgamma.mutable_data(),
                                 dbeta.mutable_data());
    r.add(0, Var<T>(dx)), r.add(1, Var<T>(dgamma)), r.add(2, Var<T>(dbeta));
  }
  static std::vector<Sample> samples() {
    const auto apply = [](Axes axes) {
      return [=](auto x) { return layer_norm(x[0], x[1], x[2], {.axes = axes, .epsilon = .01}); };
    };
    const auto in_public_ops = [](unsigned axes) {
      return [=](auto x) {
        using T = typename decltype(x)::value_type::scalar;
        return composed<T>(x[0], x[1], x[2], axes, T(.01));
      };
    };
    return {with_reference(sample("the last axis beside one of size 1", {{{4, 1, 3}}, {{3}}, {{3}}},
                                  apply(-1)),
                           in_public_ops(4)),
            with_reference(sample("the last axis", {{{2, 3, 5}}, {{5}}, {{5}}}, apply(-1)),
                           in_public_ops(4)),
            with_reference(sample("a long row", {{{2, 37}}, {{37}}, {{37}}}, apply(-1)),
                           in_public_ops(2)),
            with_reference(sample("axes 1 and 2", {{{4, 2, 3}}, {{2, 3}}, {{2, 3}}}, apply({1, 2})),
                           in_public_ops(6)),
            sample("axis 1 of three", {{{2, 3, 5}}, {{3}}, {{3}}}, apply(1)),
            sample("axes 0 and 2", {{{3, 2, 4}}, {{3, 4}}, {{3, 4}}}, apply({0, 2})),
            sample("beside an axis of size 1", {{{2, 1, 3}}, {{3}}, {{3}}}, apply(-1)),
            sample("beside an empty axis", {{{0, 4}}, {{4}}, {{4}}}, apply(-1))};
  }
};

}  // namespace

template <Scalar T>
Var<T> layer_norm(const Var<T>& x, const Same<Var<T>>& gamma, const Same<Var<T>>& beta,
                  LayerNormOptions options) {
  const unsigned axes = resolve(options.axes, x.rank(), "layer_norm");
  const Shape normalised = x.shape().without(((1u << x.rank()) - 1) & ~axes);
  if (gamma.shape() != normalised || beta.shape() != normalised)
    fail("layer_norm", "gamma and beta must have the shape ", normalised,
         " of the normalised axes of ", x.shape(), ": got ", gamma.shape(), " and ", beta.shape());
  if (!(options.epsilon >= 0))
    fail("layer_norm", "epsilon must be at least 0, got ", options.epsilon);
  const auto epsilon = static_cast<T>(options.epsilon);
  const Shape outer = x.shape().without(axes);
  // The kernel takes rows: the axes must be the last ones.
  const bool rows = axes >> outer.rank() << outer.rank() == axes;
  if (!rows || x.size() == 0) return composed<T>(x, gamma, beta, axes, epsilon);
  Tensor<T> y(x.shape()), mean(outer), inverse(outer);
  kernels::layer_norm(outer.size(), normalised.size(), x.value().data(), gamma.value().data(),
                      beta.value().data(), epsilon, y.mutable_data(), mean.mutable_data(),
                      inverse.mutable_data());
  return record<layer_norm_op, T>({&x, &gamma, &beta}, std::array{y, mean, inverse},
                                  {.inputs = 7, .outputs = 6}, {axes, options.epsilon})[0];
}

std::vector<OpEntry> norm_family() { return family<layer_norm_op>(Kind::fused); }

template Var<float> layer_norm(const Var<float>&, const Var<float>&, const Var<float>&,
                               LayerNormOptions);
template Var<double> layer_norm(const Var<double>&, const Var<double>&, const Var<double>&,
                                LayerNormOptions);

}  // namespace axisgrad
