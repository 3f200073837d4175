// which_axis() on functions whose dependence is known: what it must see, and what must not fool it.
#include <sstream>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/explain/which_axis.hpp>

#include "explained.hpp"

namespace ag = axisgrad;
using ag::Influence;
using ag::Pattern;
using ag::Shape;
using ag::Tensor;
using ag::Var;

namespace {

using V = Var<double>;

V step(const V& x, ag::Size t) { return ag::slice(x, {.axis = 1, .begin = t, .end = t + 1}); }

std::string error_of(const auto& f, const ag::WhichAxisOptions& options = {}) {
  try {
    (void)ag::which_axis(f, explained::input({2, 5, 4}), options);
  } catch (const ag::Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("which_axis: the patterns of single ops") {
  const auto x = explained::input({2, 5, 4});
  const auto itself = ag::which_axis([](const V& v) { return ag::tanh(v); }, x);
  CHECK(itself.time.pattern == Pattern::own);
  CHECK(itself.feature.pattern == Pattern::own);
  CHECK(itself.sees_later == false);
  CHECK(itself.crosses == false);
  CHECK(itself.mixes_samples == false);
  CHECK(itself.weights.empty());
  CHECK(itself.sentence() ==
        "(2,5,4) -> (2,5,4): it mixes nothing: each value depends on itself alone; samples stay "
        "apart.");

  const auto softmax = ag::which_axis([](const V& v) { return ag::softmax(v, 1); }, x);
  CHECK(softmax.time.pattern == Pattern::mixed);
  CHECK(softmax.feature.pattern == Pattern::own);
  CHECK(softmax.sees_later == true);
  CHECK(softmax.sentence() ==
        "(2,5,4) -> (2,5,4): it mixes time steps and keeps each feature apart; steps see later "
        "ones (step 0 sees step 4); samples stay apart.");

  const auto past = ag::which_axis([](const V& v) { return ag::cumsum(v, 1); }, x);
  CHECK(past.time.pattern == Pattern::mixed);
  CHECK(past.sees_later == false);
  CHECK(past.time.depends(3, 1));
  CHECK(!past.time.depends(1, 3));
  CHECK(past.pictures() ==
        "  output steps by input steps    output features by input features\n"
        "     0 #....                        0 #...\n"
        "     1 ##...                        1 .#..\n"
        "     2 ###..                        2 ..#.\n"
        "     3 ####.                        3 ...#\n"
        "     4 #####\n");

  const auto flipped = ag::which_axis([](const V& v) { return ag::flip(v, 1); }, x);
  CHECK(flipped.time.pattern == Pattern::moved);
  CHECK(flipped.time.depends(1, 3));
  CHECK(flipped.sees_later == true);
  CHECK(flipped.sentence() ==
        "(2,5,4) -> (2,5,4): it moves time steps and keeps each feature apart; steps see later "
        "ones (step 0 sees step 4); samples stay apart.");

  const auto constant =
      ag::which_axis([](const V& v) { return ag::constant(Tensor<double>(v.shape(), 3.)); }, x);
  CHECK(constant.time.pattern == Pattern::none);
  CHECK(constant.sentence() == "(2,5,4) -> (2,5,4): it does not depend on x; samples stay apart.");
}

TEST_CASE("which_axis: outputs of other ranks") {
  const auto x = explained::input({3, 5, 4});
  const auto last = ag::which_axis([](const V& v) { return ag::reshape(step(v, 4), {3, 4}); }, x);
  CHECK(last.time.outputs == 1);
  CHECK(last.time.pattern == Pattern::moved);
  CHECK(last.feature.pattern == Pattern::own);
  CHECK(!last.sees_later);
  CHECK(last.sentence() ==
        "(3,5,4) -> (3,4): it takes one time step and keeps each feature apart; nothing depends "
        "on time steps 0, 1, 2, 3; samples stay apart.");
  const auto means = ag::which_axis([](const V& v) { return ag::mean(v, 1); }, x);
  CHECK(means.time.pattern == Pattern::mixed);
  CHECK(means.feature.pattern == Pattern::own);
  const auto by_step = ag::which_axis([](const V& v) { return ag::mean(v, 2); }, x,
                                      {.output_time = 1, .output_feature = 1});
  CHECK(by_step.time.pattern == Pattern::own);
  CHECK(by_step.feature.pattern == Pattern::mixed);
  // One number for each sample, one for the batch.
  const auto one = ag::which_axis([](const V& v) { return ag::mean(v, {1, 2}); }, x);
  CHECK(one.time.pattern == Pattern::mixed);
  CHECK(one.feature.pattern == Pattern::mixed);
  CHECK(one.mixes_samples == false);
  const auto all = ag::which_axis([](const V& v) { return ag::mean(v); }, x);
  CHECK(all.mixes_samples == true);
  // Transposed: the axes have to be named.
  const auto transposed = ag::which_axis([](const V& v) { return ag::swap_axes(v, 1, 2); }, x,
                                         {.output_time = 2, .output_feature = 1});
  CHECK(transposed.time.pattern == Pattern::own);
  CHECK(transposed.feature.pattern == Pattern::own);
  // A longer horizon than window, rank 4 in and out.
  const auto twice = ag::which_axis([](const V& v) { return ag::concat(std::vector{v, v}, 1); }, x);
  CHECK(!twice.time.paired);
  CHECK(twice.time.outputs == 10);
  CHECK(twice.time.pattern == Pattern::moved);
  CHECK(!twice.sees_later);
  const auto rank_4 =
      ag::which_axis([](const V& v) { return ag::softmax(v, 3); }, explained::input({2, 3, 2, 3}));
  CHECK(rank_4.time.pattern == Pattern::own);
  CHECK(rank_4.feature.pattern == Pattern::own);
}

TEST_CASE("which_axis: what is hidden at one point shows at another") {
  auto x = explained::input({2, 5, 4});
  // The product of two steps, one of which is 0 here; a relu that is dead here; two paths that
  // cancel where both steps are equal.
  double* v = x.mutable_data();
  for (ag::Size b = 0; b < 2; ++b)
    for (ag::Size f = 0; f < 4; ++f) v[(b * 5 + 0) * 4 + f] = 0, v[(b * 5 + 1) * 4 + f] = -1;
  const auto product = [](const V& x) { return x * step(x, 0); };
  const auto dead = [](const V& x) { return x + ag::relu(step(x, 1)); };
  const auto cancels = [](const V& x) {
    return x + ag::square(step(x, 0)) - 0. * x;  // derivative 2 x_0, which is 0 here
  };
  CHECK(ag::which_axis(product, x).time.depends(3, 0));
  CHECK(ag::which_axis(dead, x).time.depends(3, 1));
  CHECK(ag::which_axis(cancels, x).time.depends(3, 0));
  CHECK(ag::which_axis(cancels, x).time.at(3, 0) == Influence::derivative);
}

TEST_CASE("which_axis: tiny is not zero, and rounding is not tiny") {
  const auto x = explained::input({2, 5, 4});
  const auto tiny = ag::which_axis([](const V& v) { return v + 1e-9 * step(v, 4); }, x);
  CHECK(tiny.time.depends(0, 4));
  CHECK(tiny.sees_later == true);
  CHECK(tiny.time.weak() == 4);
  CHECK(tiny.sentence().ends_with(
      "Where + stands the dependence is below 1e-6 of the strongest in its row."));
  CHECK(tiny.pictures().find("0 #...+") != std::string::npos);
  // The sum of a softmax is 1, whatever its input; what is computed differs in the last place.
  const auto ones = ag::which_axis(
      [](const V& v) { return v * ag::sum(ag::softmax(3. * v, 1), 1, {.keep = true}); }, x);
  CHECK(ones.time.pattern == Pattern::own);
  CHECK(ones.time.weak() == 0);
  const auto only_ones =
      ag::which_axis([](const V& v) { return ag::sum(ag::softmax(3. * v, 1), 1); }, x);
  CHECK(only_ones.time.pattern == Pattern::none);
  // Rows of very different size are each judged by their own.
  const auto scaled = ag::which_axis(
      [](const V& v) {
        const Tensor<double> by(Shape{5, 1}, {1e15, 1, 1, 1, 1e-15});
        return ag::softmax(v, 2) * ag::constant(by);
      },
      x);
  CHECK(scaled.time.pattern == Pattern::own);
  CHECK(scaled.time.depends(4, 4));
  CHECK(scaled.feature.pattern == Pattern::mixed);
}

TEST_CASE("which_axis: what passes no derivative is seen by its jumps") {
  const auto x = explained::input({2, 5, 4});
  const auto masked = ag::which_axis(
      [](const V& v) {
        const V mask = ag::greater(step(v, 4), V(0.));
        return v * mask;
      },
      x);
  CHECK(masked.time.at(0, 4) == Influence::jump);
  CHECK(masked.time.at(0, 0) == Influence::derivative);
  CHECK(masked.sees_later == true);
  CHECK(masked.time.jumps() == 4);
  CHECK(
      masked.sentence().ends_with(" Where ! stands the value changes but no derivative tells: a "
                                  "comparison, rounding, or stop_gradient."));
  const auto stopped = ag::which_axis(
      [](const V& v) { return v + ag::stop_gradient(ag::mean(v, 2, {.keep = true})); }, x);
  CHECK(stopped.feature.pattern == Pattern::mixed);
  CHECK(stopped.feature.at(1, 0) == Influence::jump);
}

TEST_CASE("which_axis: samples of the batch") {
  const auto centred = [](const V& v) { return v - ag::mean(v, 0); };
  CHECK(ag::which_axis(centred, explained::input({3, 5, 4})).mixes_samples == true);
  CHECK(ag::which_axis(centred, explained::input({3, 5, 4})).sentence() ==
        "(3,5,4) -> (3,5,4): it mixes nothing: each value depends on itself alone; SAMPLES OF THE "
        "BATCH ARE MIXED.");
  const auto one = ag::which_axis(centred, explained::input({1, 5, 4}));
  CHECK(!one.mixes_samples);
  CHECK(one.sentence().find("with one sample it cannot be seen whether samples are mixed") !=
        std::string::npos);
  // Only through a comparison.
  const auto rank = [](const V& v) { return v * ag::greater(v, ag::mean(v, 0)); };
  CHECK(ag::which_axis(rank, explained::input({3, 5, 4})).mixes_samples == true);
  CHECK(ag::which_axis(centred, explained::input({40, 3, 2})).mixes_samples == true);
}

TEST_CASE("which_axis: what weights sum to 1 along") {
  const auto x = explained::input({2, 5, 4});
  const auto with = [&](const auto& weights, const Tensor<double>& input) {
    return ag::which_axis(
        [&](const V& v) {
          return ag::Attended<double>{v, weights(v), {}};
        },
        input);
  };
  const auto over = [](int axis) { return [axis](const V& v) { return ag::softmax(v, axis); }; };
  CHECK(with(over(1), x).weights.at(0).axes == std::vector{1});
  CHECK(
      with(over(1), x)
          .sentence()
          .ends_with("Its weights (2,5,4) sum to 1 along axis 1, of 5 positions: the time steps."));
  CHECK(with(over(2), x)
            .sentence()
            .ends_with("Its weights (2,5,4) sum to 1 along axis 2, of 4 positions: the features."));
  const auto joint = [](const V& v) {
    return ag::reshape(ag::softmax(ag::reshape(v, {2, 20}), 1), {2, 5, 4});
  };
  CHECK(
      with(joint, x).sentence().ends_with("Its weights (2,5,4) sum to 1 along axes 1 and 2, of "
                                          "20 positions: all time steps of all features."));
  CHECK(with([](const V& v) { return ag::sigmoid(v); }, x)
            .sentence()
            .ends_with("Its weights (2,5,4) sum to 1 along no axis."));
  const auto heads = [](const V& v) {
    return ag::softmax(ag::reshape(ag::slice(v, {.axis = 1, .begin = 0, .end = 3}), {2, 2, 2, 3}),
                       3);
  };
  CHECK(
      with(heads, x).sentence().ends_with("Its weights (2,2,2,3) sum to 1 along axis 3, of 3 "
                                          "positions: neither the 5 time steps nor the 4 "
                                          "features."));
  const auto pair = ag::which_axis([](const V& v) { return std::pair(v, ag::softmax(v, 1)); }, x);
  CHECK(pair.time.pattern == ag::Pattern::own);
  CHECK(pair.weights.at(0).axes == std::vector{1});
  const auto tuple = ag::which_axis([](const V& v) { return std::tuple(ag::cumsum(v, 1)); }, x);
  CHECK(tuple.time.pattern == ag::Pattern::mixed);
  CHECK(tuple.weights.empty());
  // A single position, a square input, rows with nothing to attend to.
  const auto trivial = [](const V& v) { return ag::softmax(ag::mean(v, 2, {.keep = true}), 2); };
  CHECK(with(trivial, x)
            .sentence()
            .ends_with("Its weights (2,5,1) sum to 1 along axis 2, of 1 position: every weight is "
                       "1, and nothing "
                       "is attended to."));
  CHECK(
      with(over(1), explained::input({2, 3, 3}))
          .sentence()
          .find(
              "of 3 positions: as many as there are time steps, and features; another x would tell "
              "which. There are as many time steps as features: a mix-up of the two axes fits "
              "without an error; try sizes that differ.") != std::string::npos);
  const auto empty = [](const V& v) {
    Tensor<double> mask({2, 5, 1}, 1.);
    mask.set({1, 2, 0}, 0), mask.set({1, 3, 0}, 0);
    return ag::softmax(v, 2) * ag::constant(mask);
  };
  CHECK(with(empty, x).weights.at(0).empty_rows == 2);
  CHECK(with(empty, x).sentence().ends_with("2 rows have nothing to attend to."));
}

TEST_CASE("which_axis: product, one after the other, and what is far away") {
  const auto x = explained::input({2, 5, 4});
  const auto product = [](const V& v) { return v * ag::softmax(v, 1) * ag::softmax(v, 2); };
  const auto serial = [](const V& v) {
    const V y = v * ag::softmax(v, 1);
    return y * ag::softmax(y, 2);
  };
  CHECK(ag::which_axis(product, x).crosses == false);
  CHECK(ag::which_axis(product, x)
            .sentence()
            .find("it mixes both time steps and features, but a value sees only its own step and "
                  "its own "
                  "feature;") != std::string::npos);
  CHECK(ag::which_axis(serial, x).crosses == true);
  CHECK(ag::which_axis(serial, x).sentence().find(
            "it mixes both time steps and features, also other steps of other features;") !=
        std::string::npos);
  // Long axes are shown in blocks.
  const auto wide =
      ag::which_axis([](const V& v) { return ag::cumsum(v, 1); }, explained::input({1, 70, 2}));
  const std::string text = wide.pictures();
  CHECK(text.substr(0, text.find("#")).ends_with("\n     0 "));
  CHECK(std::count(text.begin(), text.end(), '\n') == 25);
}

TEST_CASE("which_axis: one step or one feature cannot be mixed") {
  const auto narrow =
      ag::which_axis([](const V& v) { return ag::softmax(v, 1); }, explained::input({2, 5, 1}));
  CHECK(narrow.sentence().ends_with(
      "There is only one feature: whether features are mixed cannot be seen."));
}

TEST_CASE("which_axis: the same answer each time, printed as a sentence and pictures") {
  const auto x = explained::input({2, 5, 4});
  const auto f = [](const V& v) { return ag::softmax(v, 1); };
  const auto a = ag::which_axis(f, x), b = ag::which_axis(f, x);
  CHECK(same_bits(a.time.strength, b.time.strength));
  std::ostringstream text;
  text << a;
  CHECK(text.str() == a.sentence() + "\n" + a.pictures());
  // A constant input, 0 or not.
  for (const double fill : {0., .1, 1e6})
    CHECK(ag::which_axis(f, Tensor<double>({2, 7, 4}, fill)).time.pattern == Pattern::mixed);
  // In float it is the same function, computed in double.
  CHECK(ag::which_axis(f, Tensor<float>(x)).time.pattern == Pattern::mixed);
}

TEST_CASE("which_axis: what it cannot probe is refused") {
  const auto f = [](const V& v) { return v; };
  CHECK(error_of(f, {.points = 0}) ==
        "[which_axis] .points must be at least 1 and .spread above 0, got 0 and 1");
  CHECK(error_of(f, {.time = 2}) ==
        "[which_axis] time and feature are two axes of x behind the batch, got 2 and 2");
  CHECK(
      error_of([](const V& v) { return ag::sqrt(v - 1e3); }).starts_with("[which_axis] f(x) of "));
  const std::string far = error_of([](const V& v) { return ag::sqrt(v + 10.); }, {.spread = 100});
  CHECK(far.starts_with("[which_axis] f gives "));
  CHECK(far.ends_with(" of x: a smaller .spread may help"));
  int calls = 0;
  CHECK(error_of([&calls](const V& v) { return v * double(++calls); }) ==
        "[which_axis] f gives different values for the same x: fix what is random in it");
  CHECK(error_of([](const V&) { return V(Tensor<double>()); }) == "[which_axis] f gave no value");
  const double first = explained::input({2, 5, 4})(0, 0, 0);
  CHECK(error_of([&](const V& v) {
          const ag::Size steps = v.value()(0, 0, 0) == first ? 5 : 3;
          return ag::slice(v, {.axis = 1, .begin = 0, .end = steps});
        }) == "[which_axis] the shape of f(x) depends on the values of x: got (2,5,4) and (2,3,4)");
  CHECK_THROWS_WITH((void)ag::which_axis(f, Tensor<double>({5, 4}, 1.)),
                    "[which_axis] expects x (batch, time, feature), got (5,4)");
  CHECK_THROWS_WITH((void)ag::which_axis(f, Tensor<double>(Shape{0, 5, 4})),
                    "[which_axis] x has no elements: (0,5,4)");
}
