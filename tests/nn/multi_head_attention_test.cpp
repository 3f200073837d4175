#include "attention_fixture.hpp"

namespace ag = axisgrad;
using ag::Axis;
using ag::Shape;
using ag::Size;
using ag::Tensor;
using ag::Var;
using ag::tests::distance;
using ag::tests::input;
using ag::tests::made;
using ag::tests::noise;

namespace {

// Parameters of one module for another of the same shapes.
template <class T>
void copy_parameters(ag::MultiHeadAttention<T>& from, ag::MultiHeadAttention<T>& to) {
  const auto a = ag::parameters(from), b = ag::parameters(to);
  for (std::size_t i = 0; i < a.size(); ++i) b[i]->set_value(a[i]->value());
}

}  // namespace

TEST_CASE("MultiHeadAttention: over variables, variables attend to variables, never heads") {
  // The trap: Keras with attention_axes=2 on (B,T,F) contracts F and lets the heads attend to each
  // other. Here the weights are F by F, for each head.
  const Size B = 3, T = 5, F = 4, H = 2;
  auto over_variables =
      made({.num_heads = H, .key_dim = 3, .axis = Axis::feature, .embed_size = T});
  const auto x = input({B, T, F});
  const auto y = over_variables.with_weights(x);
  CHECK(y.out.shape() == Shape{B, T, F});
  CHECK(y.weights.shape() == Shape{B, H, F, F});
  CHECK(y.scores.shape() == Shape{B, H, F, F});

  // It is attention over time of the transposed input.
  auto over_time = made({.num_heads = H, .key_dim = 3, .axis = Axis::time, .embed_size = T});
  copy_parameters(over_variables, over_time);
  const auto z = over_time.with_weights(ag::swap_axes(x, 1, 2));
  CHECK(same_bits(ag::swap_axes(z.out, 1, 2).value(), y.out.value()));
  CHECK(same_bits(z.weights.value(), y.weights.value()));

  // Variables in another order give the same in that order; a contraction over variables would not.
  const auto swapped = ag::concat<double>(
      {ag::slice(x, {.axis = 2, .begin = 1, .end = 2}), ag::slice(x, {.axis = 2, .end = 1}),
       ag::slice(x, {.axis = 2, .begin = 2})},
      2);
  const auto w = over_variables(swapped);
  CHECK(distance(ag::slice(w, {.axis = 2, .end = 1}).value(),
                 ag::slice(y.out, {.axis = 2, .begin = 1, .end = 2}).value()) < 1e-14);

  // One variable's output depends on every variable and on every step. Heads that attend to each
  // other would see one step at a time.
  ag::Tape<double> tape;
  const auto leaf = tape.input(x.value(), {.gradient = true});
  const auto first =
      ag::slice(ag::slice(over_variables(leaf), {.axis = 2, .end = 1}), {.axis = 1, .end = 1});
  const auto g = ag::grad(ag::sum(first), leaf);
  for (double d : g.value()) REQUIRE(d != 0);
}

TEST_CASE("MultiHeadAttention: the seed systems on (100,4,12)") {
  const auto x = Var<float>(noise<float>({100, 4, 12}, 1));
  {  // 1: steps attend to steps; embed_dim 8 for two heads
    auto m = made<float>({.num_heads = 2, .embed_dim = 8, .embed_size = 12});
    const auto y = m.with_weights(x);
    CHECK(y.out.shape() == Shape{100, 4, 8});
    CHECK(y.weights.shape() == Shape{100, 2, 4, 4});
    CHECK(distance(ag::sum(y.weights, -1).value(), Tensor<float>({100, 2, 4}, 1.f)) < 1e-6);
  }
  {  // 2: variables attend to variables, the heads' mean is one matrix for each sample
    auto m = made<float>({.num_heads = 2, .embed_dim = 8, .axis = Axis::feature, .embed_size = 4});
    const auto y = m.with_weights(x);
    CHECK(y.out.shape() == Shape{100, 8, 12});
    CHECK(y.weights.shape() == Shape{100, 2, 12, 12});
    const auto heads = ag::mean_over_heads(y.weights);
    CHECK(heads.shape() == Shape{100, 12, 12});
    CHECK(distance(ag::sum(heads, -1).value(), Tensor<float>({100, 12}, 1.f)) < 1e-6);
    CHECK(std::abs(heads.value()(0, 1, 2) - heads.value()(0, 2, 1)) > 1e-6);  // not symmetric
  }
  {  // 4: query, key, value and a mask; 1 = masked there, so it is turned round
    auto m = made<float>({.num_heads = 2, .key_dim = 4, .embed_size = 12, .key_embed_size = 3});
    const auto memory = Var<float>(noise<float>({100, 7, 3}, 2));
    Tensor<float> masked({100, 7}, 0.f);
    for (Size b = 0; b < 100; ++b) masked.set({b, b % 7}, 1.f);
    const auto y = m.with_weights(x, memory, memory, {.mask = 1.f - Var<float>(masked)});
    CHECK(y.out.shape() == Shape{100, 4, 12});
    CHECK(y.weights.shape() == Shape{100, 2, 4, 7});
    CHECK(y.weights.value()(9, 1, 3, 2) == 0);
    CHECK(y.weights.value()(9, 1, 3, 3) > 0);
  }
  {  // 6: the same over time with a projection to d_model
    auto m = made<float>({.num_heads = 2, .key_dim = 3, .embed_size = 12, .output_dim = 6});
    CHECK(m(x).shape() == Shape{100, 4, 6});
  }
  {  // 8: the shape of the input, every step of a variable has seen the other variables
    auto m = made<float>({.num_heads = 2, .key_dim = 3, .axis = Axis::feature, .embed_size = 4});
    CHECK(m(x).shape() == x.shape());
  }
}

