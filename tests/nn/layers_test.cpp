// LayerNormalization, Dropout, position embeddings, Flatten, Sequential, Activate.
#include <cmath>

#include <doctest/doctest.h>

#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/dropout.hpp>
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/position.hpp>
#include <axisgrad/nn/sequential.hpp>

#include "../autograd/differences.hpp"

namespace ag = axisgrad;
using ag::Activation, ag::Axis, ag::Shape, ag::Size, ag::Tensor;
using ag::tests::distance, ag::tests::noise;
using V = ag::Var<double>;

namespace {

V input(const Shape& shape, std::uint64_t seed = 1) { return V(noise<double>(shape, seed)); }
bool same(const V& a, const V& b) { return ag::same_bits(a.value(), b.value()); }

template <class M>
void fill(M& module, std::uint64_t seed = 5) {
  for (auto* p : ag::parameters(module)) p->set_value(noise<double>(p->shape(), seed++));
}

}  // namespace

TEST_CASE("LayerNormalization: mean 0 and variance 1 over the chosen axes, then gamma and beta") {
  ag::LayerNormalization<double> layer({5, 3}, {.axes = {1, 3}, .epsilon = 0});
  ag::initialise(ag::parameters(layer), 1);
  const V y = layer(input({2, 5, 4, 3}));
  CHECK(ag::max(ag::abs(ag::mean(y, {1, 3}))).item() < 1e-14);
  CHECK(ag::max(ag::abs(ag::var(y, {1, 3}) - V(1.))).item() < 1e-13);
  layer.gamma.set_value(Tensor<double>({5, 3}, 2.0));
  layer.beta.set_value(Tensor<double>({5, 3}, -1.0));
  CHECK(distance(layer(input({2, 5, 4, 3})).value(), (y * V(2.) - V(1.)).value()) < 1e-14);
  // Epsilon stands inside the root: x = (-1, 1) has variance 1.
  ag::LayerNormalization<double> pair({2});
  ag::initialise(ag::parameters(pair), 1);
  CHECK(pair(V(Tensor<double>({1, 2}, {-1, 1}))).value()(0, 1) ==
        doctest::Approx(1 / std::sqrt(1 + 1e-3)).epsilon(1e-14));
}

TEST_CASE("LayerNormalization: gradients of first and second order, over one axis and over two") {
  for (const ag::Axes& axes : {ag::Axes(-1), ag::Axes{1, 2}}) {
    ag::LayerNormalization<double> layer(axes.count() == 1 ? Shape{4} : Shape{3, 4},
                                         {.axes = axes});
    fill(layer);
    const auto f = [&](const V& x) { return layer(x); };
    const auto x = noise<double>({2, 3, 4}, 1);
    const auto first = ag::gradcheck(f, x), second = ag::gradgradcheck(f, x);
    CHECK_MESSAGE(first, first);
    CHECK_MESSAGE(second, second);
  }
}

TEST_CASE("LayerNormalization: what does not fit is refused") {
  ag::LayerNormalization<double> layer({4});
  fill(layer);
  CHECK_THROWS_WITH((void)layer(input({2, 3})),
                    "[LayerNormalization] normalises over (4), got (3) in x (2,3)");
  CHECK_THROWS_WITH(ag::LayerNormalization<double>({4}, {.axes = {1, 2}}),
                    "[LayerNormalization] needs a size for each normalised axis, got the sizes (4) "
                    "for 2 axes");
  CHECK_THROWS_WITH(ag::LayerNormalization<double>({0}),
                    "[LayerNormalization] needs sizes of at least 1, got (0)");
  CHECK_THROWS_WITH(ag::LayerNormalization<double>({2, -3}),
                    "[LayerNormalization] needs sizes of at least 1, got -3");
  CHECK_THROWS_WITH(ag::LayerNormalization<double>({4}, {.epsilon = -1}),
                    "[LayerNormalization] epsilon must be at least 0, got -1");
}

TEST_CASE("Dropout: off outside of training; in it the rest is scaled up, shared axes together") {
  const ag::Dropout layer(.25), channels(.5, {.shared = Axis::time});
  const V x(Tensor<double>({20, 6, 10}, 1.0));
  CHECK(same(layer(x), x));
  ag::Tape<double> tape({.training = true, .seed = 2});
  const V on = tape.input(x.value());
  const V y = layer(on);
  CHECK(ag::mean(y).item() == doctest::Approx(1).epsilon(.1));
  for (double v : y.value().values()) CHECK((v == 0 || v == doctest::Approx(4. / 3)));
  const V z = channels(on);
  CHECK(same(ag::index(z, {ag::every, 0}), ag::index(z, {ag::every, 5})));
  CHECK(ag::min(z).item() == 0);
  CHECK_THROWS_WITH(ag::Dropout(1.5), "[Dropout] the rate must lie in [0, 1], got 1.5");
}

TEST_CASE("Flatten and Activate are their functions as layers") {
  const V x = input({2, 3, 4});
  CHECK(same(ag::Flatten{}(x), ag::reshape(x, {2, 12})));
  CHECK(same(ag::Activate{Activation::gelu}(x), ag::gelu(x)));
  CHECK(same(ag::Activate{Activation::elu}(x), ag::elu(x)));
  CHECK(same(ag::Activate{Activation::leaky_relu}(x), ag::leaky_relu(x)));
  CHECK(same(ag::Activate{Activation::softplus}(x), ag::softplus(x)));
  CHECK(same(ag::Activate{Activation::softmax, Axis::time}(x), ag::softmax(x, Axis::time)));
  CHECK_THROWS_WITH((void)ag::Flatten{}(V(1.)), "[flatten] needs a batch axis, got ()");
}

