// Optimizers: the parameter after each step, from given gradients.
#include <algorithm>

#include "block.hpp"
#include "with_optimizer.hpp"

namespace axisgrad::reference {
namespace {

// Feeds gradients (steps, ...) to the optimizer; steps (steps, ...) are the values after each.
template <Scalar T, class Optimizer>
void run_steps(Case<T>& c, Optimizer optimizer) {
  const Tensor<T> start = c.array("start"), gradients = c.array("gradients");
  const bool fits =
      gradients.rank() == start.rank() + 1 &&
      std::equal(start.shape().begin(), start.shape().end(), gradients.shape().begin() + 1);
  if (!fits)
    fail("golden", "gradients have the shape ", gradients.shape(), ", start has ", start.shape());
  Parameter<T> p(start.shape());
  p.set_name("start");
  p.set_value(start);
  optimizer.bind({&p});
  Tensor<T> steps(gradients.shape());
  const Size n = start.size();
  for (Size i = 0; i < gradients.shape()[0]; ++i) {
    const auto from = static_cast<std::size_t>(i * n), count = static_cast<std::size_t>(n);
    p.mutable_grad() = Tensor<T>(start.shape(), gradients.values().subspan(from, count));
    optimizer.step();
    std::copy_n(p.value().data(), n, steps.mutable_data() + i * n);
  }
  c.result("steps", steps);
}

template <Scalar T>
void optimizer(Case<T>& c) {
  with_optimizer<T>(c.options, [&](auto optimizer) { run_steps(c, std::move(optimizer)); });
}

}  // namespace

std::span<const Block> optimizers() {
  static constexpr Block all[]{{"optimizer", optimizer, optimizer}};
  return all;
}

}  // namespace axisgrad::reference
