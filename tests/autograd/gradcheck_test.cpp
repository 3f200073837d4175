// The checker checked: wrong gradients, planted the way a user would write an op, must be caught;
// right ones must never fail.
#include <cmath>
#include <random>
#include <sstream>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/dense.hpp>

#include "planted.hpp"

using namespace planted;

TEST_CASE("full mode catches every planted gradient") {
  for (const Planted& wrong : planted::all()) {
    const auto report = wrong.check({});
    INFO(wrong.what << "\n" << text(report));
    CHECK_FALSE(report);
  }
}

TEST_CASE("fast mode catches those that one projection can see, and says what it cannot") {
  for (const Planted& wrong : planted::all()) {
    const auto report = wrong.check({.fast_mode = true});
    INFO(wrong.what << "\n" << text(report));
    if (wrong.for_fast_mode) CHECK_FALSE(report);
    if (report.failures.empty() && !report.hidden) CHECK(says(report, "in a single element"));
  }
  // The tiny one beside a large one does pass, with the size of what hides it in the report.
  const auto report = planted::all()[12].check({.fast_mode = true});
  CHECK(report);
  CHECK(says(report, "cannot be seen"));
}

TEST_CASE("two-point differences with PyTorch's tolerances let four of the first twelve pass") {
  std::string passed;
  const auto all = planted::all();
  for (std::size_t k = 0; k < 12; ++k)
    if (all[k].check({.mode = ag::GradcheckMode::two_point})) passed += std::to_string(k) + " ";
  MESSAGE("passed: ", passed);
  CHECK(passed == "0 8 10 11 ");
}

TEST_CASE("a failing report tells where, and both values") {
  const auto report =
      ag::gradcheck([](auto x) { return one_element_op::apply(x, 7, -1); }, normal({3, 4}));
  REQUIRE(report.rows.size() == 1);
  const auto& row = report.rows[0];
  CHECK(row.verdict == ag::GradcheckVerdict::failed);
  CHECK(row.worst_index == std::vector<Size>{1, 3});
  CHECK(row.analytic == doctest::Approx(-row.numeric));
  CHECK(row.max_rel_error == doctest::Approx(2));
  CHECK(row.wrong == 3);  // once at each point
  CHECK(says(report, "input 0 is WRONG at (1,3): the gradient is "));
  CHECK(says(report, "differences give "));
  CHECK_THROWS_AS((void)ag::gradcheck([](auto x) { return one_element_op::apply(x, 7, -1); },
                                      normal({3, 4}), GradcheckOptions{.raise_exception = true}),
                  ag::GradcheckError);
}

TEST_CASE("a gradient of the wrong shape is a failure that names the op") {
  const auto report = planted::all()[5].check({});
  CHECK(says(report, "[add_row] the gradient has the shape (3,4), its input has (4)"));
}

TEST_CASE("a loss that hides the rule is reported as such, right or wrong") {
  for (const auto& report :
       {planted::all()[10].check({}),
        ag::gradcheck([](auto x) { return ag::sum(ag::softmax(x, 1)); }, normal({3, 4}))}) {
    CHECK_FALSE(report);
    CHECK(report.hidden);
    CHECK(report.rows[0].wrong == 0);
    CHECK(says(report, "this loss hides what the rules do"));
  }
}

TEST_CASE("right gradients pass") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const GradcheckOptions options{.seed = seed};
    const Tensor x = normal({3, 4}, seed), y = normal({3, 4}, seed + 100), w = normal({4, 2}, seed);
    for (const bool fast : {false, true}) {
      GradcheckOptions o = options;
      o.fast_mode = fast;
      for (const auto& report : {
               ag::gradcheck([](auto a, auto b) { return ag::tanh(a * b) + ag::exp(a - b); }, x, y,
                             o),
               ag::gradcheck([](auto a, auto b) { return ag::softmax(ag::matmul(a, b), 0); }, x, w,
                             o),
               ag::gradcheck([](auto a) { return ag::log(a) * ag::sqrt(a); }, positive({5}, seed),
                             o),
               ag::gradcheck(
                   [](auto a) { return ag::relu(a) + ag::abs(a) * ag::max(a, 1, {.keep = true}); },
                   x, o),
               ag::gradcheck(
                   [](auto a, auto b) {
                     return ag::binary_crossentropy_from_logits(a, ag::sigmoid(b));
                   },
                   x, y, o),
               ag::gradcheck([](auto a, auto b) { return a / b; }, x, y, o),
           }) {
        INFO(seed << "\n" << text(report));
        CHECK(report);
        CHECK(report.max_rel_error() <= 1e-6);
      }
    }
  }
}

