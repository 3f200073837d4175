// Edges and closed forms of the ops, family by family. Gradients at ordinary points are the
// business of the table test.
#include "common.hpp"

using namespace axisgrad;
using namespace axisgrad::test;

namespace {
const Tensor<double> table({2, 3}, {1, 2, 3, 4, 5, 6});
}

TEST_CASE("powers: negative bases, exponents with a gradient") {
  CHECK(values_of(pow(row({-2, -2, -2}), row({3, 2, -1}))) == std::vector<double>{-8, 4, -.5});
  CHECK(std::isnan(pow(row({-2}), .5).value()(0)));
  CHECK(near(slope({-2}, [](auto x) { return pow(x, 3.); }), {12}));
  CHECK(near(slope({3}, [](auto p) { return pow(row({2}), p); }), {8 * std::log(2.)}));
  CHECK(slope({2}, [](auto p) { return pow(row({0}), p); })[0] == 0);
  CHECK(near(second_slope({-2}, [](auto x) { return pow(x, 3.); }), {-12}));
}

TEST_CASE("activations far from 0: values and slopes of first and second order are finite") {
  const std::vector<double> far{-1000, 1000};
  CHECK(values_of(softplus(row(far))) == std::vector<double>{0, 1000});
  CHECK(values_of(log_sigmoid(row(far))) == std::vector<double>{-1000, 0});
  CHECK(values_of(elu(row(far))) == std::vector<double>{-1, 1000});
  CHECK(values_of(leaky_relu(row(far), .5)) == std::vector<double>{-500, 1000});
  CHECK(slope(far, [](auto x) { return softplus(x); }) == std::vector<double>{0, 1});
  CHECK(slope(far, [](auto x) { return log_sigmoid(x); }) == std::vector<double>{1, 0});
  CHECK(slope(far, [](auto x) { return elu(x, 2.); }) == std::vector<double>{0, 1});
  CHECK(slope(far, [](auto x) { return gelu(x); }) == std::vector<double>{0, 1});
  CHECK(slope(far, [](auto x) { return gelu_tanh(x); }) == std::vector<double>{0, 1});
  const std::vector<double> none{0, 0};
  CHECK(second_slope(far, [](auto x) { return softplus(x); }) == none);
  CHECK(second_slope(far, [](auto x) { return log_sigmoid(x); }) == none);
  CHECK(second_slope(far, [](auto x) { return elu(x); }) == none);
  CHECK(second_slope(far, [](auto x) { return gelu(x); }) == none);
}

TEST_CASE("gelu and erf at known points") {
  CHECK(near(values_of(erf(row({.5, -1}))), {0.5204998778130465, -0.8427007929497149}, 1e-15));
  CHECK(near(values_of(gelu(row({1, -1}))), {0.8413447460685429, -0.15865525393145707}, 1e-15));
  CHECK(near(values_of(gelu_tanh(row({1}))), {0.8411919906082768}, 1e-14));
}

TEST_CASE("clamp: bounds, NaN, slope on the bounds") {
  const auto y = clamp(row({-2, -1, 0, 1, 2, not_a_number}), -1., 1.);
  CHECK(values_of(slice(y, {.axis = 0, .end = 5})) == std::vector<double>{-1, -1, 0, 1, 1});
  CHECK(std::isnan(y.value()(5)));
  CHECK(slope({-2, -1, 0, 1, 2}, [](auto x) { return clamp(x, -1., 1.); }) ==
        std::vector<double>{0, 1, 1, 1, 0});
  CHECK(refusal([] { (void)clamp(row({0}), 2., 1.); }) ==
        "[clamp] the bounds are in the wrong order: got 2 and 1");
}

TEST_CASE("comparisons and sign are constants") {
  Tape<double> tape;
  const auto x = tape.input(Tensor<double>({3}, {-1, 0, 2}), {.gradient = true});
  CHECK(values_of(greater_equal(x, 0.)) == std::vector<double>{0, 1, 1});
  CHECK(values_of(less_equal(x, 0.)) == std::vector<double>{1, 1, 0});
  CHECK(values_of(not_equal(x, 0.)) == std::vector<double>{1, 0, 1});
  CHECK(values_of(sign(x)) == std::vector<double>{-1, 0, 1});
  for (const auto& y : {greater_equal(x, 0.), less_equal(x, 0.), not_equal(x, 0.), sign(x)})
    CHECK(!y.has_gradient());
}

