// LSTM and Bidirectional as layers: masks, states, directions, depth, dropout. The arithmetic of
// the op itself is checked by the table test and the reference arrays.
#include <doctest/doctest.h>

#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/nn/bidirectional.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/optim/sgd.hpp>

#include "../autograd/differences.hpp"

namespace ag = axisgrad;
using ag::Axis, ag::Shape, ag::Size, ag::Tensor;
using ag::tests::distance, ag::tests::noise;
using V = ag::Var<double>;

namespace {

template <class M>
void fill(M& module, std::uint64_t seed = 5) {
  for (auto* p : ag::parameters(module))
    p->set_value(noise<typename M::scalar>(p->shape(), seed++));
}

template <ag::Scalar T = double>
ag::LSTM<T> made(const ag::LstmOptions& options) {
  ag::LSTM<T> layer(options);
  fill(layer);
  return layer;
}

V input(const Shape& shape, std::uint64_t seed = 1) { return V(noise<double>(shape, seed)); }

V step_of(const V& y, Size t) { return ag::index(y, {ag::every, t}); }

bool same(const V& a, const V& b) { return ag::same_bits(a.value(), b.value()); }

}  // namespace

TEST_CASE("LSTM: initial values are those of Keras") {
  ag::LSTM<double> layer({.inputs = 3, .units = 4});
  const auto list = ag::parameters(layer);
  ag::initialise(list, 1);
  REQUIRE(list.size() == 3);
  CHECK(list[0]->name() == "kernel");
  CHECK(list[1]->name() == "recurrent_kernel");
  for (Size k = 0; k < 16; ++k) CHECK(layer.bias.value()(k) == (k / 4 == 1 ? 1 : 0));
  // Fewer rows than columns: the rows are orthonormal.
  const V r(layer.recurrent_kernel.value());
  Tensor<double> unit(Shape{4, 4}, 0.0);
  for (Size k = 0; k < 4; ++k) unit.set({k, k}, 1);
  CHECK(distance(ag::matmul(r, r, {.transpose_b = true}).value(), unit) < 1e-14);
  ag::LSTM<double> without({.inputs = 3, .units = 4, .use_bias = false});
  CHECK(ag::parameters(without).size() == 2);
}

TEST_CASE("LSTM, Bidirectional: other initial values, as PyTorch has them") {
  const ag::LstmOptions torch{.inputs = 30,
                              .units = 16,
                              .kernel_init = ag::Init::torch_uniform,
                              .recurrent_init = ag::Init::torch_uniform,
                              .bias_init = ag::Init::torch_uniform,
                              .unit_forget_bias = false};
  ag::LSTM<double> layer(torch);
  ag::initialise(ag::parameters(layer), 1);
  for (const auto* p : ag::parameters(layer)) {
    double largest = 0;
    for (double v : p->value()) largest = std::max(largest, std::abs(v));
    CHECK(largest <= .25);  // 1 / sqrt(16 units)
    CHECK(largest > .23);
  }
  ag::Bidirectional<double> both({.inputs = 3,
                                  .units = 4,
                                  .kernel_init = ag::Init::ones,
                                  .recurrent_init = ag::Init::zeros,
                                  .bias_init = ag::Init::zeros,
                                  .unit_forget_bias = false});
  ag::initialise(ag::parameters(both), 1);
  for (const auto* direction : {&both.forward, &both.backward}) {
    CHECK(ag::same_bits(direction->kernel.value(), Tensor<double>({3, 16}, 1.)));
    CHECK(ag::same_bits(direction->recurrent_kernel.value(), Tensor<double>({4, 16}, 0.)));
    CHECK(ag::same_bits(direction->bias.value(), Tensor<double>({16}, 0.)));
  }
  auto half = torch;
  half.unit_forget_bias = true;
  CHECK_THROWS_WITH(ag::LSTM<double>{half},
                    "[LSTM] .unit_forget_bias goes with .bias_init zeros or ones: with another one "
                    "set .unit_forget_bias = false");
  half.bias_init = ag::Init::ones;
  CHECK(ag::LSTM<double>(half).bias.init() == ag::Init::ones);
}

