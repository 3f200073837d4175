// Bug reports of other frameworks, by the number they have in our collection, with the right
// values.
#include "common.hpp"

using namespace axisgrad;
using namespace axisgrad::test;

namespace {

// Weights of the scores [1,2,3] with all keys masked, and with -1e10 added.
template <class T>
std::vector<double> wholly_masked(bool additive) {
  const Tensor<T> scores({1, 3}, {1, 2, 3});
  const Var<T> x = constant(scores), none = constant(Tensor<T>({1, 3}, T(0)));
  const Var<T> y = additive ? softmax(x + T(-1e10), -1) : softmax(x, -1, none);
  return {y.value().begin(), y.value().end()};
}

}  // namespace

TEST_CASE_TEMPLATE("C02: a row with nothing to attend to gives zeros", T, float, double) {
  const std::vector<double> zeros(3, 0.);
  CHECK(wholly_masked<T>(false) == zeros);
  const Var<T> x = constant(Tensor<T>({1, 3}, {1, 2, 3}));
  const Var<T> added = softmax(x + -std::numeric_limits<T>::infinity(), -1);
  CHECK(values_of(added) == std::vector<T>(3, T(0)));
  // The gradient is 0, of the weights and of their logarithm.
  const Tensor<T> all_hidden({1, 3}, -std::numeric_limits<T>::infinity());
  const std::vector<T> none(3, T(0));
  CHECK(slope(all_hidden, [](auto v) { return square(softmax(v, -1)) + softmax(v, -1); }) == none);
  CHECK(slope(all_hidden, [](auto v) { return log_softmax(v, -1); }) == none);
  CHECK(slope(x.value(), [](auto v) {
          return softmax(v, -1, constant(Tensor<T>({3}, T(0)))) + T(0) * v;
        }) == none);
}
TEST_CASE("C02: a large finite number added is ordinary arithmetic") {
  CHECK(near(wholly_masked<float>(true), {1. / 3, 1. / 3, 1. / 3}, 1e-7));
  CHECK(near(wholly_masked<double>(true), {0.0900305732, 0.244728471, 0.665240956}, 1e-6));
}

TEST_CASE_TEMPLATE("C03: a boolean mask hides; additive -infinity gives the same bits", T, float,
                   double) {
  const Var<T> x = constant(Tensor<T>({3}, {2, 1, 0}));
  const Var<T> keep = constant(Tensor<T>({3}, {1, 1, 0}));
  const Var<T> hide = constant(Tensor<T>({3}, {0, 0, -std::numeric_limits<T>::infinity()}));
  const Var<T> y = softmax(x, -1, keep);
  CHECK(same_bits(y.value(), softmax(x + hide, -1).value()));
  CHECK(y.value()(0) == doctest::Approx(0.731058579).epsilon(1e-7));
  CHECK(y.value()(1) == doctest::Approx(0.268941421).epsilon(1e-7));
  CHECK(y.value()(2) == 0);
}

TEST_CASE("C21: the gradient of dropout uses the very mask of the value") {
  Tape<double> tape({.training = true, .seed = 3});
  const auto w = tape.input(Tensor<double>({1, 4}, {.1, .2, .3, .4}), {.gradient = true});
  const auto y = dropout(w, .25);
  const auto g = grad(sum(y), w);
  for (Size i = 0; i < 4; ++i) {
    const double factor = g.value()(0, i);
    CHECK((factor == 0 || factor == doctest::Approx(4. / 3)));
    CHECK(y.value()(0, i) == w.value()(0, i) * factor);
  }
  const auto evaluated = dropout(constant(w.value()), .25);
  CHECK(same_bits(evaluated.value(), w.value()));
  // The mask of the report.
  const auto mask = constant(Tensor<double>({4}, {1 / .75, 0, 1 / .75, 1 / .75}));
  CHECK(near(values_of(row({.1, .2, .3, .4}) * mask), {0.133333333, 0, 0.4, 0.533333333}));
}

TEST_CASE("C23: the gradient of a norm at the zero vector is 0") {
  const std::vector<double> zeros(3, 0.);
  CHECK(norm(row(zeros)).item() == 0);
  CHECK(slope(zeros, [](auto x) { return norm(x); }) == zeros);
  CHECK(slope(zeros, [](auto x) { return square(norm(x)); }) == zeros);
  CHECK(slope(zeros, [](auto x) { return pow(norm(x), 2.); }) == zeros);
  CHECK(slope(zeros, [](auto x) { return norm(x) * norm(x); }) == zeros);
  CHECK(near(slope({3, 4}, [](auto x) { return norm(x); }), {.6, .8}));
}

