// Optimizers: the parameter after each step, from given gradients.
#include <algorithm>
#include <optional>

#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/rmsprop.hpp>
#include <axisgrad/optim/sgd.hpp>

#include "block.hpp"

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
  enum class Name { sgd, adam, adamw, rmsprop };
  Options& o = c.options;
  const auto name = o.choice("optimizer", Choices<Name>{{"SGD", Name::sgd},
                                                        {"Adam", Name::adam},
                                                        {"AdamW", Name::adamw},
                                                        {"RMSprop", Name::rmsprop}});
  const auto convention = o.choice("convention", Choices<Convention>{{"keras", Convention::keras},
                                                                     {"torch", Convention::torch}});
  const auto rate = o.optional_number("learning_rate"), decay = o.optional_number("weight_decay");
  if (name == Name::sgd)
    return run_steps(c, SGD<T>({.learning_rate = rate,
                                .momentum = o.number("momentum", 0),
                                .nesterov = o.flag("nesterov", false),
                                .weight_decay = decay.value_or(0),
                                .convention = convention}));
  if (name == Name::rmsprop)
    return run_steps(c, RMSprop<T>({.learning_rate = rate,
                                    .rho = o.optional_number("rho"),
                                    .momentum = o.number("momentum", 0),
                                    .epsilon = o.optional_number("epsilon"),
                                    .centered = o.flag("centered", false),
                                    .weight_decay = decay.value_or(0),
                                    .convention = convention}));
  const AdamOptions options{.learning_rate = rate,
                            .beta_1 = o.number("beta_1", .9),
                            .beta_2 = o.number("beta_2", .999),
                            .epsilon = o.optional_number("epsilon"),
                            .amsgrad = o.flag("amsgrad", false),
                            .weight_decay = decay,
                            .convention = convention};
  if (name == Name::adamw) return run_steps(c, AdamW<T>(options));
  run_steps(c, Adam<T>(options));
}

}  // namespace

std::span<const Block> optimizers() {
  static constexpr Block all[]{{"optimizer", optimizer, optimizer}};
  return all;
}

}  // namespace axisgrad::reference
