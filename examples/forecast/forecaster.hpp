// A model with what is done to each window around it.
#pragma once
#include "models.hpp"

namespace forecast {

/// Standardised windows (B, lookback, variables) -> standardised forecasts (B, horizon, targets).
///   --instance-norm: z = (x - m) / s by window and variable, y = m + s model(z)
///   --residual: y = last value of z + model(z)
/// Rules, and models that normalise each window themselves, see x as it is.
class Forecaster {
 public:
  Forecaster(const std::string& model, const ModelContext& context);

  [[nodiscard]] Var<float> operator()(const Var<float>& x) const;
  [[nodiscard]] std::vector<AttentionMap> attention(const Var<float>& x) const;
  [[nodiscard]] const ModelInfo& info() const { return *info_; }
  /// Whether each window is divided by its own deviation, here or within the model.
  [[nodiscard]] bool normalises() const { return normalise_ || info_->kind == Kind::normalising; }
  [[nodiscard]] axisgrad::Parameters<float> parameters() const { return network_->parameters(); }
  void solve(const axisgrad::Windows<float>& train) { network_->solve(train); }

 private:
  const ModelInfo* info_;
  std::unique_ptr<Network> network_;
  std::vector<Size> targets_;
  bool normalise_, residual_;
};

}  // namespace forecast