TEST_CASE("C25: choose before the root") {
  const Tensor<double> x({3, 2}, {1, 2, 3, 4, 0, 0});
  const std::vector<double> right{0.447213595, 0.894427191, .6, .8, 0, 0};
  const auto before = [](auto v) {
    const auto s = sum(square(v), 1);
    return sqrt(where(s > Var<double>(.25), s, 1.));
  };
  CHECK(sum(before(constant(x))).item() == doctest::Approx(8.23606798));
  CHECK(near(slope(x, before), right));
  // norm() has no such trap.
  const auto after = [](auto v) {
    const auto r = norm(v, 1);
    return where(r > Var<double>(.5), r, 1.);
  };
  CHECK(sum(after(constant(x))).item() == doctest::Approx(8.23606798));
  CHECK(near(slope(x, after), right));
}

TEST_CASE("C27: zero to the power zero") {
  const std::vector<double> exponents{0, 1, 2, .5}, values{1, 0, 0, 0}, slopes{0, 1, 0, inf};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(pow(row({0}), exponents[i]).value()(0) == values[i]);
    CHECK(slope({0}, [&](auto x) { return pow(x, exponents[i]); })[0] == slopes[i]);
  }
  const auto polynomial = [](auto x) { return 3 * pow(x, 0.) + 2 * x; };
  CHECK(polynomial(row({0})).value()(0) == 3);
  CHECK(slope({0}, polynomial)[0] == 2);
  CHECK(second_slope({0}, [](auto x) { return pow(x, 0.); })[0] == 0);
  CHECK(second_slope({0}, [](auto x) { return pow(x, 1.); })[0] == 0);
  CHECK(second_slope({0}, [](auto x) { return pow(x, 2.); })[0] == 2);
  CHECK(second_slope({0}, [](auto x) { return pow(x, 3.); })[0] == 0);
}

TEST_CASE("C29: ties in maxima") {
  CHECK(slope({3, 1, 3}, [](auto x) { return max(x); }) == std::vector<double>{.5, 0, .5});
  CHECK(slope({1, 3, 1}, [](auto x) { return min(x); }) == std::vector<double>{.5, 0, .5});
  CHECK(slope({0}, [](auto x) { return relu(x); })[0] == 0);
  CHECK(slope({0}, [](auto x) { return maximum(x, 0.); })[0] == .5);
  for (bool largest : {true, false}) {
    Tape<double> tape;
    const auto a = tape.input(Tensor<double>({1}, 2.), {.gradient = true});
    const auto b = tape.input(Tensor<double>({1}, 2.), {.gradient = true});
    const auto g = grad<double>(sum(largest ? maximum(a, b) : minimum(a, b)), {a, b});
    CHECK(g[0].item() + g[1].item() == 1);
  }
  double total = 0;
  for (float g : slope(Tensor<float>({70000}, 1.f), [](auto x) { return max(x); })) total += g;
  CHECK(std::abs(total - 1) < 1e-6);
}

TEST_CASE("C32: cross-entropy with huge logits") {
  const Tensor<float> equal({1, 2}, {1e8f, 1e8f}), apart({1, 3}, {-431, 279, 427});
  const auto loss = [](const Tensor<float>& x, float target) {
    return [=, n = x.shape()[1]](auto v) {
      (void)n;
      return sparse_categorical_crossentropy_from_logits(v, constant(Tensor<float>({1}, {target})));
    };
  };
  CHECK(loss(equal, 1)(constant(equal)).item() == doctest::Approx(0.693147181).epsilon(1e-7));
  CHECK(slope(equal, loss(equal, 1)) == std::vector<float>{.5f, -.5f});
  CHECK(loss(apart, 0)(constant(apart)).item() == 858);
  CHECK(slope(apart, loss(apart, 0)) == std::vector<float>{-1, 0, 1});
  // By the composition, and as logsumexp.
  CHECK(slope(equal, [](auto v) { return -slice(log_softmax(v, -1), {.axis = 1, .begin = 1}); }) ==
        std::vector<float>{.5f, -.5f});
  CHECK(slope(equal, [](auto v) { return logsumexp(v); }) == std::vector<float>{.5f, .5f});
}

