// Dropout by counter: whether an element is kept is a function of (seed, step, ordinal of the
// random op in its recording, sample, index within the sample), of nothing else.
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/drop.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/autograd/tape.hpp>

namespace axisgrad {
namespace {

struct dropout_op {
  static constexpr std::string_view name = "dropout";
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(0, r.cotangent() * r.input(1));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, const Var<T>& mask) {
    const Tensor<T> y = multiply(x.detach(), mask).value();
    return record<dropout_op, T>({&x, &mask}, y, {.inputs = 2});
  }
  // With the mask held fixed: without a training recording, dropout() is the identity.
  static std::vector<Sample> samples() {
    const auto mask = [](auto x, const Shape& shape) {
      using T = typename decltype(x)::value_type::scalar;
      Tensor<T> m(shape, T(1.25));
      for (Size i = 1; i < m.size(); i += 3) m.mutable_data()[i] = 0;
      return Var<T>(m);
    };
    return {sample("beside an axis of size 1", {{{4, 1, 3}}},
                   [=](auto x) { return apply(x[0], mask(x, x[0].shape())); }),
            sample("every element its own", {{{2, 3, 5}}},
                   [=](auto x) { return apply(x[0], mask(x, x[0].shape())); }),
            sample("shared along axis 1", {{{4, 3, 2}}},
                   [=](auto x) {
                     return apply(x[0], mask(x, {4, 1, 2}));
                   }),
            sample("beside an axis of size 1", {{{2, 1, 3}}},
                   [=](auto x) { return apply(x[0], mask(x, x[0].shape())); }),
            sample("an empty axis", {{{0, 3}}},
                   [=](auto x) { return apply(x[0], mask(x, x[0].shape())); })};
  }
};

}  // namespace

template <Scalar T>
kernels::Dropout draw_dropout(Recording<T>* recording, const Shape& shape, double rate,
                              bool every_sample) {
  if (!(rate >= 0 && rate <= 1)) fail("dropout", "the rate must lie in [0, 1], got ", rate);
  if (!recording || !recording->options.training || rate == 0) return {};
  const RecordingOptions& o = recording->options;
  const Size samples = shape.rank() > 0 ? shape[0] : 1;
  // A number that no sample has: the mask is shared by all.
  constexpr std::uint64_t none = ~std::uint64_t(0);
  return {.rate = rate,
          .key = mix_keys(mix_keys(o.seed, o.step), recording->random_ops++),
          .first_sample = every_sample ? none : static_cast<std::uint64_t>(o.first_sample),
          .per_sample = std::max<Size>(1, samples > 0 ? shape.size() / samples : 1)};
}

template <Scalar T>
Tensor<T> dropout_factors(const kernels::Dropout& dropout, const Shape& shape) {
  if (dropout.rate == 0) return Tensor<T>(shape, T(1));
  Tensor<T> factors(shape);
  T* const to = factors.mutable_data();
  constexpr kernels::Index chunk = 1 << 16;
  kernels::parallel_chunks(shape.size(), chunk, [&](Size begin, Size end) {
    kernels::dropout_factors(dropout, begin, end - begin, to + begin);
  });
  return factors;
}

template <Scalar T>
Var<T> dropout_mask(const Var<T>& like, const Shape& shape, double rate, DropoutOptions options) {
  const unsigned shared = resolve(options.shared, shape.rank(), "dropout");
  const Shape drawn = shape.without(shared, true);
  auto* recording = Recording<T>::common(std::array{&like}, "dropout");
  return Var<T>(dropout_factors<T>(draw_dropout(recording, drawn, rate, shared & 1u), drawn));
}

template <Scalar T>
Var<T> dropout(const Var<T>& x, double rate, DropoutOptions options) {
  const Var<T> mask = dropout_mask(x, x.shape(), rate, options);
  return x.recording_options().training && rate > 0 ? dropout_op::apply(x, mask) : x;
}

std::vector<OpEntry> dropout_family() { return family<dropout_op>(); }

template kernels::Dropout draw_dropout(Recording<float>*, const Shape&, double, bool);
template kernels::Dropout draw_dropout(Recording<double>*, const Shape&, double, bool);
template Tensor<float> dropout_factors(const kernels::Dropout&, const Shape&);
template Tensor<double> dropout_factors(const kernels::Dropout&, const Shape&);
template Var<float> dropout_mask(const Var<float>&, const Shape&, double, DropoutOptions);
template Var<double> dropout_mask(const Var<double>&, const Shape&, double, DropoutOptions);
template Var<float> dropout(const Var<float>&, double, DropoutOptions);
template Var<double> dropout(const Var<double>&, double, DropoutOptions);

}  // namespace axisgrad
