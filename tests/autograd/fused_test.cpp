// A fused op has a forward pass, a fast backward pass and a reference in public ops, which here
// judges both: in value, in gradient, and in the gradient that create_graph gives.
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/random.hpp>

#include "common.hpp"

using namespace axisgrad;
using namespace axisgrad::test;

namespace {

using Vars = std::vector<Var<double>>;
using Function = std::function<Var<double>(std::span<const Var<double>>)>;

std::vector<Tensor<double>> draw(const Sample& sample) {
  std::vector<Tensor<double>> xs;
  std::uint64_t at = 0;
  const RandomStream stream(5);
  for (const SampleInput& i : sample.inputs) {
    Tensor<double> x(i.shape, 0.);
    for (Size k = 0; k < x.size(); ++k)
      x.mutable_data()[k] = i.range.low + (i.range.high - i.range.low) * stream.uniform(at++);
    xs.push_back(x);
  }
  return xs;
}

struct Outcome {
  Tensor<double> value;
  std::vector<std::vector<double>> gradients;
};
Outcome run(const Function& f, const std::vector<Tensor<double>>& xs, bool create_graph) {
  Tape<double> tape;
  Vars in;
  for (const auto& x : xs) in.push_back(tape.input(x, {.gradient = true}));
  const auto y = f(in);
  Tensor<double> c(y.shape(), 0.);
  for (Size k = 0; k < c.size(); ++k)
    c.mutable_data()[k] = RandomStream(6).normal(std::uint64_t(k));
  const auto g =
      grad<double>(Vars{y}, in, {.create_graph = create_graph, .cotangents = {constant(c)}});
  Outcome outcome{y.value(), {}};
  for (const auto& v : g) outcome.gradients.push_back(values_of(v));
  return outcome;
}

}  // namespace

// create_graph sweeps the reference, so that this compares the two backward passes of every sample.
TEST_CASE("fused ops: the fast backward pass agrees with that of the reference") {
  int ops = 0;
  for (const OpEntry& op : all_ops()) {
    if (op.kind != Kind::fused) continue;
    ++ops;
    for (const Sample& sample : op.samples) {
      CAPTURE(op.name);
      CAPTURE(sample.title);
      const auto xs = draw(sample);
      const Outcome fast = run(sample.in_double, xs, false), slow = run(sample.in_double, xs, true);
      for (std::size_t k = 0; k < xs.size(); ++k)
        CHECK(near(fast.gradients[k], slow.gradients[k], 1e-12));
    }
  }
  CHECK(ops >= 3);
}

TEST_CASE("lstm: the masks get no gradient, by either way; both kernels are needed") {
  Tape<double> tape;
  const auto leaf = [&](const Shape& shape, double value) {
    return tape.input(Tensor<double>(shape, value), {.gradient = true});
  };
  const auto x = leaf({1, 2, 1}, .5), kernel = leaf({1, 4}, .3), recurrent = leaf({1, 4}, -.2),
             mask = leaf({1, 2}, 1), recurrent_mask = leaf({1, 1}, 2);
  const auto y = sum(lstm<double>({.x = x,
                                   .kernel = kernel,
                                   .recurrent_kernel = recurrent,
                                   .mask = mask,
                                   .recurrent_mask = recurrent_mask})
                         .last_h);
  for (const bool create_graph : {false, true}) {
    const auto g = grad(y, {mask, recurrent_mask, recurrent}, {.create_graph = create_graph});
    CHECK(values_of(g[0]) == std::vector<double>{0, 0});
    CHECK(values_of(g[1]) == std::vector<double>{0});
    CHECK(g[2].value()(0, 3) != 0);
  }
  CHECK(refusal([&] { (void)lstm<double>({.x = x, .recurrent_kernel = recurrent}); }) ==
        "[lstm] kernel and recurrent_kernel are needed: got () and (1,4), an empty one");
}