TEST_CASE("C34: sums and means in float keep what a running sum would lose") {
  const float part = 1.f / 255;
  const auto list = constant(Tensor<float>({1000000}, part));
  const auto columns = constant(Tensor<float>({1000000, 2}, part));
  CHECK(sum(list).item() == doctest::Approx(3921.56885).epsilon(1e-6));
  CHECK(near({values_of(sum(columns, 0))[0], values_of(sum(columns, 0))[1]},
             {3921.56885, 3921.56885}, 1e-6));
  // As many ones as a float counts, and a few more: a running sum stays at 2^24.
  const auto ones = constant(Tensor<float>({20000000}, 1.f));
  CHECK(mean(ones).item() == 1);
  CHECK(values_of(mean(reshape(ones, {10000000, 2}), 0)) == std::vector<float>{1, 1});
}

TEST_CASE("C37: gradients of broadcast operands have the shapes of the operands") {
  Tape<double> tape;
  const auto on = [&](const Tensor<double>& x) { return tape.input(x, {.gradient = true}); };
  const auto x = constant(Tensor<double>({2, 3}, {1, 2, 3, 4, 5, 6}));
  const auto w = on(Tensor<double>({3, 1}, 1.)), bias = on(Tensor<double>({1, 3}, {0, 1, 2})),
             label = on(Tensor<double>({2, 1}, {0, 1}));
  const auto loss = sum(square(matmul(x, w) + bias - label));
  CHECK(loss.item() == 826);
  const auto g = grad(loss, {w, bias, label});
  CHECK(same_bits(g[0].value(), Tensor<double>({3, 1}, {402, 534, 666})));
  CHECK(same_bits(g[1].value(), Tensor<double>({1, 3}, {40, 44, 48})));
  CHECK(same_bits(g[2].value(), Tensor<double>({2, 1}, {-42, -90})));
}

TEST_CASE("C48: softmax does not cut the recording") {
  const std::vector<double> x{1, 2, 3}, right{-0.07571796, -0.130104795, 0.205822755};
  const auto loss = [](auto v) { return sum(square(softmax(v, -1))); };
  CHECK(loss(row(x)).item() == doctest::Approx(0.510543058).epsilon(1e-8));
  CHECK(near(slope(x, loss), right));
  double total = 0;
  for (double g : slope(x, loss)) total += g;
  CHECK(std::abs(total) < 1e-15);
}

TEST_CASE("C39: negative axes count from the end") {
  const auto x = constant(Tensor<double>({2, 2}, {1, 2, 3, 4}));
  CHECK(values_of(sum(x, -1)) == std::vector<double>{3, 7});
  CHECK(values_of(sum(x, -2)) == std::vector<double>{4, 6});
  CHECK(refusal([&] {
          (void)softmax(constant(Tensor<double>({2, 3}, 1.)), 2);
        }) == "[softmax] axis 2 is out of range for a tensor of rank 2");
}

TEST_CASE("C41: reductions of a tensor without elements") {
  const Tensor<double> a({0, 4}, 0.);
  const auto x = constant(a);
  CHECK(max(x, 1).shape() == Shape{0});
  CHECK(refusal([&] { (void)max(x, 0); }) ==
        "[max] no maximum over an empty axis of the shape (0,4)");
  CHECK(values_of(sum(x, 0)) == std::vector<double>(4, 0.));
  for (double m : values_of(mean(x, 0))) CHECK(std::isnan(m));
  CHECK(mean(x, 0).shape() == Shape{4});
  CHECK(softmax(x, 1).shape() == Shape{0, 4});
  Tape<double> tape;
  const auto leaf = tape.input(a, {.gradient = true});
  CHECK(grad(sum(leaf), leaf).shape() == Shape{0, 4});
}

TEST_CASE("C39, C41: axes and empty axes of the later ops") {
  const auto x = constant(Tensor<double>({2, 2}, {1, 2, 3, 4}));
  CHECK(values_of(logsumexp(x, -2)) == values_of(logsumexp(x, 0)));
  for (auto* f : {&norm<double>, &var<double>, &logsumexp<double>, &min<double>})
    CHECK(refusal([&] { (void)f(x, 2, {}); }).find("2") != std::string::npos);
  CHECK(refusal([&] { (void)log_softmax(x, 2); }) != "");
  const auto none = constant(Tensor<double>({0, 4}, 0.));
  CHECK(refusal([&] { (void)min(none, 0); }) != "");
  CHECK(refusal([&] { (void)argmax(none, 0); }) ==
        "[argmax] no position on an empty axis of the shape (0,4)");
  CHECK(argmax(none, 1).shape() == Shape{0});
  CHECK(values_of(logsumexp(none, 0)) == std::vector<double>(4, -inf));
  CHECK(values_of(norm(none, 0)) == std::vector<double>(4, 0.));
  CHECK(std::isnan(var(none, 0).value()(0)));
  CHECK(log_softmax(none, 1).shape() == Shape{0, 4});
}
