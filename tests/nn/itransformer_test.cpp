// The variable transformer: what it does not change, what it cannot tell apart, what it is made of.
#include <axisgrad/nn/itransformer.hpp>

#include "module_fixture.hpp"

using namespace axisgrad;
using namespace axisgrad::tests;

namespace {

constexpr Size T = 6, V = 3;

ITransformerOptions small() {
  ITransformerOptions o;
  o.time_steps = T, o.horizon = 4, o.d_model = 4, o.num_heads = 2, o.d_ff = 5;
  return o;
}

Var<double> gradient_by_x(const ITransformer<double>& model, const Tensor<double>& x) {
  Tape<double> tape;
  const auto leaf = tape.input(x, {.gradient = true});
  return grad(sum(square(model(leaf))), leaf);
}

}  // namespace

TEST_CASE("ITransformer: shapes, names, weights of each layer") {
  ITransformerOptions o = small();
  o.layers = 2, o.identity_embeddings = true, o.variables = V;
  auto model = filled(ITransformer<double>(o));
  const std::string names = listed(model);
  CHECK(names.starts_with(
      "embedding.kernel (6,4), embedding.bias (4), identity.embeddings (3,4), "
      "encoder.0.attention.query.kernel (4,2,2), encoder.0.attention.query.bias (2,2)"));
  CHECK(names.ends_with(
      "encoder.1.attention.attention_output.bias (4), encoder.1.norm1.gamma (4), "
      "encoder.1.norm1.beta (4), encoder.1.dense1.kernel (4,5), encoder.1.dense1.bias (5), "
      "encoder.1.dense2.kernel (5,4), encoder.1.dense2.bias (4), encoder.1.norm2.gamma (4), "
      "encoder.1.norm2.beta (4), norm.gamma (4), norm.beta (4), projector.kernel (4,4), "
      "projector.bias (4)"));
  const Var<double> x = values({2, T, V});
  const auto y = model.with_weights(x);
  CHECK(y.out.shape() == Shape{2, 4, V});
  REQUIRE(y.weights.size() == 2);
  for (const auto& w : y.weights) {
    CHECK(w.shape() == Shape{2, 2, V, V});
    CHECK(off_one(w, -1) < 1e-14);
  }
  CHECK(off(model(x), y.out) < 1e-13);
  // The size that the comparison with PyTorch has.
  ITransformer<float> compared(
      {.time_steps = 96, .horizon = 96, .d_model = 256, .num_heads = 8, .d_ff = 256, .layers = 2});
  CHECK(count(parameters(compared)) == 841'568);
}

TEST_CASE("ITransformer: variables are a set, unless each has a vector of its own") {
  const Var<double> x = values({2, T, V});
  const std::vector<Size> order{2, 0, 1};
  for (bool told_apart : {false, true}) {
    ITransformerOptions o = small();
    o.identity_embeddings = told_apart, o.variables = V;
    const auto model = filled(ITransformer<double>(o));
    const double change = off(model(take(x, order, 2)), take(model(x), order, 2));
    if (told_apart)
      CHECK(change > 1e-3);
    else
      CHECK(change < 1e-13);
  }
}

TEST_CASE("ITransformer: the forecast moves with the level and the unit of each variable") {
  ITransformerOptions o = small();
  o.instance_norm_epsilon = 1e-12;
  const auto model = filled(ITransformer<double>(o));
  const Var<double> x = values({2, T, V});
  const Var<double> unit(Tensor<double>({V}, {3, .2, 40})), level(Tensor<double>({V}, {5, -7, 0}));
  CHECK(off(model(x * unit + level), model(x) * unit + level) < 1e-8);
  // A constant window has deviation 0: its forecast is near its level, and no gradient is NaN.
  const Tensor<double> flat({2, T, V}, 2.);
  const Var<double> y = model(Var<double>(flat)), g = gradient_by_x(model, flat);
  for (double v : y.value()) CHECK(std::abs(v - 2) < 1e-4);
  for (double v : g.value()) CHECK(std::isfinite(v));
}

TEST_CASE("ITransformer: the gradient through the instance norm is an option, the value is not") {
  ITransformerOptions o = small();
  const Tensor<double> x = noise<double>({2, T, V}, 1);
  std::vector<Var<double>> gradients;
  Var<double> first;
  for (auto through : {InstanceNormGradient::full, InstanceNormGradient::detach_mean,
                       InstanceNormGradient::detach_both}) {
    o.instance_norm_gradient = through;
    const auto model = filled(ITransformer<double>(o));
    const Var<double> y = model(Var<double>(x));
    if (gradients.empty()) first = y;
    CHECK(off(y, first) == 0);
    gradients.push_back(gradient_by_x(model, x));
  }
  CHECK(off(gradients[0], gradients[1]) > 1e-3);
  CHECK(off(gradients[1], gradients[2]) > 1e-3);
  // The mean moves by 1/T with every step, the same for all steps of a variable: so does what is
  // missing without it.
  const Var<double> missing = gradients[0] - gradients[1];
  CHECK(max(var(missing, 1)).item() < 1e-24);
  const auto model = filled(ITransformer<double>(small()));
  check_gradients([&](auto v) { return model.with_weights(v); }, values({2, T, V}));
}

TEST_CASE("ITransformer: dropout in training only") {
  ITransformerOptions o = small();
  const auto plain = filled(ITransformer<double>(o));
  o.dropout = .5;
  const auto dropping = filled(ITransformer<double>(o));
  const Var<double> x = values({2, T, V});
  CHECK(off(dropping(x), plain(x)) == 0);
  Tape<double> tape({.training = true, .seed = 1});
  CHECK(off(dropping(tape.input(x.value())), plain(x)) > 1e-3);
}

TEST_CASE("ITransformer: first values as Keras or PyTorch would give") {
  for (auto kind : {Initialisation::keras, Initialisation::torch}) {
    ITransformerOptions o = small();
    o.time_steps = 100, o.d_model = 64, o.d_ff = 32, o.initialisation = kind;
    ITransformer<double> model(o);
    initialise(parameters(model), 1);
    const bool torch = kind == Initialisation::torch;
    const auto largest = [](const Parameter<double>& q) {
      return max(abs(Var<double>(q.value()))).item();
    };
    // U(-l, l) of so many numbers comes within a tenth of l.
    const auto up_to = [&](const Parameter<double>& q, double l) {
      CHECK(largest(q) <= l);
      CHECK(largest(q) > .9 * l);
    };
    auto& attention = model.encoder[0].attention;
    if (torch) {
      up_to(model.embedding.kernel, 1 / std::sqrt(100.)), up_to(model.embedding.bias, .1);
      up_to(attention.query.kernel, 1 / std::sqrt(64.)), up_to(attention.query.bias, .125);
      up_to(attention.attention_output.kernel, .125), up_to(attention.attention_output.bias, .125);
      up_to(model.encoder[0].dense2.kernel, 1 / std::sqrt(32.));
      up_to(model.encoder[0].dense2.bias, 1 / std::sqrt(32.));
    } else {
      up_to(model.embedding.kernel, std::sqrt(6. / 164));
      up_to(model.encoder[0].dense2.kernel, std::sqrt(6. / 96));
      CHECK(largest(model.embedding.bias) == 0);
      CHECK(largest(attention.query.bias) == 0);
    }
  }
}

TEST_CASE("ITransformer: what does not fit is refused") {
  const auto refused = [](auto change, const char* text) {
    ITransformerOptions o = small();
    change(o);
    CHECK_THROWS_WITH_AS(ITransformer<double>{o}, text, Error);
  };
  refused([](auto& o) { o.d_ff = 0; },
          "[ITransformer] needs sizes of at least 1, got .time_steps = 6, .horizon = 4, .d_model = "
          "4, .d_ff = 0, .layers = 1");
  refused([](auto& o) { o.identity_embeddings = true; },
          "[ITransformer] identity embeddings need .variables, got 0");
  refused([](auto& o) { o.instance_norm_epsilon = 0; },
          "[ITransformer] a constant window needs an .instance_norm_epsilon above 0, got 0");
  refused([](auto& o) { o.dropout = 2; }, "[ITransformer] .dropout must lie in [0, 1], got 2");
  refused([](auto& o) { o.num_heads = 3; },
          "[MultiHeadAttention] embed_dim must be divisible by num_heads, got 4 and 3");
  const auto model = filled(ITransformer<double>(small()));
  CHECK_THROWS_WITH_AS((void)model(values({2, 5, 3})),
                       "[ITransformer] expects (batch,6,variables), got (2,5,3)", Error);
  ITransformerOptions o = small();
  o.identity_embeddings = true, o.variables = 2;
  CHECK_THROWS_WITH_AS((void)filled(ITransformer<double>(o))(values({2, 6, 3})),
                       "[ITransformer] expects (batch,6,2), got (2,6,3)", Error);
}