TEST_CASE("MultiHeadAttention: every other axis is a batch axis") {
  const Size B = 2, T = 5, V = 3, E = 4;
  const auto x = input({B, T, V, E});
  SUBCASE("axis 1 of rank 4: each variable attends over its own steps") {
    auto m = made({.num_heads = 2, .key_dim = 3, .axis = 1, .embed_size = E});
    const auto y = m.with_weights(x);
    CHECK(y.weights.shape() == Shape{B, V, 2, T, T});
    for (Size v = 0; v < V; ++v) {
      const auto one = m.with_weights(
          ag::reshape(ag::slice(x, {.axis = 2, .begin = v, .end = v + 1}), Shape{B, T, E}));
      const auto at = ag::SliceOptions{.axis = 2, .begin = v, .end = v + 1};
      CHECK(distance(ag::reshape(ag::slice(y.out, at), Shape{B, T, E}).value(), one.out.value()) <
            1e-14);
    }
  }
  SUBCASE("axis 2, by any of its names") {
    auto m = made({.num_heads = 2, .key_dim = 3, .axis = 2, .embed_size = E});
    auto n =
        made({.num_heads = 2, .key_dim = 3, .axis = -2, .embed_axis = Axis(-1), .embed_size = E});
    copy_parameters(m, n);
    CHECK(m.with_weights(x).weights.shape() == Shape{B, T, 2, V, V});
    CHECK(same_bits(m(x).value(), n(x).value()));
  }
  SUBCASE("two axes attend jointly over their flattened positions") {
    auto m = made({.num_heads = 2, .key_dim = 3, .axis = {2, 1}, .embed_size = E});
    auto n = made({.num_heads = 2, .key_dim = 3, .axis = 1, .embed_size = E});
    copy_parameters(m, n);
    const auto y = m.with_weights(x), z = n.with_weights(ag::reshape(x, Shape{B, T * V, E}));
    CHECK(y.weights.shape() == Shape{B, 2, T * V, T * V});
    CHECK(same_bits(y.weights.value(), z.weights.value()));
    CHECK(same_bits(y.out.value(), ag::reshape(z.out, x.shape()).value()));
  }
  SUBCASE("an embed axis in the middle, a token axis behind it") {
    auto m = made({.num_heads = 2,
                   .key_dim = 3,
                   .axis = 3,
                   .embed_axis = Axis(1),
                   .embed_size = T,
                   .output_dim = 7});
    auto n = made({.num_heads = 2, .key_dim = 3, .axis = 2, .embed_size = T, .output_dim = 7});
    copy_parameters(m, n);
    const auto y = m.with_weights(x);
    CHECK(y.out.shape() == Shape{B, 7, V, E});
    CHECK(y.weights.shape() == Shape{B, V, 2, E, E});
    const auto z = n(ag::transpose(x, {0, 2, 3, 1}));
    CHECK(same_bits(ag::transpose(z, {0, 3, 1, 2}).value(), y.out.value()));
  }
}

