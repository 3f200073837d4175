// What surrounds a step of training: clipping, schedules of the learning rate, metrics.
#include <axisgrad/nn/metrics.hpp>
#include <axisgrad/optim/clip.hpp>
#include <axisgrad/optim/schedule.hpp>

#include "block.hpp"

namespace axisgrad::reference {
namespace {

Convention convention(Options& options) {
  return options.choice("convention", Choices<Convention>{{"keras", Convention::keras},
                                                          {"torch", Convention::torch}});
}

// Inputs gradient_NAME, outputs clipped_NAME and norm, that before clipping.
template <Scalar T>
void clip(Case<T>& c) {
  const double max_norm = c.options.number("max_norm");
  const ClipOptions options{.convention = convention(c.options)};
  std::vector<Parameter<T>> parameters;
  for (const std::string& name : c.input_names()) {
    if (!name.starts_with("gradient_")) fail("golden", "input ", name, " is no gradient_NAME");
    const Tensor<T> gradient = c.array(name);
    Parameter<T>& p = parameters.emplace_back(gradient.shape(), Init::zeros);
    p.set_name(name.substr(name.find('_') + 1));
    p.set_value(Tensor<T>(gradient.shape(), T(0)));
    p.mutable_grad() = gradient;
  }
  Parameters<T> list;
  for (Parameter<T>& p : parameters) list.push_back(&p);
  const double norm = clip_by_global_norm(list, max_norm, options);
  c.result("norm", Tensor<T>(Shape{}, static_cast<T>(norm)));
  for (const Parameter<T>& p : parameters) c.result("clipped_" + p.name(), p.grad());
}

// As many rates as the file has.
template <Scalar T, class Schedule>
void rates(Case<T>& c, const Schedule& schedule) {
  Tensor<T> rate(c.shape("learning_rate"));
  for (Size step = 0; step < rate.size(); ++step)
    rate.mutable_data()[step] = static_cast<T>(schedule(step));
  c.result("learning_rate", rate);
}

template <Scalar T>
void schedule(Case<T>& c) {
  enum class Name { exponential, cosine, step, annealing };
  Options& o = c.options;
  const auto name = o.choice("schedule", Choices<Name>{{"ExponentialDecay", Name::exponential},
                                                       {"CosineDecay", Name::cosine},
                                                       {"StepLR", Name::step},
                                                       {"CosineAnnealingLR", Name::annealing}});
  const bool of_torch = name == Name::step || name == Name::annealing;
  if ((convention(o) == Convention::torch) != of_torch)
    fail("golden", "option convention is not that of ", o.text("schedule"));
  const double first = o.number("initial_learning_rate");
  switch (name) {
    case Name::exponential:
      return rates(c, ExponentialDecay{.initial_learning_rate = first,
                                       .decay_steps = o.size("decay_steps"),
                                       .decay_rate = o.number("decay_rate"),
                                       .staircase = o.flag("staircase", false)});
    case Name::cosine:
      return rates(c, CosineDecay{.initial_learning_rate = first,
                                  .decay_steps = o.size("decay_steps"),
                                  .alpha = o.number("alpha", 0),
                                  .warmup_target = o.optional_number("warmup_target"),
                                  .warmup_steps = o.size("warmup_steps", 0)});
    case Name::step:
      return rates(c, StepDecay{.initial_learning_rate = first,
                                .step_size = o.size("step_size"),
                                .gamma = o.number("gamma", .1)});
    case Name::annealing:
      return rates(c, CosineAnnealing{.initial_learning_rate = first,
                                      .period = o.size("T_max"),
                                      .low = o.number("eta_min", 0)});
  }
}

template <Scalar T>
void metric(Case<T>& c) {
  auto value = [&](const std::string& output, const Metric& of, const std::string& kind) {
    if (!c.holds(output)) return;
    const double m = of(c.array(kind + "_pred"), c.array(kind + "_true"));
    c.result(output, Tensor<T>(Shape{}, static_cast<T>(m)));
  };
  value("rmse", metrics::rmse, "y");
  value("mae", metrics::mae, "y");
  value("mape", metrics::mape, "y");
  value("binary_accuracy", metrics::binary_accuracy, "binary");
  value("categorical_accuracy", metrics::categorical_accuracy, "class");
}

}  // namespace

std::span<const Block> training() {
  static constexpr Block all[]{{"clip_by_global_norm", clip, clip},
                               {"schedule", schedule, schedule},
                               {"metrics", metric, metric}};
  return all;
}

}  // namespace axisgrad::reference