TEST_CASE("variance and standard deviation") {
  CHECK(var(constant(table)).item() == doctest::Approx(35. / 12));
  CHECK(near(values_of(stddev(constant(table), 1)), {std::sqrt(2. / 3), std::sqrt(2. / 3)}));
  CHECK(stddev(constant(table), 1, {.keep = true}).shape() == Shape{2, 1});
  const std::vector<double> zeros(3, 0.);
  CHECK(slope({2, 2, 2}, [](auto x) { return stddev(x); }) == zeros);
  CHECK(slope({2, 2, 2}, [](auto x) { return square(stddev(x)); }) == zeros);
  CHECK(second_slope({2, 2, 2}, [](auto x) { return stddev(x); }) == zeros);
}

TEST_CASE("norm: zero rows beside others, second order") {
  const Tensor<double> x({2, 2}, {0, 0, 3, 4});
  CHECK(values_of(norm(constant(x), 1)) == std::vector<double>{0, 5});
  CHECK(near(slope(x, [](auto v) { return norm(v, 1); }), {0, 0, .6, .8}));
  // (I - n n^T) / |x| times (1,1), n = (.6,.8)
  CHECK(near(second_slope({3, 4}, [](auto v) { return norm(v); }),
             {(1 - .6 * 1.4) / 5, (1 - .8 * 1.4) / 5}));
}

TEST_CASE("logsumexp: huge, -infinity, +infinity, NaN") {
  CHECK(logsumexp(row({1e308, 1e308})).item() == 1e308);
  CHECK(logsumexp(row({-1000, -1000})).item() == doctest::Approx(-1000 + std::log(2.)));
  CHECK(logsumexp(row({-inf, -inf})).item() == -inf);
  CHECK(logsumexp(row({-inf, 2})).item() == 2);
  CHECK(logsumexp(row({inf, 0})).item() == inf);
  CHECK(std::isnan(logsumexp(row({not_a_number, 0})).item()));
  CHECK(slope({-inf, -inf}, [](auto x) { return logsumexp(x); }) == std::vector<double>{0, 0});
  CHECK(slope({-inf, 2}, [](auto x) { return logsumexp(x); }) == std::vector<double>{0, 1});
  const Tensor<double> hidden({2, 2}, -inf);
  CHECK(slope(hidden, [](auto x) { return logsumexp(x); }) == std::vector<double>(4, 0.));
}

TEST_CASE("argmax, argmin: the first of equals, NaN first of all") {
  CHECK(argmax(row({1, 3, 3}), 0).item() == 1);
  CHECK(argmin(row({1, 3, 1}), 0).item() == 0);
  CHECK(argmax(row({1, not_a_number, 3, not_a_number}), 0).item() == 1);
  CHECK(argmin(row({1, not_a_number, -3}), 0).item() == 1);
  CHECK(values_of(argmax(constant(table), 0)) == std::vector<double>{1, 1, 1});
  CHECK(argmax(constant(table), -1, {.keep = true}).shape() == Shape{2, 1});
}

TEST_CASE("running sums") {
  CHECK(values_of(cumsum(constant(table), 1)) == std::vector<double>{1, 3, 6, 4, 9, 15});
  CHECK(values_of(cumsum(constant(table), 0)) == std::vector<double>{1, 2, 3, 5, 7, 9});
  CHECK(values_of(cumsum(constant(table), 1, {.reverse = true})) ==
        std::vector<double>{6, 5, 3, 15, 11, 6});
  // A float running sum of ones would stop at 2^24; the total is kept in double.
  const auto ones = constant(Tensor<float>({20'000'000}, 1.f));
  CHECK(cumsum(ones, 0).value()(-1) == 2e7f);
}

