// Every sentence with which the engine refuses. (Those of recordings that are over are in
// tape_test.cpp.)
#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/gate.hpp>
#include <axisgrad/autograd/tape.hpp>

using namespace axisgrad;

namespace {

Var<double> ones(const Shape& shape) { return Var<double>(Tensor<double>(shape, 1.)); }
Tensor<double> values(const Shape& shape) { return Tensor<double>(shape, 1.); }

}  // namespace

#define CHECK_REFUSED(text, call) CHECK_THROWS_WITH_AS((void)(call), text, Error)

TEST_CASE("errors: axes (C39)") {
  const auto x = ones({2, 2});
  CHECK_REFUSED("[sum] axis 2 is out of range for a tensor of rank 2", sum(x, 2));
  CHECK_REFUSED("[sum] axis -3 is out of range for a tensor of rank 2", sum(x, -3));
  CHECK_REFUSED("[sum] axis 0 is named twice for a tensor of rank 2", sum(x, {0, 0}));
  CHECK_REFUSED("[mean] axis -2 is named twice for a tensor of rank 2", mean(x, {0, -2}));
  CHECK_REFUSED("[max] axis 5 is out of range for a tensor of rank 2", max(x, 5));
  CHECK_REFUSED("[softmax] axis 2 is out of range for a tensor of rank 2", softmax(x, 2));
  CHECK_REFUSED("[softmax] axis 0 is out of range for a tensor of rank 0", softmax(ones({}), 0));
  CHECK_REFUSED("[swap_axes] axis 2 is out of range for a tensor of rank 2", swap_axes(x, 0, 2));
  CHECK_REFUSED("[concat] axis 2 is out of range for a tensor of rank 2",
                concat(std::vector{x, x}, 2));
  CHECK_REFUSED("[slice] axis -3 is out of range for a tensor of rank 2", slice(x, {.axis = -3}));
  CHECK_REFUSED("[size] axis 2 is out of range for a tensor of rank 2", x.size(Axis(2)));
  CHECK_REFUSED("[axes] at most 8 axes, got 9", (Axes{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_CASE("errors: a refused op leaves the recording unharmed (C39)") {
  Tape<double> tape;
  const auto x = tape.input(values({2, 3}), {.gradient = true});
  const auto y = x * 2;
  const Size nodes = tape.nodes();
  CHECK_THROWS_AS((void)sum(y, 2), Error);
  CHECK_THROWS_AS((void)matmul(y, y), Error);
  CHECK_THROWS_AS((void)(y + ones({2})), Error);
  CHECK(tape.nodes() == nodes);
  CHECK(grad(sum(y), x).value()(1, 2) == 2);
}

TEST_CASE("errors: shapes and tensors") {
  CHECK_REFUSED("[shape] at most 8 axes, got 9", (Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}));
  CHECK_REFUSED("[shape] no further axis fits into (1,1,1,1,1,1,1,1): at most 8",
                (Shape{1, 1, 1, 1, 1, 1, 1, 1}.inserted(0, 1)));
  CHECK_REFUSED("[tensor] shape (2,3) has 6 elements, got 2", (Tensor<double>({2, 3}, {1., 2.})));
  Tensor<double> empty;
  CHECK_REFUSED("[tensor] an empty tensor has no elements to write to", empty.mutable_data());
  CHECK_REFUSED("[tensor] an empty tensor has no elements", empty(0));
  CHECK_REFUSED("[reshape] an empty tensor has no elements to view as (0)", empty.reshaped({0}));
  CHECK_REFUSED("[sum] the input is empty: it has no value", sum(Var<double>()));
  CHECK_REFUSED("[max] the input is empty: it has no value", max(Var<double>()));
  CHECK_REFUSED("[matmul] an input is empty: it has no value", matmul(ones({2, 2}), Var<double>()));
  CHECK_REFUSED("[one_hot] needs at least one class, got -3", one_hot(ones({1}), -3));
  CHECK_REFUSED("[reshape] a size is -2: only -1 stands for one to be worked out",
                reshape(ones({2, 3}), {-2, 3}));
  CHECK_REFUSED("[layer_norm] epsilon must be at least 0, got -1",
                layer_norm(ones({1, 2}), ones({2}), ones({2}), {.epsilon = -1}));
  CHECK_REFUSED("[tensor] got 1 indices for the shape (2,3)", values({2, 3})(0));
  CHECK_REFUSED("[tensor] index 3 is out of range on axis 1 of the shape (2,3)",
                values({2, 3})(0, 3));
  CHECK_REFUSED("[tensor] index -3 is out of range on axis 0 of the shape (2,3)",
                values({2, 3})(-3, 0));
  CHECK_REFUSED("[item] needs exactly one element, got the shape (2)", values({2}).item());
  CHECK_REFUSED("[item] needs exactly one element, got an empty tensor", empty.item());
  CHECK_REFUSED("[reshape] cannot view (2,3) as (4): the sizes differ",
                values({2, 3}).reshaped({4}));
  CHECK_REFUSED("[pool] out of memory: 4611686018427387904 bytes asked for",
                Tensor<double>(Shape{Size(1) << 59}));
  CHECK_REFUSED("[pool] out of memory: 35184372088832 bytes asked for",
                Tensor<double>(Shape{Size(1) << 42}));
}

TEST_CASE("errors: pointwise ops") {
  CHECK_REFUSED("[add] shapes do not broadcast: got (2,3) and (2)", ones({2, 3}) + ones({2}));
  CHECK_REFUSED("[multiply] shapes do not broadcast: got (0) and (2)", ones({0}) * ones({2}));
  CHECK_REFUSED("[where] shapes do not broadcast: got (2) and (3)",
                where(ones({}), ones({2}), ones({3})));
  CHECK_REFUSED("[divide] input 1 is empty: it has no value", ones({2}) / Var<double>());
  CHECK_REFUSED("[exp] input 0 is empty: it has no value", exp(Var<double>()));
}

TEST_CASE("errors: reductions (C41)") {
  CHECK_REFUSED("[max] no maximum over an empty axis of the shape (0,4)", max(ones({0, 4}), 0));
  CHECK_REFUSED("[max] no maximum over an empty axis of the shape (0)", max(ones({0})));
  CHECK_REFUSED("[sum_to] (4) does not broadcast to the shape (2,3)",
                sum_to(ones({2, 3}), Shape{4}));
}

TEST_CASE("errors: masks hold 1 and 0 only") {
  const auto x = ones({2, 3});
  const Var<double> half(Tensor<double>({3}, {1., .5, 0.})),
      nan(Tensor<double>({3}, {1., 0., NAN}));
  CHECK_REFUSED("[softmax] a mask holds 1 (attend) and 0 only, got 0.5", softmax(x, -1, half));
  CHECK_REFUSED("[softmax] a mask holds 1 (attend) and 0 only, got nan", softmax(x, -1, nan));
  const Var<double> additive(Tensor<double>({1, 2}, {0., -1e9}));
  CHECK_REFUSED(
      "[lstm] a mask holds 1 (attend) and 0 only, got -1e+09: 1 uses the step, 0 carries the state",
      lstm<double>({.x = ones({1, 2, 3}),
                    .kernel = ones({3, 8}),
                    .recurrent_kernel = ones({2, 8}),
                    .mask = additive})
          .h);
}

TEST_CASE("errors: ops on shapes") {
  const auto x = ones({2, 3});
  CHECK_REFUSED("[reshape] cannot view (2,3) as (4,2): the sizes differ", reshape(x, {4, 2}));
  CHECK_REFUSED(
      "[reshape] no size in place of -1 fits: (2,3) has 6 elements, the other sizes make 4",
      reshape(x, {4, -1}));
  CHECK_REFUSED("[reshape] no size in place of -1 fits: (0) has 0 elements, the other sizes make 0",
                reshape(ones({0}), {0, -1}));
  CHECK_REFUSED("[reshape] one size at most may be -1, got 2", reshape(x, {-1, -1}));
  CHECK_REFUSED("[reshape] at most 8 axes, got 9", reshape(x, {2, 3, 1, 1, 1, 1, 1, 1, 1}));
  CHECK_REFUSED("[transpose] the order must name each of the 2 axes of (2,3) once",
                transpose(x, {0, 0}));
  CHECK_REFUSED("[transpose] the order must name each of the 2 axes of (2,3) once",
                transpose(x, {1}));
  CHECK_REFUSED("[expand] (2,3) does not broadcast to (2,4)", expand(x, {2, 4}));
  CHECK_REFUSED("[expand] (2,3) does not broadcast to (3)", expand(x, {3}));
  CHECK_REFUSED("[slice] the step must be at least 1, got 0", slice(x, {.axis = 0, .step = 0}));
  CHECK_REFUSED("[embed] 3 positions of (2,3) do not fit on axis 1: there is room for 2",
                embed(x, {.axis = 1, .begin = 2}, 4));
  CHECK_REFUSED("[concat] nothing to join", concat(std::vector<Var<double>>{}, 0));
  CHECK_REFUSED("[concat] shapes differ beside axis 0: got (2,3) and (2,4)",
                concat(std::vector{x, ones({2, 4})}, 0));
  CHECK_REFUSED("[concat] shapes differ beside axis 1: got (2,3) and (2)",
                concat(std::vector{x, ones({2})}, -1));
}

TEST_CASE("errors: matmul") {
  CHECK_REFUSED("[matmul] inner sizes differ: got (2,3) and (4,5)",
                matmul(ones({2, 3}), ones({4, 5})));
  CHECK_REFUSED("[matmul] inner sizes differ: got (2,3) transposed and (3,5)",
                matmul(ones({2, 3}), ones({3, 5}), {.transpose_a = true}));
  CHECK_REFUSED("[matmul] inner sizes differ: got (2,3) and (3,5) transposed",
                matmul(ones({2, 3}), ones({3, 5}), {.transpose_b = true}));
  CHECK_REFUSED("[matmul] needs rank 1 or more: got () and (2,2)", matmul(ones({}), ones({2, 2})));
  CHECK_REFUSED("[matmul] rank 1 cannot be transposed: got (2) and (2,2)",
                matmul(ones({2}), ones({2, 2}), {.transpose_a = true}));
  CHECK_REFUSED("[matmul] shapes do not broadcast: got (2) and (3)",
                matmul(ones({2, 4, 5}), ones({3, 5, 4})));
}

TEST_CASE("errors: losses do not broadcast") {
  const auto p = ones({4}), t = ones({4, 1});
  CHECK_REFUSED("[mse] prediction and target differ in shape: got (4) and (4,1)", mse(p, t));
  CHECK_REFUSED("[mae] prediction and target differ in shape: got (4) and (4,1)", mae(p, t));
  CHECK_REFUSED("[binary_crossentropy] prediction and target differ in shape: got (4) and (4,1)",
                binary_crossentropy(p, t));
  CHECK_REFUSED(
      "[binary_crossentropy_from_logits] prediction and target differ in shape: got (4) and (4,1)",
      binary_crossentropy_from_logits(p, t));
}

TEST_CASE("errors: tape and derivatives") {
  Tape<double> tape;
  CHECK_REFUSED("[input] an empty tensor has no shape", tape.input(Tensor<double>()));
  const auto x = tape.input(values({2, 3}), {.gradient = true}), quiet = tape.input(values({2}));
  const auto y = x * 2;
  CHECK_REFUSED("[grad] y of shape (2,3) needs a cotangent: pass .cotangents", grad(y, x));
  CHECK_REFUSED("[grad] the cotangent has the shape (3), y has (2,3)",
                grad(y, x, {.cotangents = {ones({3})}}));
  CHECK_REFUSED("[grad] got 2 cotangents for 1 outputs",
                grad(y, x, {.cotangents = {ones({2, 3}), ones({2, 3})}}));
  CHECK_REFUSED(
      "[grad] x number 1 of shape (2) asks for no gradient: make it with tape.input(x, {.gradient "
      "= true})",
      grad(sum(y), {x, quiet}));
  CHECK_REFUSED(
      "[backward] the loss depends on no trainable parameter and on no input that asks for a "
      "gradient",
      backward(sum(quiet)));
  CHECK_REFUSED(
      "[backward] the loss depends on no trainable parameter and on no input that asks for a "
      "gradient",
      backward(ones({})));
  CHECK_REFUSED("[backward] needs a loss of one element, got the shape (2,3)", backward(y));
}

TEST_CASE("errors: positions that a scalar type cannot count") {
  const Size many = (Size(1) << 24) + 1;
  const Var<float> x(Tensor<float>(Shape{many, 0}));
  CHECK_REFUSED("[argmax] positions on an axis of size 16777217 are not exact in this scalar type",
                argmax(x, 0));
  CHECK_REFUSED("[take] positions on an axis of size 16777217 are not exact in this scalar type",
                take(x, std::vector<Size>{0}, 0));
}

TEST_CASE("errors: the recurrences of the dual-stage network") {
  const InputAttentionInputs<double> encoder{.x = ones({2, 3, 4}),
                                             .keys = ones({2, 5, 4}),
                                             .W = ones({5, 6}),
                                             .v = ones({5}),
                                             .kernel = ones({4, 12}),
                                             .recurrent_kernel = ones({3, 12}),
                                             .bias = ones({12})};
  const auto refused = [&](const char* text, auto change) {
    auto changed = encoder;
    change(changed);
    CHECK_REFUSED(text, input_attention_lstm(changed));
  };
  refused("[input_attention_lstm] x must have rank 3, got (3,4)", [](auto& i) {
    i.x = ones({3, 4});
  });
  refused("[input_attention_lstm] keys has the shape (2,4,5), expected (2,5,4)", [](auto& i) {
    i.keys = ones({2, 4, 5});
  });
  refused("[input_attention_lstm] W has the shape (5,7), expected (5,6)", [](auto& i) {
    i.W = ones({5, 7});
  });
  refused(
      "[input_attention_lstm] needs at least one step and something to attend to, got 0 steps and "
      "4 positions",
      [](auto& i) {
        i.x = ones({2, 0, 4});
      });
  refused("[input_attention_lstm] kernel has the shape (), expected (4,12)",
          [](auto& i) { i.kernel = Var<double>(); });
  const TemporalAttentionInputs<double> decoder{.past = ones({2, 3}),
                                                .values = ones({2, 7, 4}),
                                                .keys = ones({2, 7, 5}),
                                                .W = ones({5, 6}),
                                                .v = ones({5}),
                                                .mix = ones({4}),
                                                .mix_bias = ones({1}),
                                                .kernel = ones({1, 12}),
                                                .recurrent_kernel = ones({3, 12}),
                                                .bias = ones({12})};
  CHECK_REFUSED("[temporal_attention_lstm] mix has the shape (4), expected (5)",
                temporal_attention_lstm(decoder));
}

TEST_CASE("errors: time_gate") {
  CHECK_REFUSED("[time_gate] expects x (batch, time, feature), got (3,4)",
                time_gate(ones({3, 4}), ones({4, 4}), ones({4})).out);
  CHECK_REFUSED(
      "[time_gate] a sequence of 4 steps needs a kernel (4,4) and a bias (4), got (3,4) and (4)",
      time_gate(ones({2, 4, 3}), ones({3, 4}), ones({4})).out);
}

TEST_CASE("errors: lstm") {
  LstmInputs<double> in{
      .x = ones({2, 3, 5}), .kernel = ones({5, 16}), .recurrent_kernel = ones({4, 16})};
  const auto refused = [&](const char* text, auto change) {
    LstmInputs<double> changed = in;
    change(changed);
    CHECK_REFUSED(text, lstm<double>(changed));
  };
  refused("[lstm] expects x (batch, time, feature), got (2,3)", [](auto& i) {
    i.x = ones({2, 3});
  });
  refused("[lstm] kernel has the shape (4,16), expected (5,16)", [](auto& i) {
    i.kernel = ones({4, 16});
  });
  refused("[lstm] bias has the shape (4), expected (16)", [](auto& i) { i.bias = ones({4}); });
  refused("[lstm] mask has the shape (2), expected (2,3)", [](auto& i) { i.mask = ones({2}); });
  refused("[lstm] initial_h and initial_c go together: only one was given", [](auto& i) {
    i.initial_h = ones({2, 4});
  });
}