TEST_CASE("PositionEmbedding: a row of the table for each position of the named axis") {
  const V x = input({2, 3, 4});
  ag::PositionEmbedding<double> when({.axis = Axis::time, .positions = 5, .size = 4});
  fill(when);
  const V rows = ag::slice(V(when.embeddings.value()), {.axis = 0, .begin = 0, .end = 3});
  CHECK(same(when(x), x + rows));
  // Along the features each variable has its own vector over time.
  ag::PositionEmbedding<double> which({.axis = Axis::feature, .positions = 4, .size = 3});
  fill(which);
  CHECK(same(which(x), x + ag::swap_axes(V(which.embeddings.value()), 0, 1)));
  // Axes in between, and behind, are shared.
  ag::PositionEmbedding<double> far({.axis = 3, .positions = 5, .embed_axis = Axis(1), .size = 3});
  fill(far);
  const V y = far(V(Tensor<double>({2, 3, 4, 5, 6}, 0.0)));
  for (Size p = 0; p < 5; ++p)
    for (Size e = 0; e < 3; ++e) {
      const V all = ag::index(y, {ag::every, e, ag::every, p});
      CHECK(ag::min(all).item() == far.embeddings.value()(p, e));
      CHECK(ag::max(all).item() == far.embeddings.value()(p, e));
    }
  const auto report = ag::gradcheck([&](const V& v) { return which(v); }, x);
  CHECK_MESSAGE(report, report);
}

TEST_CASE("SinusoidalPosition: sine and cosine of p / 10000^(2i/d)") {
  const ag::SinusoidalPosition waves({.positions = 50, .size = 6});
  for (Size p : {0, 1, 49})
    for (Size i = 0; i < 3; ++i) {
      const double angle = double(p) / std::pow(1e4, 2. * double(i) / 6);
      CHECK(waves.table()(p, 2 * i) == doctest::Approx(std::sin(angle)).epsilon(1e-12));
      CHECK(waves.table()(p, 2 * i + 1) == doctest::Approx(std::cos(angle)).epsilon(1e-12));
    }
  const V x = input({2, 7, 6});
  CHECK(same(waves(x), x + ag::slice(V(waves.table()), {.axis = 0, .begin = 0, .end = 7})));
}

// Two variables with the same series: without an identity attention must treat them alike.
TEST_CASE("along the feature axis position embeddings tell equal series apart") {
  const V one = input({2, 5, 1});
  const V x = ag::concat(std::vector{one, one, input({2, 5, 1}, 9)}, Axis::feature);
  ag::MultiHeadAttention<double> attention(
      {.num_heads = 2, .key_dim = 3, .axis = Axis::feature, .embed_size = 5});
  ag::PositionEmbedding<double> identity({.axis = Axis::feature, .positions = 3, .size = 5});
  fill(attention), fill(identity, 50);
  const auto difference = [](const V& y) {
    return distance(ag::index(y, {ag::rest, 0}).value(), ag::index(y, {ag::rest, 1}).value());
  };
  CHECK(difference(attention(x)) < 1e-14);
  CHECK(difference(attention(identity(x))) > 1e-2);
}

TEST_CASE("position embeddings: what does not fit is refused") {
  ag::PositionEmbedding<double> when({.positions = 3, .size = 4});
  fill(when);
  CHECK_THROWS_WITH((void)when(input({2, 5, 4})),
                    "[PositionEmbedding] expects at most 3 positions on axis 1 and 4 elements on "
                    "axis 2, got (2,5,4)");
  CHECK_THROWS_WITH((void)when(input({2, 3})),
                    "[PositionEmbedding] x (2,3) has no axis that could hold the vectors beside "
                    "axis 1");
  CHECK_THROWS_WITH(ag::SinusoidalPosition({.positions = 3}),
                    "[SinusoidalPosition] needs at least one position and one element, got "
                    ".positions = 3, .size = 0");
  CHECK_THROWS_WITH(ag::SinusoidalPosition({.positions = 3, .size = 2}, 1),
                    "[SinusoidalPosition] the longest wave must exceed 1, got 1");
}

TEST_CASE("Sequential: any callables, parameters by the number of their layer") {
  ag::Sequential model(
      ag::sequence(ag::LSTM<double>({.inputs = 3, .units = 4})),
      ag::LayerNormalization<double>({4}), [](const auto& x) { return ag::mean(x, Axis::time); },
      ag::Dropout(.5), ag::Dense<double>(4, 2), ag::Activate{Activation::softmax});
  const auto list = ag::parameters(model);
  std::string names;
  for (const auto* p : list) names += p->name() + " ";
  CHECK(names == "0.kernel 0.recurrent_kernel 0.bias 1.gamma 1.beta 4.kernel 4.bias ");
  fill(model);
  const V x = input({2, 5, 3});
  const V by_hand = ag::softmax(
      model.layer<4>()(ag::mean(model.layer<1>()(model.layer<0>().layer(x).sequence()), 1)), -1);
  CHECK(same(model(x), by_hand));
  const auto report = ag::gradcheck([&](const V& v) { return model(v); }, x);
  CHECK_MESSAGE(report, report);

  ag::Sequential ends(ag::last(ag::LSTM<double>({.inputs = 3, .units = 4})));
  fill(ends);
  CHECK(same(ends(x), ends.layer<0>().layer(x).last()));
}
