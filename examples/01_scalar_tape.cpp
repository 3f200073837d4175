// Lesson 1: what a tape is.
//
// You learn that reverse-mode differentiation is a list and one loop over it backwards. First a
// tape for plain numbers, written here in thirty lines; then the same expression on the library's
// tape, whose nodes hold tensors but which works in the same way; then the derivatives worked out
// on paper.
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>

#include "common/lesson.hpp"

namespace ag = axisgrad;

namespace {

// Each operation appends a node: the places of its two inputs, and the slope towards each of them.
// A node's inputs stand in front of it, so walking from the back meets every node after all its
// uses.
struct ScalarTape {
  struct Node {
    int left, right;
    double slope_left, slope_right;
  };
  std::vector<Node> nodes;

  struct Number {
    ScalarTape* tape;
    int place;
    double value;
  };
  Number put(double value, Node node) {
    nodes.push_back(node);
    return {this, static_cast<int>(nodes.size()) - 1, value};
  }
  Number input(double value) { return put(value, {-1, -1, 0, 0}); }

  // The chain rule: what arrives at a node goes on to its inputs, times the slope. `+=`, since a
  // number that is used twice gets a share from either use.
  std::vector<double> gradients(Number result) const {
    std::vector<double> g(nodes.size(), 0.);
    g[static_cast<std::size_t>(result.place)] = 1;
    for (std::size_t i = nodes.size(); i-- > 0;) {
      const Node& n = nodes[i];
      if (n.left >= 0) g[static_cast<std::size_t>(n.left)] += g[i] * n.slope_left;
      if (n.right >= 0) g[static_cast<std::size_t>(n.right)] += g[i] * n.slope_right;
    }
    return g;
  }
};

using Number = ScalarTape::Number;
Number operator+(Number a, Number b) {
  return a.tape->put(a.value + b.value, {a.place, b.place, 1, 1});
}
Number operator-(Number a, Number b) {
  return a.tape->put(a.value - b.value, {a.place, b.place, 1, -1});
}
Number operator*(Number a, Number b) {
  return a.tape->put(a.value * b.value, {a.place, b.place, b.value, a.value});
}
Number operator*(Number a, double b) { return a.tape->put(a.value * b, {a.place, -1, b, 0}); }

// One expression for both: V is a Number of the tape above, or a Var of the library.
template <class V>
V expression(const V& a, const V& b) {
  const V c = a + b, d = a * b + b * b * b, e = c - d;
  return e * e * .5;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "What a tape is", [](const lesson::Options&) {
    const double a = -4, b = 2;

    ScalarTape own;
    const Number na = own.input(a), nb = own.input(b), ng = expression(na, nb);
    const auto g = own.gradients(ng);
    const double own_a = g[static_cast<std::size_t>(na.place)],
                 own_b = g[static_cast<std::size_t>(nb.place)];

    ag::Tape<double> tape;
    const auto va = tape.input(ag::Tensor<double>({}, a), {.gradient = true});
    const auto vb = tape.input(ag::Tensor<double>({}, b), {.gradient = true});
    const auto vg = expression(va, vb);
    const auto of = ag::grad(vg, {va, vb});

    // On paper: g = e^2 / 2 with e = (a + b) - (a b + b^3), so dg/da = e (1 - b), dg/db = e (1 - a
    // - 3 b^2).
    const double e = (a + b) - (a * b + b * b * b);
    const double paper_a = e * (1 - b), paper_b = e * (1 - a - 3 * b * b);

    fmt::print("c = a + b; d = a b + b^3; e = c - d; g = e^2 / 2 at a = {}, b = {}\n\n", a, b);
    fmt::print("{:22}{:>8}{:>8}{:>8}\n", "", "g", "dg/da", "dg/db");
    fmt::print("{:22}{:>8}{:>8}{:>8}\n", "the tape above", ng.value, own_a, own_b);
    fmt::print("{:22}{:>8}{:>8}{:>8}\n", "axisgrad", vg.item(), of[0].item(), of[1].item());
    fmt::print("{:22}{:>8}{:>8}{:>8}\n\n", "on paper", e * e / 2, paper_a, paper_b);
    fmt::print("The tape above holds {} nodes, two of them inputs; axisgrad's holds {} ops.\n",
               own.nodes.size(), tape.nodes());

    const bool same = own_a == paper_a && own_b == paper_b && of[0].item() == paper_a &&
                      of[1].item() == paper_b && ng.value == vg.item();
    return lesson::claim(same, "both tapes give exactly the derivatives worked out on paper");
  });
}
