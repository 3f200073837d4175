// The optimizer that the options of a reference file describe.
#pragma once
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/rmsprop.hpp>
#include <axisgrad/optim/sgd.hpp>

#include "options.hpp"

namespace axisgrad::reference {

/// Calls f(optimizer).
template <Scalar T, class F>
void with_optimizer(Options& o, const F& f) {
  enum class Name { sgd, adam, adamw, rmsprop };
  const auto name = o.choice("optimizer", Choices<Name>{{"SGD", Name::sgd},
                                                        {"Adam", Name::adam},
                                                        {"AdamW", Name::adamw},
                                                        {"RMSprop", Name::rmsprop}});
  const auto convention = o.choice("convention", Choices<Convention>{{"keras", Convention::keras},
                                                                     {"torch", Convention::torch}});
  const auto rate = o.optional_number("learning_rate"), decay = o.optional_number("weight_decay");
  if (name == Name::sgd)
    return f(SGD<T>({.learning_rate = rate,
                     .momentum = o.number("momentum", 0),
                     .nesterov = o.flag("nesterov", false),
                     .weight_decay = decay.value_or(0),
                     .convention = convention}));
  if (name == Name::rmsprop)
    return f(RMSprop<T>({.learning_rate = rate,
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
  if (name == Name::adamw) return f(AdamW<T>(options));
  f(Adam<T>(options));
}

}  // namespace axisgrad::reference