TEST_CASE("take, gather, scatter: repeated positions add up") {
  const auto x = constant(table);
  CHECK(values_of(take(x, {2, 0, 2, -3}, 1)) == std::vector<double>{3, 1, 3, 1, 6, 4, 6, 4});
  CHECK(take(x, {1}, 0).shape() == Shape{1, 3});
  CHECK(take(x, constant(Tensor<double>({}, {1})), 0).shape() == Shape{3});
  CHECK(take(x, constant(Tensor<double>({2, 2}, {0, 1, 1, 0})), 1).shape() == Shape{2, 2, 2});
  CHECK(slope({1, 2, 3}, [](auto v) {
          return take(v, {2, 0, 2}, 0);
        }) == std::vector<double>{1, 0, 2});
  const auto i = constant(Tensor<double>({2, 1}, {2, 0}));
  CHECK(values_of(gather(x, i, 1)) == std::vector<double>{3, 4});
  const auto back = scatter(x, constant(Tensor<double>({2, 3}, {1, 1, 0, 3, -1, 2})), 1, 4);
  CHECK(values_of(back) == std::vector<double>{3, 3, 0, 0, 0, 0, 6, 9});
  CHECK(values_of(one_hot(row({2, 0}), 3)) == std::vector<double>{0, 0, 1, 1, 0, 0});
}

TEST_CASE("take and its kin: what is refused") {
  const auto x = constant(table);
  CHECK(refusal([&] { (void)take(x, {3}, 1); }) ==
        "[take] index 3 is not a position on an axis of size 3");
  CHECK(refusal([&] { (void)take(x, {-4}, 1); }) ==
        "[take] index -4 is not a position on an axis of size 3");
  CHECK(refusal([&] { (void)take(x, row({.5}), 1); }) ==
        "[take] index 0.5 is not a position on an axis of size 3");
  CHECK(refusal([&] { (void)take(x, row({not_a_number}), 1); }) ==
        "[take] index nan is not a position on an axis of size 3");
  CHECK(refusal([&] { (void)gather(x, row({1}), 1); }) ==
        "[gather] the indices may differ from x on axis 1 only: got (1) for (2,3)");
  CHECK(refusal([&] { (void)scatter(x, row({1}), 1, 3); }) ==
        "[scatter] the indices must have the shape of x: got (1) and (2,3)");
  CHECK(refusal([&] { (void)one_hot(row({3}), 3); }) ==
        "[one_hot] 3 is not one of the 3 classes 0 to 2");
  CHECK(refusal([&] { (void)take(x, Var<double>(), 1); }) ==
        "[take] the indices are an empty Var: they have no value");
  CHECK(refusal([&] { (void)one_hot(Var<double>(), 3); }) ==
        "[one_hot] the indices are an empty Var: they have no value");
  CHECK(refusal([&] { (void)expand(Var<double>(), {2}); }) ==
        "[expand] the input is empty: it has no value");
}

TEST_CASE("slice: a step beyond the axis, however large") {
  constexpr Size most = std::numeric_limits<Size>::max();
  CHECK(values_of(slice(row({1, 2, 3}), {.axis = 0, .begin = 1, .step = most})) ==
        std::vector<double>{2});
  CHECK(values_of(index(row({1, 2, 3}), {range(to_end, to_end, -most)})) == std::vector<double>{3});
}

