// What the program asks of a model, whatever its type.
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include <axisgrad/nn/data/windows.hpp>
#include <axisgrad/nn/module.hpp>

namespace forecast {

using axisgrad::Size;
using axisgrad::Var;
using Names = std::vector<std::string>;

/// Weights of one attention layer for a batch of windows.
struct AttentionMap {
  std::string name;
  Var<float> weights;    // (batch, axes...)
  Names axes;            // "time", "feature", "head"; what looks stands before what is looked at
  std::string attended;  // the one of them that the weights sum to 1 along: time or feature
  std::vector<Size> queries{};  // of what looks, that which reaches the forecast; empty: all
  std::vector<Size> among{};    // the attended positions that there are weights for; empty: all
};

class Network {
 public:
  virtual ~Network() = default;
  /// Windows (B, lookback, variables) -> forecasts (B, horizon, targets).
  [[nodiscard]] virtual Var<float> forward(const Var<float>& x) const = 0;
  [[nodiscard]] virtual std::vector<AttentionMap> attention(const Var<float>& x) const = 0;
  [[nodiscard]] virtual axisgrad::Parameters<float> parameters() = 0;
  /// For models with a closed form.
  virtual void solve(const axisgrad::Windows<float>& train) = 0;
};

/// A module M as a Network: it offers operator(), visit() and, where it has them, maps(x) for its
/// attention and solve(windows).
template <class M>
class NetworkOf final : public Network {
 public:
  template <class... Arguments>
  explicit NetworkOf(Arguments&&... arguments) : module_(std::forward<Arguments>(arguments)...) {}

  Var<float> forward(const Var<float>& x) const override { return module_(x); }
  std::vector<AttentionMap> attention(const Var<float>& x) const override {
    if constexpr (requires { module_.maps(x); })
      return module_.maps(x);
    else
      return (void)x, std::vector<AttentionMap>{};
  }
  axisgrad::Parameters<float> parameters() override { return axisgrad::parameters(module_); }
  void solve(const axisgrad::Windows<float>& train) override {
    if constexpr (requires { module_.solve(train); })
      module_.solve(train);
    else
      (void)train;
  }

 private:
  M module_;
};

}  // namespace forecast
