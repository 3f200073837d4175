// The dual-stage recurrent network against a transcription of its equations, one number at a time.
#include <axisgrad/nn/dual_stage_rnn.hpp>

#include "module_fixture.hpp"

using namespace axisgrad;
using namespace axisgrad::tests;

namespace {

constexpr Size T = 4, n = 3, m = 2, p = 5;
constexpr DualStageRNNOptions options{
    .time_steps = T, .series = n, .encoder_units = m, .decoder_units = p};

using Row = std::vector<double>;

Row times(const Tensor<double>& matrix, const Row& v) {
  Row y(static_cast<std::size_t>(matrix.size(0)));
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j < v.size(); ++j)
      y[i] += matrix(static_cast<Size>(i), static_cast<Size>(j)) * v[j];
  return y;
}
double dot(const Tensor<double>& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += a(static_cast<Size>(i)) * b[i];
  return sum;
}
Row joined(Row a, const Row& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
// softmax over i of v . tanh(W state + U key_i)
Row attended(const Tensor<double>& W, const Tensor<double>& U, const Tensor<double>& v,
             const Row& state, const std::vector<Row>& keys) {
  Row weights;
  double total = 0;
  for (const Row& key : keys) {
    Row e = times(W, state);
    const Row of_key = times(U, key);
    for (std::size_t i = 0; i < e.size(); ++i) e[i] = std::tanh(e[i] + of_key[i]);
    weights.push_back(std::exp(dot(v, e)));
    total += weights.back();
  }
  for (double& w : weights) w /= total;
  return weights;
}
struct State {
  Row h, c;
};
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
State lstm_step(const LSTM<double>& lstm, const Row& x, const State& s) {
  const std::size_t units = s.h.size();
  Row gates(lstm.bias.value().begin(), lstm.bias.value().end());
  for (std::size_t g = 0; g < 4 * units; ++g) {
    for (std::size_t i = 0; i < x.size(); ++i)
      gates[g] += x[i] * lstm.kernel.value()(static_cast<Size>(i), static_cast<Size>(g));
    for (std::size_t i = 0; i < units; ++i)
      gates[g] +=
          s.h[i] * lstm.recurrent_kernel.value()(static_cast<Size>(i), static_cast<Size>(g));
  }
  State next = s;
  for (std::size_t u = 0; u < units; ++u) {
    next.c[u] = sigmoid_of(gates[units + u]) * s.c[u] +
                sigmoid_of(gates[u]) * std::tanh(gates[2 * units + u]);
    next.h[u] = sigmoid_of(gates[3 * units + u]) * std::tanh(next.c[u]);
  }
  return next;
}

}  // namespace

TEST_CASE("DualStageRNN: by its equations") {
  const auto model = filled(DualStageRNN<double>(options));
  const Var<double> x = values({2, T, n}, 3), past = values({2, T}, 4);
  const auto y = model.with_weights(x, past);
  REQUIRE(y.out.shape() == Shape{2, 1});
  REQUIRE(y.alpha.shape() == Shape{2, T, n});
  REQUIRE(y.beta.shape() == Shape{2, T, T});
  REQUIRE(y.encoder_states.shape() == Shape{2, T, m});
  CHECK(off_one(y.alpha, 2) < 1e-14);
  CHECK(off_one(y.beta, 2) < 1e-14);
  const auto near = [](double a) { return doctest::Approx(a).epsilon(1e-12); };
  for (Size b = 0; b < 2; ++b) {
    std::vector<Row> series(n, Row(T)), states;
    for (Size t = 0; t < T; ++t)
      for (Size k = 0; k < n; ++k)
        series[static_cast<std::size_t>(k)][static_cast<std::size_t>(t)] = x.value()(b, t, k);
    State s{Row(m), Row(m)};
    for (Size t = 0; t < T; ++t) {
      const Row alpha = attended(model.W_e.value(), model.U_e.value(), model.v_e.value(),
                                 joined(s.h, s.c), series);
      Row driven;
      for (std::size_t k = 0; k < n; ++k) {
        CHECK(y.alpha.value()(b, t, static_cast<Size>(k)) == near(alpha[k]));
        driven.push_back(alpha[k] * series[k][static_cast<std::size_t>(t)]);
      }
      s = lstm_step(model.encoder, driven, s);
      states.push_back(s.h);
      CHECK(y.encoder_states.value()(b, t, 1) == near(s.h[1]));
    }
    State d{Row(p), Row(p)};
    Row context(m);
    for (Size t = 0; t < T; ++t) {
      const Row beta = attended(model.W_d.value(), model.U_d.value(), model.v_d.value(),
                                joined(d.h, d.c), states);
      const double driven = dot(model.w_tilde.value(), joined({past.value()(b, t)}, context)) +
                            model.b_tilde.value()(0);
      d = lstm_step(model.decoder, {driven}, d);
      context.assign(m, 0);
      for (std::size_t i = 0; i < T; ++i) {
        CHECK(y.beta.value()(b, t, static_cast<Size>(i)) == near(beta[i]));
        for (std::size_t j = 0; j < m; ++j) context[j] += beta[i] * states[i][j];
      }
    }
    Row hidden = times(model.W_y.value(), joined(d.h, context));
    for (std::size_t i = 0; i < hidden.size(); ++i)
      hidden[i] += model.b_w.value()(static_cast<Size>(i));
    CHECK(y.out.value()(b, 0) == near(dot(model.v_y.value(), hidden) + model.b_v.value()(0)));
  }
}