TEST_CASE("repeat, stack, split, pad, flip, squeeze") {
  const auto x = constant(table);
  CHECK(values_of(repeat(x, 2, 1)) == std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6});
  CHECK(values_of(repeat(x, 2, 0)) == std::vector<double>{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(stack(std::vector{x, x, x, x}, 1).shape() == Shape{2, 4, 3});
  CHECK(values_of(stack(std::vector{row({1, 2}), row({3, 4})}, -1)) ==
        std::vector<double>{1, 3, 2, 4});
  const auto parts = split(x, {2, 1}, 1);
  CHECK(values_of(parts[0]) == std::vector<double>{1, 2, 4, 5});
  CHECK(values_of(parts[1]) == std::vector<double>{3, 6});
  CHECK(split(x, 3, 1).size() == 3);
  CHECK(values_of(pad(row({1, 2}), {.axis = 0, .before = 1, .after = 2, .value = 7})) ==
        std::vector<double>{7, 1, 2, 7, 7});
  CHECK(values_of(flip(x)) == std::vector<double>{6, 5, 4, 3, 2, 1});
  CHECK(values_of(flip(x, 1)) == std::vector<double>{3, 2, 1, 6, 5, 4});
  CHECK(squeeze(reshape(x, {1, 2, 1, 3})).shape() == Shape{2, 3});
  CHECK(squeeze(reshape(x, {1, 2, 1, 3}), 0).shape() == Shape{2, 1, 3});
  CHECK(unsqueeze(x, -1).shape() == Shape{2, 3, 1});
  CHECK(unsqueeze(x, 0).shape() == Shape{1, 2, 3});
}

TEST_CASE("repeat and its kin: what is refused") {
  const auto x = constant(table);
  CHECK(refusal([&] { (void)repeat(x, -1, 0); }) == "[repeat] cannot repeat -1 times");
  CHECK(refusal([&] { (void)stack(std::vector<Var<double>>{}, 0); }) == "[stack] nothing to join");
  CHECK(refusal([&] {
          (void)stack(std::vector{x, row({1})}, 0);
        }) == "[stack] shapes differ: got (2,3) and (1)");
  CHECK(refusal([&] {
          (void)split(x, {1, 1}, 1);
        }) == "[split] the sizes add up to 2, axis 1 of (2,3) has 3");
  CHECK(refusal([&] {
          (void)split(x, {4, -1}, 1);
        }) == "[split] the sizes must not be negative, got -1");
  CHECK(refusal([&] { (void)split(x, 2, 1); }) ==
        "[split] axis 1 of (2,3) cannot be cut into 2 equal parts");
  CHECK(refusal([&] { (void)pad(x, {.axis = 0, .before = -1}); }) ==
        "[pad] cannot add -1 positions before and 0 after");
  CHECK(refusal([&] { (void)squeeze(x, 0); }) == "[squeeze] axis 0 of (2,3) has not size 1");
}

TEST_CASE("index reads as NumPy's brackets") {
  const auto x = constant(table);
  CHECK(index(x, {1, 2}).item() == 6);
  CHECK(values_of(index(x, {-1})) == std::vector<double>{4, 5, 6});
  CHECK(values_of(index(x, {every, 1})) == std::vector<double>{2, 5});
  CHECK(values_of(index(x, {rest, 0})) == std::vector<double>{1, 4});
  CHECK(values_of(index(x, {0, range(1)})) == std::vector<double>{2, 3});
  CHECK(values_of(index(x, {0, range(-2, -1)})) == std::vector<double>{2});
  CHECK(index(x, {new_axis, rest, new_axis}).shape() == Shape{1, 2, 3, 1});
  CHECK(index(x, {0, new_axis}).shape() == Shape{1, 3});
  CHECK(index(x, {}).shape() == Shape{2, 3});
  CHECK(index(x, {range(5)}).shape() == Shape{0, 3});
  const auto backwards = [](Size begin, Size end, Size step) {
    return values_of(index(row({0, 1, 2, 3, 4, 5}), {range(begin, end, step)}));
  };
  CHECK(backwards(to_end, to_end, -1) == std::vector<double>{5, 4, 3, 2, 1, 0});
  CHECK(backwards(4, 0, -2) == std::vector<double>{4, 2});
  CHECK(backwards(4, to_end, -2) == std::vector<double>{4, 2, 0});
  CHECK(backwards(100, 3, -1) == std::vector<double>{5, 4});
  CHECK(backwards(-2, -4, -1) == std::vector<double>{4, 3});
  CHECK(backwards(0, 3, -1).empty());
}

TEST_CASE("index: what is refused") {
  const auto x = constant(table);
  CHECK(refusal([&] { (void)index(x, {2}); }) ==
        "[index] position 2 is out of range on an axis of size 2 of the shape (2,3)");
  CHECK(refusal([&] { (void)index(x, {0, 0, 0}); }) == "[index] got 3 indices for the shape (2,3)");
  CHECK(refusal([&] {
          (void)index(x, {rest, rest});
        }) == "[index] `rest` may stand once, got it 2 times");
  CHECK(refusal([&] { (void)index(x, {range(0, 2, 0)}); }) ==
        "[index] the step of a range cannot be 0");
}

TEST_CASE("masked softmax: masks broadcast, hidden elements may hold anything") {
  const auto x = constant(Tensor<double>({2, 3}, {1, not_a_number, 3, 0, inf, 0}));
  const auto y = softmax(x, 1, row({1, 0, 1}));
  CHECK(near(values_of(y), {1 / (1 + std::exp(2.)), 0, 1 / (1 + std::exp(-2.)), .5, 0, .5}));
  const auto down = softmax(constant(table), 0, constant(Tensor<double>({2, 1}, {1, 0})));
  CHECK(values_of(down) == std::vector<double>{1, 1, 1, 0, 0, 0});
  CHECK(slope(Tensor<double>({3}, {1, inf, 3}), [](auto v) {
          return square(softmax(v, 0, row({1, 0, 1})));
        })[1] == 0);
  CHECK(refusal([] {
          (void)softmax(row({1, 2}), 0, row({1, 2, 3}));
        }) == "[softmax] the mask (3) does not broadcast to (2)");
}

TEST_CASE("log_softmax: exact for huge logits, -infinity beside numbers") {
  CHECK(near(values_of(log_softmax(row({1e8, 1e8}), 0)), {-std::log(2.), -std::log(2.)}));
  const auto y = log_softmax(row({-inf, 1, 1}), 0);
  CHECK(y.value()(0) == -inf);
  CHECK(y.value()(1) == doctest::Approx(-std::log(2.)));
  CHECK(near(slope({0, 1, 2}, [](auto x) { return index(log_softmax(x, 0), {0}); }),
             {1 - 0.09003057317038, -0.24472847105479, -0.66524095577482}));
}

TEST_CASE("layer_norm: closed form, shapes of gamma and beta") {
  const auto y = layer_norm(constant(table), row({1, 1, 2}), row({0, 0, 1}), {.epsilon = 0});
  const double r = std::sqrt(1.5);
  CHECK(near(values_of(y), {-r, 0, 2 * r + 1, -r, 0, 2 * r + 1}));
  // A constant row: 0 by epsilon.
  CHECK(values_of(layer_norm(row({2, 2}), row({1, 1}), row({0, 0}))) == std::vector<double>{0, 0});
  // Axes that are not the last take the composed path: the same numbers.
  const auto x = constant(Tensor<double>({3, 2}, {1, 4, 2, 5, 3, 6}));
  const auto across = layer_norm(x, row({1, 1, 2}), row({0, 0, 1}), {.axes = 0, .epsilon = 0});
  CHECK(near(values_of(swap_axes(across, 0, 1)), values_of(y)));
  CHECK(refusal([] {
          (void)layer_norm(constant(table), row({1, 2}), row({1, 2}));
        }) ==
        "[layer_norm] gamma and beta must have the shape (3) of the normalised axes of (2,3): got "
        "(2) and (2)");
}

TEST_CASE("huber: quadratic inside delta, linear outside") {
  const auto p = row({0, .5, 3, -3}), t = row({0, 0, 0, 0});
  CHECK(values_of(huber(p, t, {.reduction = Reduction::none})) ==
        std::vector<double>{0, .125, 2.5, 2.5});
  CHECK(huber(p, t, {.reduction = Reduction::sum, .delta = 2}).item() == .125 + 4 + 4);
  CHECK(slope({.5, 3, -3}, [](auto x) {
          return huber(x, row({0, 0, 0}), {.reduction = Reduction::sum});
        }) == std::vector<double>{.5, 1, -1});
  CHECK(refusal([&] { (void)huber(p, t, {.delta = 0}); }) ==
        "[huber] delta must be positive, got 0");
  CHECK(refusal([&] { (void)huber(p, row({0})); }) ==
        "[huber] prediction and target differ in shape: got (4) and (1)");
}

TEST_CASE("categorical cross-entropy: probabilities are divided by their sum, clipped") {
  const auto p = constant(Tensor<double>({2, 2}, {1, 3, 0, 1}));
  const auto t = constant(Tensor<double>({2, 2}, {0, 1, 1, 0}));
  const auto y = categorical_crossentropy(p, t, {.reduction = Reduction::none});
  CHECK(near(values_of(y), {-std::log(.75), -std::log(1e-7)}));
  CHECK(values_of(sparse_categorical_crossentropy(p, row({1, 0}),
                                                  {.reduction = Reduction::none})) == values_of(y));
}

TEST_CASE("categorical cross-entropy from logits: soft targets, -infinity, class axis") {
  const auto x = constant(Tensor<double>({1, 3}, {0, 1, -inf}));
  const auto t = constant(Tensor<double>({1, 3}, {.25, .75, 0}));
  const double total = std::log(1 + std::exp(1.));
  CHECK(categorical_crossentropy_from_logits(x, t).item() == doctest::Approx(total - .75));
  const double q = 1 / (1 + std::exp(1.));
  CHECK(near(slope(x.value(), [&](auto v) { return categorical_crossentropy_from_logits(v, t); }),
             {q - .25, 1 - q - .75, 0}));
  const auto wide = constant(Tensor<double>({1, 2, 2}, {0, 5, 1, 5}));
  const auto classes = constant(Tensor<double>({1, 2}, {1, 0}));
  const auto y = sparse_categorical_crossentropy_from_logits(
      wide, classes, {.reduction = Reduction::none, .axis = 1});
  CHECK(near(values_of(y), {total - 1, std::log(2.)}));
  CHECK(refusal([&] { (void)sparse_categorical_crossentropy(wide, classes); }) == "");
  CHECK(refusal([&] { (void)sparse_categorical_crossentropy(wide, row({1})); }) ==
        "[sparse_categorical_crossentropy] classes of the shape (1) do not fit (1,2,2) with "
        "classes on axis 2");
  CHECK(refusal([&] { (void)categorical_crossentropy_from_logits(x, row({1})); }) ==
        "[categorical_crossentropy_from_logits] prediction and target differ in shape: got (1,3) "
        "and (1)");
}

TEST_CASE("targets outside their range are refused, with number and place") {
  const auto p = constant(Tensor<double>{{.25, .75}, {.5, .5}});
  const auto text = [](const char* loss, const char* rest) {
    return "[" + std::string(loss) + "] " + rest;
  };
  const auto bad = [](double v) { return constant(Tensor<double>({2, 2}, {0, 1, v, .5})); };
  const char* range = "a target must lie in [0, 1], got 2 as number 2 of (2,2)";
  CHECK(refusal([&] { (void)binary_crossentropy(p, bad(2)); }) ==
        text("binary_crossentropy", range));
  CHECK(refusal([&] { (void)binary_crossentropy_from_logits(p, bad(2)); }) ==
        text("binary_crossentropy_from_logits", range));
  CHECK(refusal([&] { (void)categorical_crossentropy(p, bad(2)); }) ==
        text("categorical_crossentropy", range));
  CHECK(refusal([&] { (void)categorical_crossentropy_from_logits(p, bad(2)); }) ==
        text("categorical_crossentropy_from_logits", range));
  CHECK(refusal([&] { (void)binary_crossentropy(p, bad(-.5)); }) ==
        text("binary_crossentropy", "a target must lie in [0, 1], got -0.5 as number 2 of (2,2)"));
  CHECK(refusal([&] { (void)binary_crossentropy(p, bad(std::nan(""))); }) ==
        text("binary_crossentropy", "a target must lie in [0, 1], got nan as number 2 of (2,2)"));
  for (const double v : {2., -1., .5}) {
    const auto wrong = row({1, v});
    const std::string rest = "target number 1 of (2) is " +
                             std::string(v == 2  ? "2"
                                         : v < 0 ? "-1"
                                                 : "0.5") +
                             ", not one of the 2 classes 0 to 1";
    CHECK(refusal([&] { (void)sparse_categorical_crossentropy(p, wrong); }) ==
          text("sparse_categorical_crossentropy", rest.c_str()));
    CHECK(refusal([&] { (void)sparse_categorical_crossentropy_from_logits(p, wrong); }) ==
          text("sparse_categorical_crossentropy_from_logits", rest.c_str()));
  }
  // The borders are inside, and so is all between; a target on a tape may be moved over them.
  CHECK(refusal([&] { (void)binary_crossentropy(p, bad(1)); }) == "");
  Tape<double> tape;
  CHECK(refusal([&] { (void)binary_crossentropy(p, tape.input(bad(1.01).value())); }) == "");
  for (const double delta : {0., -1.})
    CHECK(refusal([&] { (void)huber(p, p, {.delta = delta}); }) ==
          text("huber",
               delta == 0 ? "delta must be positive, got 0" : "delta must be positive, got -1"));
}
