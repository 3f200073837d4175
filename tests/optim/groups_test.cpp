// Parameter groups, and weights of samples and classes.
#include <doctest/doctest.h>

#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/nn/data/weighted.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/rmsprop.hpp>

#include "../autograd/differences.hpp"
#include "line.hpp"

namespace {

using ag::tests::distance, ag::tests::noise;

// Two parameters with gradients that do not depend on their values.
struct Pair {
  ag::Parameter<double> a{Shape{3}}, b{Shape{3}};
  Pair() { a.set_value(noise<double>({3}, 1)), b.set_value(noise<double>({3}, 2)); }
  template <class O>
  void train(O& optimizer, int steps = 5) {
    optimizer.bind({&a, &b});
    for (int i = 0; i < steps; ++i) {
      a.mutable_grad() = noise<double>({3}, 10 + static_cast<unsigned>(i));
      b.mutable_grad() = noise<double>({3}, 20 + static_cast<unsigned>(i));
      optimizer.step();
    }
  }
};

// In a group with factor 1/4 and weight decay .2, b must move as with an optimizer of that rate and
// decay; a as if there were no group.
template <class O, class Options>
void check_group(Options options, double rate) {
  options.learning_rate = rate, options.weight_decay = .1;
  Pair grouped, plain, other;
  O optimizer{options}, whole{options};
  optimizer.set_group({&grouped.b}, {.learning_rate_factor = .25, .weight_decay = .2});
  options.learning_rate = rate / 4, options.weight_decay = .2;
  O quarter{options};
  grouped.train(optimizer), plain.train(whole), other.train(quarter);
  CHECK(ag::same_bits(grouped.a.value(), plain.a.value()));
  CHECK(ag::same_bits(grouped.b.value(), other.b.value()));
  CHECK(distance(grouped.b.value(), plain.b.value()) > 1e-3);
}

}  // namespace

TEST_CASE("a group has its own learning rate and weight decay, in both conventions") {
  for (auto convention : {ag::Convention::keras, ag::Convention::torch}) {
    check_group<ag::SGD<double>>(ag::SGDOptions{.momentum = .9, .convention = convention}, .125);
    check_group<ag::Adam<double>>(ag::AdamOptions{.convention = convention}, .125);
    check_group<ag::AdamW<double>>(ag::AdamOptions{.convention = convention}, .125);
    check_group<ag::RMSprop<double>>(ag::RMSpropOptions{.convention = convention}, .125);
  }
}

TEST_CASE("a group follows the optimizer's learning rate; set again, it is replaced") {
  Pair p;
  ag::SGD<double> sgd{{.learning_rate = 1}};
  sgd.bind({&p.a, &p.b});
  sgd.set_group({&p.b}, {.learning_rate_factor = 0});
  sgd.set_learning_rate(.5);
  const auto b = p.b.value();
  p.train(sgd, 1);
  CHECK(ag::same_bits(p.b.value(), b));
  sgd.set_group({&p.b}, {.learning_rate_factor = 2});
  p.train(sgd, 1);
  const Var<double> expected = Var<double>(b) - Var<double>(noise<double>({3}, 20));
  CHECK(distance(p.b.value(), expected.value()) < 1e-15);
}

TEST_CASE("groups: errors") {
  Pair p;
  ag::SGD<double> sgd;
  CHECK(error_of([&] { sgd.set_group({}, {}); }) == "[SGD] a group without parameters");
  CHECK(error_of([&] { sgd.set_group({&p.a}, {.learning_rate_factor = -1}); }) ==
        "[SGD] learning_rate_factor must be finite and at least 0, got -1");
  CHECK(error_of([&] { sgd.set_group({&p.a}, {.weight_decay = -1}); }) ==
        "[SGD] weight_decay must be finite and at least 0, got -1");
}