TEST_CASE("right gradients pass at tiny and huge values") {
  for (const double scale : {1e-8, 1e8})
    for (unsigned seed = 1; seed <= 10; ++seed) {
      const Tensor x = normal({3, 4}, seed, scale), y = normal({3, 4}, seed + 100, scale);
      Tensor p = positive({3, 4}, seed);
      for (double* v = p.mutable_data(); v != p.data() + p.size(); ++v) *v *= scale;
      for (const auto& report : {
               ag::gradcheck([](auto a) { return ag::tanh(a); }, x),
               ag::gradcheck([](auto a) { return ag::sigmoid(a) * 3. + 1.; }, x),
               ag::gradcheck([](auto a) { return ag::square(a); }, x),
               ag::gradcheck([](auto a) { return ag::relu(a); }, x),
               ag::gradcheck([](auto a) { return ag::abs(a); }, x),
               ag::gradcheck([](auto a) { return ag::softmax(a, 1); }, x),
               ag::gradcheck([](auto a) { return ag::log(a) + ag::sqrt(a); }, p),
               ag::gradcheck([](auto a, auto b) { return a * b + a; }, x, y),
               ag::gradcheck([](auto a, auto b) { return a / b; }, x, p),
               ag::gradcheck([](auto a, auto b) { return ag::mse(a, b); }, x, y),
               ag::gradcheck([](auto a) { return ag::square(a - ag::mean(a, 1, {.keep = true})); },
                             x),
               ag::gradcheck(
                   [](auto a, auto b) {
                     return ag::binary_crossentropy_from_logits(a, ag::sigmoid(b));
                   },
                   x, y),
               ag::gradcheck([](auto a) { return ag::max(a, 1); }, x),
               ag::gradcheck([](auto a) { return 1. + a * 1e-3; }, x),
           }) {
        INFO(scale << " " << seed << "\n" << text(report));
        CHECK(report);
      }
    }
}

TEST_CASE("kinks are told, near or exactly there, and do not hide wrong gradients") {
  for (const double x : {0., 1e-3, -1e-5, 1e-8, -1e-10, 1e-13}) {
    const auto report = ag::gradcheck([](auto a) { return ag::relu(a) + 2. * ag::abs(a); },
                                      Tensor({3}, {x, 1., -2.}));
    INFO(x << "\n" << text(report));
    CHECK(report);
  }
  const auto at_zero = ag::gradcheck([](auto a) { return ag::abs(a); }, Tensor({2}, {0., 1.}));
  CHECK(at_zero);
  CHECK(at_zero.rows[0].kinks >= 1);
  CHECK(says(at_zero, "on a kink"));
  CHECK(says(ag::gradcheck([](auto a) { return ag::max(a, 0); }, Tensor({3}, {1., 1., 0.})),
             "on a kink"));
  CHECK_FALSE(
      ag::gradcheck([](auto a) { return ag::pointwise<leaky_op>(a); }, Tensor({2}, {0., 0.})));
}

TEST_CASE("other points can be left out") {
  const auto f = [](auto x) { return ag::pointwise<leaky_op>(x); };
  CHECK_FALSE(ag::gradcheck(f, positive({3})));
  CHECK(ag::gradcheck(f, positive({3}), GradcheckOptions{.other_points = false}));
}

TEST_CASE("no elements, no failure") {
  const auto report = ag::gradcheck([](auto a) { return ag::sum(a * 2., 1); }, Tensor(Shape{0, 4}));
  CHECK(report);
  CHECK(says(report, "has no elements"));
  CHECK(report.rows[0].verdict == ag::GradcheckVerdict::not_checked);
  CHECK(ag::gradcheck([](auto a, auto b) { return ag::sum(a, 0) + b; }, Tensor(Shape{0, 4}),
                      normal({4})));
}