TEST_CASE("DualStageRNN: parameters and gradients") {
  auto model = filled(DualStageRNN<double>(options));
  CHECK(
      listed(model) ==
      "W_e (4,4), U_e (4,4), v_e (4), encoder.kernel (3,8), encoder.recurrent_kernel (2,8), "
      "encoder.bias (8), W_d (2,10), U_d (2,2), v_d (2), w_tilde (3), b_tilde (1), decoder.kernel "
      "(1,20), decoder.recurrent_kernel (5,20), decoder.bias (20), W_y (5,7), b_w (5), v_y (5), "
      "b_v (1)");
  // PyTorch's implementation has 57,713 with T = 10, 6 series, m = p = 64: a second bias in either
  // LSTM.
  DualStageRNN<float> compared(
      {.time_steps = 10, .series = 6, .encoder_units = 64, .decoder_units = 64});
  CHECK(count(parameters(compared)) == 57'713 - 2 * 4 * 64);

  const auto small = filled(
      DualStageRNN<double>({.time_steps = 3, .series = 2, .encoder_units = 2, .decoder_units = 2}));
  check_gradients([&](auto x, auto y) { return small.with_weights(x, y); }, values({2, 3, 2}),
                  values({2, 3}, 2));
}

TEST_CASE("DualStageRNN: what is cut from a window, with the current values and without") {
  const Var<double> series = values({2, T + 1, n}), target = values({2, T + 1}, 2);
  for (bool current : {false, true}) {
    DualStageRNNOptions o = options;
    o.include_current = current;
    const auto model = filled(DualStageRNN<double>(o));
    const auto w = model.window(series, target);
    CHECK(off(w.x, index(series, {every, current ? range(1) : range(0, T)})) == 0);
    CHECK(off(w.y_prev, index(target, {every, range(0, T)})) == 0);
    CHECK(off(w.target, index(target, {every, range(T)})) == 0);
    // The forecast depends on the values at the step that is forecast only where they are asked
    // for.
    Tape<double> tape;
    const auto leaf = tape.input(series.value(), {.gradient = true});
    const auto cut = model.window(leaf, target);
    const auto g = grad(sum(model(cut.x, cut.y_prev)), leaf);
    CHECK((max(abs(index(g, {every, -1}))).item() > 0) == current);
  }
}

TEST_CASE("DualStageRNN: what does not fit is refused") {
  CHECK_THROWS_WITH_AS(DualStageRNN<double>({.time_steps = 3, .series = 2, .encoder_units = 2}),
                       "[DualStageRNN] needs at least one of each, got .time_steps = 3, .series = "
                       "2, .encoder_units = 2, .decoder_units = 0",
                       Error);
  const auto model = filled(DualStageRNN<double>(options));
  const auto refused = [&](const Shape& x, const Shape& y, const char* text) {
    CHECK_THROWS_WITH_AS((void)model(values(x), values(y)), text, Error);
  };
  refused({2, 5, 3}, {2, 4},
          "[DualStageRNN] expects x (batch,4,3) and y_prev (batch,4), got (2,5,3) and (2,4)");
  refused({2, 4, 3}, {3, 4},
          "[DualStageRNN] expects x (batch,4,3) and y_prev (batch,4), got (2,4,3) and (3,4)");
  refused({4, 3}, {2, 4},
          "[DualStageRNN] expects x (batch,4,3) and y_prev (batch,4), got (4,3) and (2,4)");
  CHECK_THROWS_WITH_AS((void)model.window(values({2, 4, 3}), values({2, 4})),
                       "[DualStageRNN] a window has 5 steps of series (batch, time, series) and of "
                       "the target (batch, time), got (2,4,3) and (2,4)",
                       Error);
}