TEST_CASE("MultiHeadAttention: masks by rank mean the same on every path") {
  const Size B = 2, T = 4, V = 3, E = 5, H = 2;  // attention over axis 2 with batch axes 0 and 1
  auto m = made({.num_heads = H, .key_dim = 3, .axis = 2, .embed_size = E});
  Tensor<double> padding({B, T, V}, 1.);
  for (Size i = 0; i < padding.size(); i += 4) padding.mutable_data()[i] = 0;
  for (Size v = 0; v < V; ++v) padding.set({1, 2, v}, 0);  // nothing to attend to
  const Var<double> p(padding);
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<ag::AttentionMasks<double>> all{
      {.mask = p},
      {.mask = ag::expand(ag::reshape(p, Shape{B, T, 1, V}), {B, T, V, V})},
      {.mask = ag::expand(ag::reshape(p, Shape{B, T, 1, 1, V}), {B, T, H, V, V})},
      {.mask = ag::reshape(p, Shape{B, T, 1, 1, V})},
      {.additive_mask = ag::where(p, Var<double>(0.), Var<double>(-inf))}};
  const auto x = noise<double>({B, T, V, E}, 1);
  const auto run = [&](const auto& masks, bool weights, bool create_graph) {
    ag::Tape<double> tape;
    const auto leaf = tape.input(x, {.gradient = true});
    const auto y = weights ? m.with_weights(leaf, masks).out : m(leaf, masks);
    const auto g = ag::grad(ag::sum(ag::square(y)), leaf, {.create_graph = create_graph});
    return std::pair{y.value(), g.value()};
  };
  const auto [out, gradient] = run(all[0], false, false);
  for (double v : gradient) REQUIRE(std::isfinite(v));
  CHECK(distance(out, run(ag::AttentionMasks<double>{}, false, false).first) > 0.01);
  for (const auto& masks : all)
    for (bool weights : {false, true})
      for (bool create_graph : {false, true}) {
        const auto [o, g] = run(masks, weights, create_graph);
        CHECK(same_bits(o, out));
        CHECK(distance(g, gradient) < 1e-13);
      }
  // Where there is nothing to attend to, what is left is the bias of the output projection.
  for (Size v = 0; v < V; ++v)
    for (Size e = 0; e < E; ++e) CHECK(out(1, 2, v, e) == m.attention_output.bias.value()(e));
}

TEST_CASE("C09: a padding mask lies along the token axis at any rank") {
  ag::MultiHeadAttention<double> m({.num_heads = 1, .key_dim = 1, .axis = 2, .embed_size = 1});
  for (auto* p : ag::parameters(m))
    p->set_value(Tensor<double>(p->shape(), p->init() == ag::Init::zeros ? 0. : 1.));
  const Var<double> x(Tensor<double>({1, 2, 2, 1}, {0, 1, 0, 2})),
      mask(Tensor<double>({1, 2, 2}, {1, 0, 1, 1}));
  CHECK(distance(m(x, {.mask = mask}).value(),
                 Tensor<double>({1, 2, 2, 1}, {0, 0, 1, 1.96402758})) < 1e-8);
  for (Size tokens : {3, 4}) {
    auto n = made({.num_heads = 2, .key_dim = 4, .axis = 2, .embed_size = 8});
    Tensor<double> keep({2, tokens, 4}, 1.);
    keep.set({1, 2, 3}, 0);
    const auto y = n.with_weights(input({2, tokens, 4, 8}), {.mask = Var<double>(keep)});
    CHECK(y.out.shape() == Shape{2, tokens, 4, 8});
    CHECK(y.scores.shape() == Shape{2, tokens, 2, 4, 4});
    Size hidden = 0;
    for (double w : y.weights.value()) hidden += w == 0;
    CHECK(hidden == 2 * 4);  // for both heads and all four queries of (1, 2), and nowhere else
    CHECK(y.weights.value()(1, 2, 1, 0, 3) == 0);
  }
}

TEST_CASE("MultiHeadAttention: causal aligns the last query with the last key, or the first") {
  for (auto alignment : {ag::CausalAlignment::last, ag::CausalAlignment::first}) {
    auto m = made({.num_heads = 2,
                   .key_dim = 3,
                   .embed_size = 4,
                   .causal = true,
                   .causal_alignment = alignment});
    const auto w =
        m.with_weights(input({2, 3, 4}), input({2, 5, 4}, 2), input({2, 5, 4}, 2)).weights;
    const Size lead = alignment == ag::CausalAlignment::last ? 2 : 0;
    for (Size i = 0; i < 3; ++i)
      for (Size j = 0; j < 5; ++j) CHECK((w.value()(1, 1, i, j) > 0) == (j <= i + lead));
  }
}

