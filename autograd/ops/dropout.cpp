// Dropout by counter: whether an element is kept is a function of (seed, step, ordinal of the
// random op in its recording, sample, index within the sample), of nothing else.
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/ops.hpp>
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

// A sample number that no sample has: the mask is shared by all.
constexpr std::uint64_t every_sample = ~std::uint64_t(0);

// The words are those of philox() in random.hpp.
template <class T>
void draw(Tensor<T>& mask, double rate, std::uint64_t key, bool shared, std::uint64_t first) {
  const Size samples = mask.rank() > 0 ? mask.shape()[0] : 1;
  if (mask.size() == 0) return;
  const Size n = mask.size() / samples, blocks = (n + 3) / 4;  // a block of Philox: four words
  const auto limit = static_cast<std::uint64_t>(rate * 0x1p32);
  const T scale = static_cast<T>(1 / (1 - rate));
  T* const to = mask.mutable_data();
  constexpr kernels::Index chunk = 1 << 14;
  kernels::parallel_chunks(samples * blocks, chunk, [&](Size begin, Size end) {
    while (begin < end) {
      const Size row = begin / blocks, block = begin % blocks;
      const Size count = std::min(blocks - block, end - begin);
      const std::uint64_t sample = shared ? every_sample : first + static_cast<std::uint64_t>(row);
      kernels::table<T>().step.keep(std::min(4 * count, n - 4 * block),
                                    static_cast<std::uint64_t>(block), sample, key, limit, scale,
                                    to + row * n + 4 * block);
      begin += count;
    }
  });
}

}  // namespace

template <Scalar T>
Var<T> dropout_mask(const Var<T>& like, const Shape& shape, double rate, DropoutOptions options) {
  if (!(rate >= 0 && rate <= 1)) fail("dropout", "the rate must lie in [0, 1], got ", rate);
  auto* recording = Recording<T>::common(std::array{&like}, "dropout");
  const unsigned shared = resolve(options.shared, shape.rank(), "dropout");
  const Shape drawn = shape.without(shared, true);
  if (!recording || !recording->options.training || rate == 0)
    return Var<T>(Tensor<T>(drawn, T(1)));
  const RecordingOptions& o = recording->options;
  const std::uint64_t key = mix_keys(mix_keys(o.seed, o.step), recording->random_ops++);
  Tensor<T> mask(drawn, T(0));
  if (rate < 1) draw(mask, rate, key, shared & 1u, static_cast<std::uint64_t>(o.first_sample));
  return Var<T>(mask);
}

template <Scalar T>
Var<T> dropout(const Var<T>& x, double rate, DropoutOptions options) {
  const Var<T> mask = dropout_mask(x, x.shape(), rate, options);
  return x.recording_options().training && rate > 0 ? dropout_op::apply(x, mask) : x;
}

std::vector<OpEntry> dropout_family() { return family<dropout_op>(); }

template Var<float> dropout_mask(const Var<float>&, const Shape&, double, DropoutOptions);
template Var<double> dropout_mask(const Var<double>&, const Shape&, double, DropoutOptions);
template Var<float> dropout(const Var<float>&, double, DropoutOptions);
template Var<double> dropout(const Var<double>&, double, DropoutOptions);

}  // namespace axisgrad
