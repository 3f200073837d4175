#include "da_rnn.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

ag::DualStageRNNOptions options_of(const ModelContext& c) {
  if (c.width() != 1 || c.settings.horizon != 1 || c.variables < 2)
    ag::fail("forecast",
             "da-rnn forecasts one step of one target from other variables: give "
             "--horizon 1 and one --target, got a horizon of ",
             c.settings.horizon, " and ", c.width(), " of ", c.variables, " variables");
  return {.time_steps = c.settings.lookback,
          .series = c.variables - 1,
          .encoder_units = c.settings.units,
          .decoder_units = c.settings.units};
}

}  // namespace

DaRnn::DaRnn(const ModelContext& c) : target_(c.targets[0]), network_(options_of(c)) {
  for (Size v = 0; v < c.variables; ++v)
    if (v != target_) drivers_.push_back(v);
}

Var<float> DaRnn::operator()(const Var<float>& x) const {
  const Var<float> past = squeeze(take(x, {target_}, ag::Axis::feature), ag::Axis::feature);
  return unsqueeze(network_(take(x, drivers_, ag::Axis::feature), past), ag::Axis::feature);
}

std::vector<AttentionMap> DaRnn::maps(const Var<float>& x) const {
  const Var<float> past = squeeze(take(x, {target_}, ag::Axis::feature), ag::Axis::feature);
  const auto a = network_.with_weights(take(x, drivers_, ag::Axis::feature), past);
  // Among all variables, so that they have their names: 0 for the target, which it is not over.
  const Size n = x.shape()[2];
  Var<float> alpha = ag::constant(ag::Tensor<float>({x.shape()[0], x.shape()[1], n}, 0.f));
  for (std::size_t k = 0; k < drivers_.size(); ++k) {
    const auto at = static_cast<Size>(k);
    alpha = alpha + embed(slice(a.alpha, {.axis = 2, .begin = at, .end = at + 1}),
                          {.axis = 2, .begin = drivers_[k], .end = drivers_[k] + 1}, n);
  }
  const Size last = x.shape()[1] - 1;
  return {{"input attention", alpha, {"time", "feature"}, "feature", {}, drivers_},
          {"temporal attention", a.beta, {"time", "time"}, "time", {last}}};
}

}  // namespace forecast
