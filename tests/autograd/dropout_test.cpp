#include <axisgrad/autograd/kernels/parallel.hpp>

#include "common.hpp"

using namespace axisgrad;
using namespace axisgrad::test;

namespace {

Tensor<double> ones(const Shape& shape) { return Tensor<double>(shape, 1.); }

// The factors that dropout applies to a tensor of ones.
template <class T = double>
Tensor<T> factors(const Shape& shape, double rate, RecordingOptions options,
                  DropoutOptions how = {}) {
  options.training = true;
  Tape<T> tape(options);
  return dropout(tape.input(Tensor<T>(shape, T(1))), rate, how).value();
}

}  // namespace

TEST_CASE("dropout: the kept share is 1 - rate, the mean is kept") {
  for (double rate : {.1, .5, .9}) {
    const auto f = factors({100, 1000}, rate, {.seed = 7});
    double kept = 0;
    for (double v : f) {
      CHECK_UNARY(v == 0 || v == 1 / (1 - rate));
      kept += v != 0;
    }
    // Within 5 standard deviations of a binomial count.
    CHECK(std::abs(kept / 1e5 - (1 - rate)) < 5 * std::sqrt(rate * (1 - rate) / 1e5));
  }
}

TEST_CASE("dropout: how a batch is dealt out changes no bit") {
  const Shape shape{10, 7, 3};
  const auto whole = factors(shape, .4, {.seed = 3, .step = 5});
  std::vector<double> parts;
  for (Size first : {0, 4, 5}) {
    const Size count = first == 0 ? 4 : first == 4 ? 1 : 5;
    const auto part = factors({count, 7, 3}, .4, {.seed = 3, .step = 5, .first_sample = first});
    parts.insert(parts.end(), part.begin(), part.end());
  }
  CHECK(parts == values_of(whole));
}

TEST_CASE("dropout: the number of threads changes no bit") {
  const int before = kernels::threads();
  kernels::set_threads(1);
  const auto one = factors({300, 1001}, .3, {.seed = 1});
  kernels::set_threads(3);
  const auto three = factors({300, 1001}, .3, {.seed = 1});
  kernels::set_threads(before);
  CHECK(same_bits(one, three));
}

TEST_CASE("dropout: float and double drop the same elements") {
  const auto in_double = factors({5, 33}, .3, {.seed = 9});
  const auto in_float = factors<float>({5, 33}, .3, {.seed = 9});
  for (Size i = 0; i < in_double.size(); ++i)
    CHECK((in_double.data()[i] == 0) == (in_float.data()[i] == 0));
}

TEST_CASE("dropout: seed, step and ordinal each give another mask, a new recording the same") {
  const Shape shape{4, 50};
  const auto a = factors(shape, .5, {.seed = 1, .step = 1});
  CHECK(same_bits(a, factors(shape, .5, {.seed = 1, .step = 1})));
  CHECK(!same_bits(a, factors(shape, .5, {.seed = 2, .step = 1})));
  CHECK(!same_bits(a, factors(shape, .5, {.seed = 1, .step = 2})));
  Tape<double> tape({.training = true, .seed = 1, .step = 1});
  const auto x = tape.input(ones(shape));
  CHECK(same_bits(dropout(x, .5).value(), a));
  CHECK(!same_bits(dropout(x, .5).value(), a));
  tape.clear();
  CHECK(same_bits(dropout(tape.input(ones(shape)), .5).value(), a));
  // Rows differ from each other.
  CHECK(!std::equal(a.begin(), a.begin() + 50, a.begin() + 50));
}

TEST_CASE("dropout: one decision along shared axes") {
  const auto f = factors({6, 5, 40}, .5, {.seed = 2}, {.shared = 1});
  for (Size b = 0; b < 6; ++b)
    for (Size t = 1; t < 5; ++t)
      for (Size k = 0; k < 40; ++k) CHECK(f(b, t, k) == f(b, 0, k));
  // Shared by all samples: also by those of another part of the batch.
  const auto first = factors({2, 40}, .5, {.seed = 2}, {.shared = 0});
  const auto later = factors({2, 40}, .5, {.seed = 2, .first_sample = 2}, {.shared = 0});
  CHECK(same_bits(first, later));
  CHECK(std::equal(first.begin(), first.begin() + 40, first.begin() + 40));
  const auto one = factors({2, 40}, .5, {.seed = 2}, {.shared = all_axes});
  CHECK(std::equal(one.begin() + 1, one.end(), one.begin()));
}

TEST_CASE("dropout: identity outside training and at rate 0, zeros at rate 1") {
  Tape<double> inference;
  const auto x = inference.input(ones({2, 3}), {.gradient = true});
  CHECK(same_bits(dropout(x, .5).value(), x.value()));
  CHECK(same_bits(dropout(constant(ones({2, 3})), .5).value(), ones({2, 3})));
  CHECK(values_of(factors({2, 3}, 0, {})) == std::vector<double>(6, 1.));
  CHECK(values_of(factors({2, 3}, 1, {})) == std::vector<double>(6, 0.));
  CHECK(factors({0, 3}, .5, {}).shape() == Shape{0, 3});
  CHECK(factors({}, .5, {}).shape() == Shape{});
  CHECK(values_of(dropout_mask(x, {2, 2}, .5)) == std::vector<double>(4, 1.));
}

TEST_CASE("dropout: derivatives of second order see the same mask") {
  Tape<double> tape({.training = true, .seed = 4});
  const auto x = tape.input(Tensor<double>({1, 30}, .5), {.gradient = true});
  const auto y = dropout(x, .5);
  const auto g = grad(sum(y * y), x, {.create_graph = true});  // 2 m^2 x
  const auto h = grad(sum(g), x);                              // 2 m^2
  for (Size i = 0; i < 30; ++i) CHECK(h.value()(0, i) == (y.value()(0, i) == 0 ? 0 : 8));
}

TEST_CASE("dropout: what is refused") {
  const auto x = constant(ones({2, 3}));
  for (double rate : {-.1, 1.5, not_a_number})
    CHECK(refusal([&] {
            (void)dropout(x, rate);
          }).starts_with("[dropout] the rate must lie in [0, 1], got "));
}