TEST_CASE("MultiHeadAttention: derivatives by the input and by every parameter") {
  for (ag::Axes axis : {ag::Axes(Axis::time), ag::Axes(Axis::feature)}) {
    const bool time = *axis.begin() == 1;
    auto m = made({.num_heads = 2,
                   .key_dim = 2,
                   .value_dim = 3,
                   .axis = axis,
                   .embed_size = time ? 3 : 4,
                   .output_dim = 5});
    const Var<double> mask(Tensor<double>({2, time ? 4 : 3}, 1.));
    const auto loss = [&](const Var<double>& x) {
      const auto y = m.with_weights(x, {.mask = mask});
      return ag::sum(ag::square(y.out)) + ag::sum(y.weights * y.weights * y.scores);
    };
    const auto x = noise<double>({2, 4, 3}, 1);
    ag::tests::check_derivatives([&](const auto& xs) { return loss(xs[0]); }, {x});

    ag::Tape<double> tape;
    const auto parameters = ag::parameters(m);
    const auto y = loss(tape.input(x));
    const auto fast = ag::grad(y, parameters),
               recorded = ag::grad(y, parameters, {.create_graph = true});
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      auto* p = parameters[k];
      CAPTURE(p->name());
      CHECK(distance(fast[k].value(), recorded[k].value()) < 1e-12);
      Tensor<double> numeric(p->shape());
      for (Size i = 0; i < numeric.size(); ++i) {
        const Tensor<double> kept = p->value();
        double side[2];
        for (int s = 0; s < 2; ++s) {
          Tensor<double> moved = kept;
          moved.mutable_data()[i] += s ? 1e-5 : -1e-5;
          p->set_value(moved);
          side[s] = loss(Var<double>(x)).item();
        }
        p->set_value(kept);
        numeric.mutable_data()[i] = (side[1] - side[0]) / 2e-5;
      }
      CHECK(distance(fast[k].value(), numeric) < 1e-6);
    }
  }
}

TEST_CASE("MultiHeadAttention: gradcheck of every parameter, first and second order") {
  const auto x = noise<double>({2, 4, 3}, 1), memory = noise<double>({2, 2, 3}, 2);
  const auto check = [&](const ag::MultiHeadAttentionOptions& options, auto... xs) {
    auto m = made(options);
    const ag::GradcheckOptions in_training{.recording = {.training = true, .seed = 4}};
    const auto f = [&](const auto&... in) { return m(in...); };
    const auto first = ag::gradcheck(f, xs..., in_training),
               second = ag::gradgradcheck(f, xs..., in_training);
    CHECK_MESSAGE(bool(first), first);
    CHECK_MESSAGE(bool(second), second);
  };
  check({.num_heads = 2, .embed_dim = 4, .embed_size = 3}, x);                       // seed 1
  check({.num_heads = 2, .key_dim = 2, .axis = Axis::feature, .embed_size = 4}, x);  // seeds 2, 8
  check({.num_heads = 2, .key_dim = 2, .embed_size = 3, .causal = true}, x, memory, memory);
  check({.num_heads = 2, .key_dim = 2, .embed_size = 3, .output_dim = 5, .dropout = 0.3}, x);
}

