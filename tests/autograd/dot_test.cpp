// Drawings of recordings.
#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/dot.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/parameter.hpp>

namespace ag = axisgrad;
using ag::Shape, ag::Tensor;
using V = ag::Var<double>;

TEST_CASE("to_dot: ops, parameters by name, inputs, constants and shapes") {
  ag::Parameter<double> kernel(Shape{3, 2});
  kernel.set_value(Tensor<double>({3, 2}, 1.0));
  kernel.set_name("the \"first\" kernel\\");
  ag::Tape<double> tape;
  const V x = tape.input(Tensor<double>({4, 3}, 1.0), {.gradient = true});
  const V plain = tape.input(Tensor<double>({2}, 1.0));
  const V y = ag::matmul(x, tape.watch(kernel));
  [[maybe_unused]] const V beside = ag::exp(y);  // does not lead to the result
  const V z = ag::sum(y * y + plain);
  const std::string dot = ag::to_dot(z);
  CHECK(dot ==
        "digraph recording {\n"
        "  rankdir=TB;\n"
        "  node [shape=box, fontname=\"sans-serif\"];\n"
        "  op4 [label=\"sum\"];\n"
        "  op3 -> op4 [label=\"(4,2)\"];\n"
        "  op3 [label=\"add\"];\n"
        "  op2 -> op3 [label=\"(4,2)\"];\n"
        "  constant0 [label=\"constant\\n(2)\", style=dashed];\n"
        "  constant0 -> op3 [style=dashed];\n"
        "  op2 [label=\"multiply\"];\n"
        "  op0 -> op2 [label=\"(4,2)\"];\n"
        "  op0 -> op2 [label=\"(4,2)\"];\n"
        "  op0 [label=\"matmul\"];\n"
        "  leaf0 [shape=ellipse, label=\"input\\n(4,3)\"];\n"
        "  leaf0 -> op0 [label=\"(4,3)\"];\n"
        "  leaf1 [shape=ellipse, label=\"the \\\"first\\\" kernel\\\\\\n(3,2)\"];\n"
        "  leaf1 -> op0 [label=\"(3,2)\"];\n"
        "  result [shape=plaintext];\n"
        "  op4 -> result [label=\"()\"];\n"
        "}\n");
}

TEST_CASE("to_dot: a leaf by itself, several outputs of one op") {
  ag::Tape<double> tape;
  const V x = tape.input(Tensor<double>({2, 3, 1}, 1.0), {.gradient = true});
  CHECK(ag::to_dot(x).find("leaf0 -> result") != std::string::npos);
  const auto y = ag::lstm<double>({.x = x,
                                   .kernel = V(Tensor<double>({1, 8}, 1.0)),
                                   .recurrent_kernel = V(Tensor<double>({2, 8}, 1.0))});
  const std::string dot = ag::to_dot(ag::sum(y.last_h) + ag::sum(y.last_c));
  CHECK(dot.find("op0 [label=\"lstm\"]") != std::string::npos);
  CHECK(dot.find("op0 -> op1 [label=\"(2,2)\"]") != std::string::npos);
  CHECK(dot.find("op0 -> op2 [label=\"(2,2)\"]") != std::string::npos);
  CHECK(dot.find("\n  op0 [label", dot.find("\n  op0 [label") + 1) == std::string::npos);
}

TEST_CASE("to_dot: constants and recordings that are over are refused") {
  CHECK_THROWS_WITH((void)ag::to_dot(V(Tensor<double>({2}, 1.0))),
                    "[to_dot] the value of shape (2) is no result of a recording: nothing in it "
                    "asks for a gradient");
  ag::Tape<double> tape;
  const V y = ag::sum(tape.input(Tensor<double>({2}, 1.0), {.gradient = true}));
  ag::backward(y);
  CHECK_THROWS_WITH_AS((void)ag::to_dot(y), doctest::Contains("released"), ag::Error);
}