TEST_CASE("modules are checked as they stand, in double, parameter by parameter") {
  ag::Dense<float> dense(4, 3, {.activation = ag::Activation::tanh});
  auto list = ag::parameters(dense);
  ag::initialise(list, 3);
  const auto before = dense.kernel.value();
  const auto report = ag::gradcheck(dense, normal({2, 4}));
  INFO(text(report));
  CHECK(report);
  REQUIRE(report.rows.size() == 3);
  CHECK(report.rows[1].name == "kernel");
  CHECK(report.rows[2].name == "bias");
  CHECK(report.max_rel_error() < 1e-8);
  CHECK(ag::same_bits(before, dense.kernel.value()));
  CHECK(dense.kernel.grad().empty());
  CHECK(ag::gradgradcheck(dense, normal({2, 4})));

  dense.kernel.set_trainable(false);
  const auto frozen = ag::gradcheck(dense, normal({2, 4}));
  CHECK(frozen);
  CHECK(says(frozen, "kernel: frozen, so not checked"));

  ag::TimeAttentionBlock<float> block(5);
  auto parameters = ag::parameters(block);
  ag::initialise(parameters, 3);
  const auto parts =
      ag::gradcheck([&](auto x) { return block.with_weights(x); }, normal({2, 5, 3}));
  INFO(text(parts));
  CHECK(parts);
  CHECK(ag::gradgradcheck(block, normal({2, 5, 3})));
}

TEST_CASE("inputs and outputs of many kinds") {
  CHECK(ag::gradcheck([](auto x) { return ag::square(x); }, 3.));
  CHECK(
      ag::gradcheck([](auto x) { return ag::square(x); }, ag::Tensor<float>(Shape{2}, {1.f, 2.f})));
  CHECK(ag::gradcheck(
      [](auto x) {
        return std::array{ag::square(x), x};
      },
      ag::constant(normal({2}))));
  CHECK(ag::gradcheck([](auto x) { return std::pair{ag::square(x), x}; }, normal({2})));
  CHECK(ag::gradcheck([](auto x) { return std::vector{ag::square(x), x}; }, normal({2})));
  CHECK(ag::gradcheck([](const auto& x) { return x[0] * x[1]; }, {normal({2}), normal({2}, 2)},
                      {.fast_mode = true}));
  // A tuple's parts are weighted apart.
  CHECK_FALSE(ag::gradcheck(
      [](auto x) {
        return std::tuple{ag::exp(x), ag::pointwise<leaky_op>(x)};
      },
      normal({2})));
}

TEST_CASE("functions that take gradients themselves") {
  const auto penalty = [](auto x) {
    return ag::sum(ag::square(ag::grad(ag::sum(ag::exp(x) * x), x, {.create_graph = true})));
  };
  const auto report = ag::gradcheck(penalty, normal({3}));
  INFO(text(report));
  CHECK(report);
}

TEST_CASE("second order: a rule whose own derivative is wrong") {
  const auto f = [](auto x) { return ag::tanh(x) * x; };
  CHECK(ag::gradgradcheck(f, normal({3})));
  CHECK(ag::gradgradcheck(f, normal({3}), GradcheckOptions{.fast_mode = true}));
  const auto wrong = [](auto x) { return detached_tanh_op::apply(x); };
  CHECK(ag::gradcheck(wrong, normal({3})));
  const auto report = ag::gradgradcheck(wrong, normal({3}));
  INFO(text(report));
  CHECK_FALSE(report);
  CHECK(says(report, "input 0 is WRONG"));
  CHECK(says(report, "cotangent 0"));
}

TEST_CASE("what is odd is said in words") {
  const auto constant = ag::gradcheck([](auto a, auto b) { return ag::exp(a) + 0. * b; },
                                      normal({2}), normal({2}, 2));
  CHECK(constant);
  CHECK(says(constant, "input 1: the outputs do not depend on it"));

  int calls = 0;
  const auto random =
      ag::gradcheck([&](auto a) { return a * static_cast<double>(++calls); }, normal({2}));
  CHECK_FALSE(random);
  CHECK(says(random, "Not deterministic"));

  CHECK(says(
      ag::gradcheck([](auto a) { return Var<float>(ag::Tensor<float>(a.value())); }, normal({2})),
      "Var<float>"));

  const auto detached = ag::gradcheck([](auto a) { return ag::exp(a.detach()); }, normal({2}));
  CHECK_FALSE(detached);

  const auto nan = ag::gradcheck([](auto a) { return ag::log(a); }, Tensor({2}, {1., -1.}));
  CHECK_FALSE(nan);
  CHECK(says(nan, "Output 0 is NaN at the given point"));

  const auto edge = ag::gradcheck([](auto a) { return ag::sqrt(a); }, Tensor({2}, {0., 1.}));
  CHECK(edge);
  CHECK(says(edge, "1 not checked at the given point: f is finite on one side only"));

  const auto jump =
      ag::gradcheck([](auto a) { return a + ag::greater(a, 0.); }, Tensor({2}, {0., 1.}));
  CHECK(jump);
  CHECK(says(jump, "settle at no step"));
  const auto noise =
      ag::gradcheck([](auto a) { return a + ag::pointwise<hash_op>(a); }, normal({2}));
  INFO(text(noise));
  CHECK_FALSE(noise);

  const auto flat = ag::gradcheck([](auto a) { return ag::greater(a, 0.5); }, normal({3}));
  CHECK(flat);
  CHECK(says(flat, "says nothing about the rules"));

  CHECK_THROWS_WITH((void)ag::gradcheck([](auto a) { return a; }, Tensor()),
                    "[gradcheck] input 0 is empty: it has no value");
  CHECK_THROWS_WITH((void)ag::gradcheck([](auto a) { return a; }, 1., GradcheckOptions{.eps = 0.}),
                    "[gradcheck] needs eps > 0, rtol >= 0 and atol >= 0, got 0, 1e-06 and 0");
  CHECK_THROWS_WITH((void)ag::gradcheck([](auto a) { return ag::matmul(a, a); }, normal({3, 2})),
                    "[matmul] inner sizes differ: got (3,2) and (3,2)");
}