TEST_CASE("MultiHeadAttention: parameters named, shaped, ordered and initialised as in Keras") {
  ag::MultiHeadAttention<float> m({.num_heads = 6,
                                   .key_dim = 20,
                                   .value_dim = 10,
                                   .embed_size = 30,
                                   .key_embed_size = 7,
                                   .value_embed_size = 9,
                                   .output_dim = 11});
  const auto parameters = ag::parameters(m);
  const std::pair<std::string, Shape> expected[] = {{"query.kernel", {30, 6, 20}},
                                                    {"query.bias", {6, 20}},
                                                    {"key.kernel", {7, 6, 20}},
                                                    {"key.bias", {6, 20}},
                                                    {"value.kernel", {9, 6, 10}},
                                                    {"value.bias", {6, 10}},
                                                    {"attention_output.kernel", {6, 10, 11}},
                                                    {"attention_output.bias", {11}}};
  REQUIRE(parameters.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(parameters[i]->name() == expected[i].first);
    CHECK(parameters[i]->shape() == expected[i].second);
  }
  const auto largest = [](const Tensor<float>& x) { return *std::max_element(x.begin(), x.end()); };
  ag::initialise(parameters, 5);
  CHECK(largest(m.query.bias.value()) == 0);
  // 3600 uniform numbers come within a hundredth of their limit, sqrt(6 / (in + out)).
  CHECK(largest(m.query.kernel.value()) == doctest::Approx(std::sqrt(6. / (30 * 26))).epsilon(.01));
  ag::MultiHeadAttention<float> n({.num_heads = 6,
                                   .key_dim = 20,
                                   .embed_size = 30,
                                   .use_bias = false,
                                   .fans = ag::AttentionFans::matrix});
  ag::initialise(ag::parameters(n), 5);
  CHECK(ag::parameters(n).size() == 4);
  CHECK(largest(n.query.kernel.value()) ==
        doctest::Approx(std::sqrt(6. / (30 + 120))).epsilon(.01));
  CHECK(largest(n.attention_output.kernel.value()) ==
        doctest::Approx(std::sqrt(6. / (120 + 30))).epsilon(.01));
}

TEST_CASE("MultiHeadAttention: dropout in training only, by seed, the same in backward") {
  auto m = made({.num_heads = 2, .key_dim = 3, .embed_size = 4, .dropout = 0.5});
  auto plain = made({.num_heads = 2, .key_dim = 3, .embed_size = 4});
  copy_parameters(m, plain);
  const auto x = noise<double>({3, 6, 4}, 1);
  const auto run = [&](const ag::RecordingOptions& options, const Tensor<double>& at) {
    ag::Tape<double> tape(options);
    const auto leaf = tape.input(at, {.gradient = true});
    const auto y = m.with_weights(leaf);
    return std::array{y.out.value(), y.weights.value(), ag::grad(ag::sum(y.out), leaf).value(),
                      ag::grad(ag::sum(y.out), leaf, {.create_graph = true}).value(),
                      Tensor<double>({1}, ag::sum(y.out).item())};
  };
  const auto a = run({.training = true, .seed = 1}, x), b = run({.training = true, .seed = 1}, x),
             other = run({.training = true, .seed = 2}, x), off = run({}, x);
  const auto right = plain.with_weights(Var<double>(x));
  CHECK(same_bits(a[0], b[0]));
  CHECK(distance(a[0], other[0]) > 0.01);
  CHECK(same_bits(off[0], right.out.value()));
  CHECK(same_bits(a[1], right.weights.value()));  // those before dropout
  CHECK(distance(a[0], off[0]) > 0.01);
  CHECK(distance(a[2], a[3]) < 1e-13);
  Tensor<double> up = x, down = x;
  up.mutable_data()[7] += 1e-5, down.mutable_data()[7] -= 1e-5;
  const double numeric = (run({.training = true, .seed = 1}, up)[4].item() -
                          run({.training = true, .seed = 1}, down)[4].item()) /
                         2e-5;
  CHECK(a[2].data()[7] == doctest::Approx(numeric).epsilon(1e-7));
}

TEST_CASE("MultiHeadAttention: a float module takes doubles; one module serves twice") {
  auto m = made<float>({.num_heads = 2, .key_dim = 3, .embed_size = 4});
  const auto x = noise<double>({2, 3, 4}, 1);
  CHECK(distance(m(Var<double>(x)).value(), m(Var<float>(Tensor<float>(x))).value()) < 1e-5);
  ag::Tape<double> tape;
  const auto in = tape.input(x);
  const auto once = ag::grad(ag::sum(m(in)), ag::parameters(m)),
             twice = ag::grad(ag::sum(m(in)) + ag::sum(m(in)), ag::parameters(m));
  CHECK(distance((once[0] + once[0]).value(), twice[0].value()) < 1e-13);
}

TEST_CASE("report: a softmax over one position is said") {
  auto m = made({.num_heads = 2, .key_dim = 3, .embed_size = 4});
  CHECK(ag::report(m.with_weights(input({5, 3, 4}))) ==
        "weights (5,2,3,3), softmax over axis 3 of 3 positions");
  CHECK(ag::report(m.with_weights(input({5, 1, 4}))) ==
        "weights (5,2,1,1), softmax over axis 3 of 1 position: every weight is 1, nothing is "
        "attended to. Is the token axis the right one?");
}