TEST_CASE("weighted_mean: the losses of a sample times its weight, over the number of losses") {
  const Var<double> losses(Tensor<double>({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Var<double> weights(Tensor<double>({2}, {2, .5}));
  CHECK(ag::weighted_mean(losses, weights).item() == doctest::Approx((2 * 6 + .5 * 15) / 6));
  CHECK(error_of([&] { (void)ag::weighted_mean(losses, Var<double>(1.)); }) ==
        "[weighted_mean] expects losses (N, ...) and weights (N), got (2,3) and ()");
  const auto t = noise<double>({2, 3}, 3);
  const auto loss = [&](const Var<double>& p) {
    return ag::batch_loss(ag::mse, p, Var<double>(t), weights.value());
  };
  const auto report = ag::gradcheck(loss, noise<double>({2, 3}, 4));
  CHECK_MESSAGE(report, report);
  CHECK(loss(Var<double>(t)).item() == 0);
}

// A weight of 2 counts a sample twice, one of 0 leaves it out.
TEST_CASE("fit: sample weights act like repeated and left out samples") {
  const auto all = line<double>(8);
  const auto weighted = ag::weighted(all, Tensor<double>({8}, {2, 0, 1, 1, 0, 2, 1, 1}));
  const std::vector<Size> same{0, 0, 2, 3, 5, 5, 6, 7};
  const auto repeated = all.gather(same);
  const ag::FitOptions options{.epochs = 5, .batch_size = 8, .shuffle = false, .verbose = silent};
  Line<double> a, b;
  ag::SGD<double> first{{.learning_rate = .1}}, second{{.learning_rate = .1}};
  const auto with = ag::fit(a.model(), a.parameters, first, ag::mse, weighted, options),
             without = ag::fit(b.model(), b.parameters, second, ag::mse, repeated, options);
  CHECK(distance(a.dense.kernel.value(), b.dense.kernel.value()) < 1e-14);
  CHECK(with.epochs.back().loss == doctest::Approx(without.epochs.back().loss).epsilon(1e-13));
  CHECK(ag::evaluate(a.model(), ag::mse, weighted).loss ==
        doctest::Approx(ag::evaluate(a.model(), ag::mse, repeated).loss).epsilon(1e-13));
  // Batches take their weights along.
  auto shuffled = options;
  shuffled.batch_size = 3, shuffled.shuffle = true;
  CHECK_NOTHROW(ag::fit(a.model(), a.parameters, first, ag::mse, weighted, shuffled));
  CHECK(weighted.gather(same).weights.shape() == Shape{8});
  CHECK(weighted.gather(same).weights(4) == 2);
}

TEST_CASE("sample weights: errors") {
  const auto data = line<double>(4);
  const Tensor<double> ones({4}, 1.0);
  CHECK(error_of([&] { (void)ag::weighted(data, Tensor<double>({3}, 1.0)); }) ==
        "[weighted] needs one weight for each of the 4 samples, got the shape (3)");
  Line<double> model;
  ag::SGD<double> sgd;
  const auto own = [](const auto& p, const auto& t) { return ag::mean(ag::abs(p - t)); };
  CHECK(contains(error_of([&] {
                   ag::fit(model.model(), model.parameters, sgd, own, ag::weighted(data, ones),
                           {.verbose = silent});
                 }),
                 "the data has sample weights, but the loss has no .reduction to apply them to: "
                 "take mse or another loss of the library, or weight inside your own"));
  CHECK(contains(error_of([&] {
                   const Tensor<double> bad({4}, {1, 1, NAN, 1});
                   ag::weighted(data, bad).require_finite();
                 }),
                 "weights"));
}

TEST_CASE("class_weights: from class numbers and from one-hot targets") {
  const auto expected = [](const Tensor<double>& w) {
    CHECK(w.shape() == Shape{3});
    CHECK((w(0) == 5 && w(1) == .5 && w(2) == 5));
  };
  expected(ag::class_weights(Tensor<double>({3}, {1, 0, 1}), {.5, 5}));
  expected(ag::class_weights(Tensor<double>({3, 1}, {1, 0, 1}), {.5, 5}));
  expected(ag::class_weights(Tensor<double>({3, 2}, {0, 1, 1, 0, 0, 1}), {.5, 5}));
  CHECK(error_of([] {
          (void)ag::class_weights(Tensor<double>({2}, {0, 2}), {1, 2});
        }) == "[class_weights] y[1] is 2, not one of the 2 classes");
  CHECK(error_of([] {
          (void)ag::class_weights(Tensor<double>({2, 3}, 0.0), {1, 2});
        }) ==
        "[class_weights] expects class numbers (N) or (N,1), or one-hot targets (N,2), got (2,3)");
}
