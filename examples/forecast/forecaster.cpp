#include "forecaster.hpp"

#include <axisgrad/autograd/ops.hpp>

namespace forecast {
namespace {

namespace ag = axisgrad;

struct Window {
  Var<float> z, mean, deviation;
};

// The variance is that of the population; its floor is that of PyTorch's instance norm.
Window normalised(const Var<float>& x) {
  const auto m = mean(x, ag::Axis::time, {.keep = true});
  const auto centred = x - m;
  const auto s = sqrt(mean(square(centred), ag::Axis::time, {.keep = true}) + 1e-5f);
  return {centred / s, m, s};
}

}  // namespace

Forecaster::Forecaster(const std::string& model, const ModelContext& context)
    : info_(&find_model(model)),
      network_(info_->make(context)),
      targets_(context.targets),
      normalise_(context.settings.instance_norm && info_->kind == Kind::network),
      residual_(context.settings.residual && !is_rule(*info_)) {
  if (!context.settings.instance_norm && info_->kind == Kind::normalising)
    ag::fail("forecast", "the model '", model,
             "' normalises each window itself: --no-instance-norm "
             "is not for it");
}

Var<float> Forecaster::operator()(const Var<float>& x) const {
  const auto on_targets = [&](const Var<float>& v) { return take(v, targets_, ag::Axis::feature); };
  const Window w = normalise_ ? normalised(x) : Window{x, {}, {}};
  Var<float> y = network_->forward(w.z);
  if (residual_)
    y = y + on_targets(slice(w.z, {.axis = ag::Axis::time, .begin = w.z.shape()[1] - 1}));
  return normalise_ ? y * on_targets(w.deviation) + on_targets(w.mean) : y;
}

std::vector<AttentionMap> Forecaster::attention(const Var<float>& x) const {
  return network_->attention(normalise_ ? normalised(x).z : x);
}

}  // namespace forecast