// Weights of TensorFlow 1's cells: one matrix for input and state, gates i, j (candidate), f, o,
// and a 1 added to the forget gate's logit at run time. Here the order is i, f, candidate, o and
// the 1 is part of the bias.
TEST_CASE("LSTM: weights in the order i, j, f, o are converted by arithmetic on slices") {
  const V stored(Tensor<double>({1, 4}, {.5, -.5, 1, 2})), stored_bias(Tensor<double>({4}, 0.0));
  const auto reordered = [](const V& w) { return ag::take(w, {0, 2, 1, 3}, -1); };
  ag::LSTM<double> layer({.inputs = 1, .units = 1});
  layer.kernel.set_value(reordered(stored).value());
  layer.recurrent_kernel.set_value(Tensor<double>({1, 4}, 0.0));
  layer.bias.set_value((reordered(stored_bias) + V(Tensor<double>({4}, {0, 1, 0, 0}))).value());
  const V one(Tensor<double>({1, 1, 1}, 1.0)), h0(Tensor<double>({1, 1}, 0.0)),
      c0(Tensor<double>({1, 1}, 1.0));
  const auto state = layer(one, {.initial_state = ag::LstmState<double>{h0, c0}}).state();
  CHECK(state.h.item() == doctest::Approx(.468721329).epsilon(1e-8));
  CHECK(state.c.item() == doctest::Approx(.593147941).epsilon(1e-8));
}

TEST_CASE("LSTM: no steps give the initial state, and an empty sequence (C16)") {
  const auto layer = made({.inputs = 3, .units = 4});
  const auto y = layer(input({2, 0, 3}));
  CHECK(y.sequence().shape() == Shape{2, 0, 4});
  CHECK(same(y.last(), V(Tensor<double>({2, 4}, 0.0))));
  const ag::LstmState<double> start{input({2, 4}, 8), input({2, 4}, 9)};
  const auto carried = layer(input({2, 0, 3}), {.initial_state = start});
  CHECK(same(carried.last(), start.h));
  CHECK(same(carried.state().c, start.c));
}

TEST_CASE("LSTM: a sequence masked as a whole gives zeros, and no gradient to x (C16)") {
  const auto layer = made({.inputs = 3, .units = 4});
  ag::Tape<double> tape;
  const V x = tape.input(noise<double>({1, 5, 3}, 1), {.gradient = true});
  const V mask(Tensor<double>({1, 5}, 0.0));
  const auto y = layer(x, {.mask = mask});
  CHECK(same(y.last(), V(Tensor<double>({1, 4}, 0.0))));
  CHECK(same(ag::grad(ag::sum(y.sequence()), x), V(Tensor<double>({1, 5, 3}, 0.0))));
}