struct float_inside_op {  // x^2, computed in float
  static constexpr std::string_view name = "float_inside";
  template <Scalar T>
  static void gradient(ag::Rule<T>& r) {
    r.add(0, T(2) * r.cotangent() * r.input(0));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x) {
    return ag::record<float_inside_op, T>(
        {&x}, ag::Tensor<T>(ag::Tensor<float>(ag::square(x).value())), {.inputs = 1});
  }
};

struct too_flat_op {  // x^2 with the slope that float32 differences with a step of 1e-6 suggest
  static constexpr std::string_view name = "too_flat";
  template <Scalar T>
  static void gradient(ag::Rule<T>& r) {
    r.add(0, T(1.96695) * r.cotangent() * r.input(0));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x) {
    return ag::record<too_flat_op, T>({&x}, ag::square(x).value(), {.inputs = 1});
  }
};

TEST_CASE("C56: an input in float is checked in double; x^2 passes, a slope of 1.97 does not") {
  const ag::Tensor<float> one(Shape{1}, 1.f);
  const GradcheckOptions there{.other_points = false};
  const auto right = ag::gradcheck([](auto x) { return ag::square(x); }, one, there);
  CHECK(right);
  CHECK(right.rows.at(0).analytic == 2);
  CHECK(right.rows.at(0).numeric == doctest::Approx(2).epsilon(1e-9));
  const auto wrong =
      ag::gradcheck([](auto x) { return too_flat_op::apply(Var<double>(x)); }, one, there);
  INFO(text(wrong));
  CHECK_FALSE(wrong);
  CHECK(wrong.rows.at(0).analytic == 1.96695);
  CHECK(wrong.rows.at(0).numeric == doctest::Approx(2).epsilon(1e-9));
  // An op that draws anew in every call has no gradient to check, and is not passed.
  std::uint64_t seed = 0;
  const auto random = ag::gradcheck(
      [&](auto x) {
        const ag::Tensor<double> draw = normal(x.shape(), static_cast<unsigned>(++seed));
        return x * Var<double>(draw);
      },
      one);
  CHECK_FALSE(random);
  CHECK(says(random, "Not deterministic"));
  // Nor is a function that takes its input off the recording.
  CHECK_FALSE(ag::gradcheck([](auto x) { return ag::square(x.detach()); }, one));
}

TEST_CASE("a function whose output changes its shape from call to call is told") {
  int calls = 0;
  const auto changing = [&](auto x) {
    return ag::slice(x, {.axis = 0, .end = ++calls < 2 ? 1 : 2});
  };
  const auto report = ag::gradcheck(changing, normal({3, 4}));
  CHECK_FALSE(report);
  CHECK(says(report, "[gradcheck] the number or shape of the outputs changes from call to call"));
}

TEST_CASE("float32 inside is noticed") {
  const auto report =
      ag::gradcheck([](auto x) { return float_inside_op::apply(Var<double>(x)); }, normal({3, 4}));
  INFO(text(report));
  CHECK(says(report, "float32"));
  const auto later = ag::gradcheck(
      [](auto x) { return float_inside_op::apply(Var<double>(x)) * .37; }, normal({3, 4}));
  INFO(text(later));
  CHECK(says(later, "float32"));
}