TEST_CASE("LSTM: what stands in a masked step, NaN too, reaches no value and no gradient (C16)") {
  const auto layer = made({.inputs = 3, .units = 4});
  const V mask(Tensor<double>({2, 4}, {1, 0, 1, 1, 1, 1, 0, 0}));
  const auto gradients = [&](double hidden, bool create_graph) {
    Tensor<double> x = noise<double>({2, 4, 3}, 1);
    for (Size k = 0; k < 3; ++k) x.set({0, 1, k}, hidden), x.set({1, 3, k}, -hidden);
    ag::Tape<double> tape;
    const V at = tape.input(x, {.gradient = true});
    const auto y = layer(at, {.mask = mask});
    return ag::grad<double>(
        std::vector{ag::sum(y.sequence() * y.sequence()) + ag::sum(y.state().c)},
        std::vector{at, tape.watch(layer.kernel), tape.watch(layer.recurrent_kernel),
                    tape.watch(layer.bias)},
        {.create_graph = create_graph});
  };
  for (bool create_graph : {false, true}) {
    const auto plain = gradients(0, create_graph);
    for (double hidden : {std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
      const auto g = gradients(hidden, create_graph);
      for (std::size_t k = 0; k < g.size(); ++k) CHECK(same(g[k], plain[k]));
    }
    CHECK(plain[0].value()(0, 1, 2) == 0);
  }
}

TEST_CASE("LSTM: last() is the last step of sequence(), and only a sequence can be stacked (C18)") {
  const auto first = made({.inputs = 3, .units = 4}), second = made({.inputs = 4, .units = 2});
  const auto y = first(input({2, 5, 3}));
  CHECK(y.sequence().shape() == Shape{2, 5, 4});
  CHECK(same(y.last(), step_of(y.sequence(), 4)));
  CHECK(second(y.sequence()).last().shape() == Shape{2, 2});
  CHECK_THROWS_WITH((void)second(y.last()),
                    "[LSTM] expects (batch, time, 4), got (2,4): give the layer before it as "
                    "sequence(), not last()");
  CHECK_THROWS_WITH((void)second(input({2, 5, 3})), "[LSTM] expects (batch, time, 4), got (2,5,3)");
}

TEST_CASE("LSTM: a masked step carries the state and repeats the output") {
  const auto layer = made({.inputs = 3, .units = 4});
  const V x = input({2, 5, 3});
  // Sample 0 ends after 2 steps; sample 1 has a hole at step 2.
  const V mask(Tensor<double>({2, 5}, {1, 1, 0, 0, 0, 1, 1, 0, 1, 1}));
  const V y = layer(x, {.mask = mask}).sequence();
  const V short_one = layer(ag::index(x, {ag::range(0, 1), ag::range(0, 2)})).last();
  for (Size t : {1, 2, 3, 4}) CHECK(same(ag::index(y, {ag::range(0, 1), t}), short_one));
  const V without_hole = layer(ag::take(ag::index(x, {ag::range(1, 2)}), {0, 1, 3, 4}, 1)).last();
  CHECK(distance(ag::index(y, {ag::range(1, 2), 4}).value(), without_hole.value()) < 1e-15);
}

TEST_CASE("LSTM: go_backwards is the reversed input, outputs in the order of processing") {
  const auto forward = made({.inputs = 3, .units = 4}),
             backward = made({.inputs = 3, .units = 4, .go_backwards = true});
  const V x = input({2, 5, 3}), mask(Tensor<double>({2, 5}, {1, 1, 0, 1, 0, 0, 1, 1, 1, 1}));
  const auto a = backward(x, {.mask = mask}),
             b = forward(ag::flip(x, Axis::time), {.mask = ag::flip(mask, Axis::time)});
  CHECK(distance(a.sequence().value(), b.sequence().value()) == 0);
  CHECK(distance(a.state().c.value(), b.state().c.value()) == 0);
}

TEST_CASE("LSTM: two halves with the state carried are the whole") {
  const auto layer = made({.inputs = 3, .units = 4});
  const V x = input({2, 6, 3});
  const auto halves = ag::split(x, 2, Axis::time);
  const auto first = layer(halves[0]);
  const auto second = layer(halves[1], {.initial_state = first.state()});
  const V joined = ag::concat(std::vector{first.sequence(), second.sequence()}, Axis::time);
  CHECK(distance(joined.value(), layer(x).sequence().value()) < 1e-15);
}

TEST_CASE("LSTM: a detached state cuts the gradient, an undetached one carries it") {
  const auto layer = made({.inputs = 3, .units = 4});
  ag::Tape<double> tape;
  const V x1 = tape.input(noise<double>({2, 3, 3}, 1), {.gradient = true}),
          x2 = tape.input(noise<double>({2, 3, 3}, 2), {.gradient = true});
  const auto first = layer(x1);
  const V cut = layer(x2, {.initial_state = ag::detach(first.state())}).last(),
          whole = layer(x2, {.initial_state = first.state()}).last();
  CHECK(same(cut, whole));
  CHECK(ag::max(ag::abs(ag::grad(ag::sum(cut), x1))).item() == 0);
  CHECK(ag::max(ag::abs(ag::grad(ag::sum(whole), x1))).item() > 1e-3);
}

TEST_CASE("LSTM: a state of a recording that is over is refused, its detached twin is not") {
  auto layer = made({.inputs = 3, .units = 4});
  ag::Tape<double> tape;
  const auto first = layer(tape.input(noise<double>({2, 3, 3}, 1)));
  ag::backward(ag::sum(first.last()));
  const V x2 = tape.input(noise<double>({2, 3, 3}, 2));
  CHECK_THROWS_AS((void)layer(x2, {.initial_state = first.state()}), ag::Error);
  CHECK_NOTHROW((void)layer(x2, {.initial_state = ag::detach(first.state())}));
}

// h_t = tanh(w h_{t-1} + x), the recurrence without gates.
TEST_CASE("a state carried on: the gradient by hand, detached and through both batches (C46)") {
  const auto step = [](const V& w, const V& h, double x) { return ag::tanh(w * h + x); };
  ag::Tape<double> tape;
  V w = tape.input(Tensor<double>(Shape{}, .5), {.gradient = true});
  const V h1 = step(w, V(1.), 1), h2 = step(w, h1, 2);
  CHECK(h1.item() == doctest::Approx(.905148254).epsilon(1e-9));
  CHECK(h2.item() == doctest::Approx(.985292271).epsilon(1e-9));
  CHECK(ag::grad(h2, w).item() == doctest::Approx(.0290677914).epsilon(1e-8));
  CHECK(ag::grad(step(w, h1.detach(), 2), w).item() == doctest::Approx(.026429552).epsilon(1e-8));
  ag::backward(h2);
  w = tape.input(Tensor<double>(Shape{}, .5), {.gradient = true});
  CHECK_THROWS_WITH_AS((void)step(w, h1, 2), doctest::Contains("released"), ag::Error);
}

TEST_CASE("Bidirectional: the second direction reads from the end, put back in order") {
  ag::Bidirectional<double> layer({.inputs = 3, .units = 2});
  fill(layer);
  const V x = input({2, 4, 3});
  const auto y = layer(x);
  const V forward = layer.forward(x).sequence(),
          backward = ag::flip(layer.backward(x).sequence(), Axis::time);
  CHECK(same(y.sequence(), ag::concat(std::vector{forward, backward}, -1)));
  // last(): where each direction ends, so the backward half is that of step 0.
  CHECK(same(y.last(), ag::concat(std::vector{step_of(forward, 3), step_of(backward, 0)}, -1)));
  CHECK(same(y.backward_state().h, step_of(backward, 0)));
  CHECK(same(y.forward_state().h, step_of(forward, 3)));

  const V mask(Tensor<double>({2, 4}, {0, 1, 1, 0, 1, 1, 1, 0}));
  const V masked = layer(x, {.mask = mask}).sequence();
  for (Size b = 0; b < 2; ++b)
    for (Size t = 0; t < 4; ++t)
      CHECK((ag::max(ag::abs(ag::index(masked, {b, t}))).item() == 0) == (mask.value()(b, t) == 0));
}

TEST_CASE("Bidirectional: each direction starts from a state of its own") {
  ag::Bidirectional<double> layer({.inputs = 3, .units = 2});
  fill(layer);
  const V x = input({2, 4, 3});
  const ag::LstmState<double> f{input({2, 2}), input({2, 2})},
      b{V(noise<double>({2, 2}, 5)), V(noise<double>({2, 2}, 6))};
  const auto y = layer(x, {.forward_state = f, .backward_state = b});
  CHECK(same(y.forward_state().c, layer.forward(x, {.initial_state = f}).state().c));
  CHECK(same(y.backward_state().c, layer.backward(x, {.initial_state = b}).state().c));
  // Two halves of a sequence, the forward state handed on, are the whole of it.
  const auto whole = layer.forward(x),
             second = layer.forward(
                 ag::slice(x, {.axis = Axis::time, .begin = 2}),
                 {.initial_state =
                      layer.forward(ag::slice(x, {.axis = Axis::time, .end = 2})).state()});
  CHECK(same(whole.last(), second.last()));
}

TEST_CASE("LSTM: gradients of first and second order, with mask, state and two layers") {
  const V mask(Tensor<double>({2, 4}, {1, 1, 1, 0, 0, 1, 0, 1}));
  for (bool back : {false, true}) {
    const auto layer = made({.inputs = 3, .units = 2, .go_backwards = back});
    const auto f = [&](const V& x, const V& h, const V& c) {
      const auto y = layer(x, {.initial_state = ag::LstmState<double>{h, c}, .mask = mask});
      return std::tuple(y.sequence(), y.state().c);
    };
    const auto x = noise<double>({2, 4, 3}, 1), h = noise<double>({2, 2}, 2),
               c = noise<double>({2, 2}, 3);
    const auto report = ag::gradcheck(f, x, h, c);
    CHECK_MESSAGE(report, report);
    const auto second = ag::gradgradcheck(f, x, h, c, ag::GradcheckOptions{.fast_mode = true});
    CHECK_MESSAGE(second, second);
  }
  const auto lower = made({.inputs = 3, .units = 3}), upper = made({.inputs = 3, .units = 2});
  const auto stacked = [&](const V& x) { return upper(lower(x).sequence()).last(); };
  const auto report = ag::gradcheck(stacked, noise<double>({2, 3, 3}, 1));
  CHECK_MESSAGE(report, report);

  ag::Bidirectional<double> both({.inputs = 3, .units = 2, .merge = ag::Merge::mul});
  fill(both);
  const auto either = [&](const V& x) { return both(x, {.mask = mask}).sequence(); };
  const auto of_both = ag::gradcheck(either, noise<double>({2, 4, 3}, 1));
  CHECK_MESSAGE(of_both, of_both);
}

TEST_CASE("LSTM: the same bits with one thread and with four") {
  const auto x = noise<float>({48, 20, 24}, 1), h0 = noise<float>({48, 64}, 2),
             c0 = noise<float>({48, 64}, 3);
  const int threads = ag::kernels::threads();
  for (double recurrent_dropout : {0., .25}) {
    const auto layer =
        made<float>({.inputs = 24, .units = 64, .recurrent_dropout = recurrent_dropout});
    std::vector<Tensor<float>> runs[2];
    for (int k : {0, 1}) {
      ag::kernels::set_threads(k == 0 ? 1 : 4);
      ag::Tape<float> tape({.training = true, .seed = 3});
      const auto in = tape.input(x, {.gradient = true});
      const ag::LstmState<float> start{tape.input(h0, {.gradient = true}),
                                       tape.input(c0, {.gradient = true})};
      const auto result = layer(in, {.initial_state = start});
      const auto y = result.sequence();
      const auto kernel = tape.watch(layer.kernel), recurrent = tape.watch(layer.recurrent_kernel);
      runs[k] = {y.value()};
      const auto loss = ag::sum(ag::square(y)) + ag::sum(result.last() * result.state().c);
      for (const auto& g : ag::grad(loss, std::vector{in, start.h, start.c, kernel, recurrent}))
        runs[k].push_back(g.value());
    }
    for (std::size_t i = 0; i < runs[0].size(); ++i) CHECK(ag::same_bits(runs[0][i], runs[1][i]));
  }
  ag::kernels::set_threads(threads);
}

TEST_CASE("LSTM: dropout acts in training only, one mask for all steps of a sequence") {
  const auto plain = made({.inputs = 40, .units = 3}),
             dropping = made({.inputs = 40, .units = 3, .dropout = .4}),
             recurrent = made({.inputs = 40, .units = 3, .recurrent_dropout = .5});
  const auto values = noise<double>({3, 6, 40}, 1);
  CHECK(same(dropping(V(values)).sequence(), plain(V(values)).sequence()));
  CHECK(same(recurrent(V(values)).sequence(), plain(V(values)).sequence()));

  // What is dropped shows in the gradient by x: the same features at every step.
  ag::Tape<double> tape({.training = true, .seed = 3});
  const V x = tape.input(values, {.gradient = true});
  const V g = ag::grad(ag::sum(dropping(x).sequence()), x);
  Size dropped = 0;
  for (Size b = 0; b < 3; ++b)
    for (Size d = 0; d < 40; ++d) {
      const bool zero = g.value()(b, 0, d) == 0;
      dropped += zero;
      for (Size t = 1; t < 6; ++t) CHECK((g.value()(b, t, d) == 0) == zero);
    }
  CHECK(dropped > 20);
  CHECK(dropped < 80);

  // The first step has no h to drop; the later ones differ.
  const V a = recurrent(x).sequence(), b = plain(x).sequence();
  CHECK(same(step_of(a, 0), step_of(b, 0)));
  CHECK(distance(step_of(a, 1).value(), step_of(b, 1).value()) > 1e-3);

  // Also where only a parameter is on the tape by way of a state.
  const V h = tape.input(noise<double>({3, 3}, 2));
  const ag::LstmState<double> state{h, h};
  CHECK(distance(dropping(V(values), {.initial_state = state}).last().value(),
                 plain(V(values), {.initial_state = state}).last().value()) > 1e-3);
}

TEST_CASE("LSTM: the gradient through both kinds of dropout, masks fixed") {
  const auto layer = made({.inputs = 4, .units = 3, .dropout = .3, .recurrent_dropout = .3});
  const auto f = [&](const V& x) { return layer(x).sequence(); };
  const auto report = ag::gradcheck(f, noise<double>({2, 3, 4}, 1),
                                    ag::GradcheckOptions{.recording = {.training = true}});
  CHECK_MESSAGE(report, report);
  ag::Bidirectional<double> both({.inputs = 4, .units = 3, .dropout = .3});
  fill(both);
  ag::Tape<double> tape({.training = true, .seed = 1});
  const V x = tape.input(noise<double>({2, 3, 4}, 1));
  CHECK(distance(both(x).last().value(), both(x.detach()).last().value()) > 1e-3);
}

TEST_CASE("LSTM: what does not fit is refused") {
  CHECK_THROWS_WITH(ag::LSTM<double>({.inputs = 0, .units = 4}),
                    "[LSTM] needs at least one input and one unit, got .inputs = 0, .units = 4");
  CHECK_THROWS_WITH(ag::LSTM<double>({.inputs = 1, .units = 1, .recurrent_dropout = 1.5}),
                    "[LSTM] .dropout and .recurrent_dropout must lie in [0, 1], got 1.5");
  const auto layer = made({.inputs = 3, .units = 4});
  CHECK_THROWS_WITH((void)layer(input({2, 5, 3}), {.mask = input({2, 4})}),
                    "[lstm] mask has the shape (2,4), expected (2,5)");
  CHECK_THROWS_WITH(
      (void)layer(input({2, 5, 3}),
                  {.initial_state = ag::LstmState<double>{input({2, 3}), input({2, 4})}}),
      "[lstm] initial_h has the shape (2,3), expected (2,4)");
  CHECK_THROWS_WITH(
      (void)layer(input({2, 5, 3}), {.initial_state = ag::LstmState<double>{input({2, 4}), V()}}),
      "[lstm] initial_h and initial_c go together: only one was given");
  CHECK_THROWS_WITH(
      (void)ag::lstm<double>(
          {.x = input({2, 3}), .kernel = input({3, 8}), .recurrent_kernel = input({2, 8})}),
      "[lstm] expects x (batch, time, feature), got (2,3)");
}
