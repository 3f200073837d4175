// ETTh1 as lessons 6 and 11 forecast it: the same windows, the same normalisation, the same
// training; what differs is the network in the middle.
#pragma once
#include <string>
#include <vector>

#include <fmt/core.h>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/data/scaler.hpp>
#include <axisgrad/nn/data/windows.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/fit.hpp>

#include "attention_map.hpp"
#include "lesson.hpp"
#include "results.hpp"

namespace lesson::etth1 {

inline constexpr axisgrad::Size lookback = 96, horizon = 24, day = 24, features = 7, units = 32;

/// The series in the unit of the training part's deviation, cut into windows.
struct Series {
  std::vector<std::string> names;
  axisgrad::Size target;            // the column of OT
  axisgrad::StandardScaler scaler;  // of the target alone
  axisgrad::Windows<float> train, validation, test;
};
/// From examples/data. `quick` takes every fourth window to train and validate on.
Series read(bool quick);

/// x (B,96,7) -> each variable of the window to mean 0 and deviation 1 -> body, (B,24) -> OT's mean
/// and deviation put back, (B,24,1).
template <class Body>
struct Forecaster {
  using scalar = float;
  Body body;
  axisgrad::Size target;

  template <axisgrad::Scalar T>
  struct Normalised {
    axisgrad::Var<T> z, mean, deviation;  // (B,96,7), (B,1,7), (B,1,7)
  };
  template <axisgrad::Scalar T>
  static Normalised<T> normalise(const axisgrad::Var<T>& x) {
    const auto mean = axisgrad::mean(x, axisgrad::Axis::time, {.keep = true});
    const auto centred = x - mean;
    const auto variance = axisgrad::mean(square(centred), axisgrad::Axis::time, {.keep = true});
    const auto deviation = sqrt(variance + T(1e-5));
    return {centred / deviation, mean, deviation};
  }

  template <axisgrad::Scalar T>
  axisgrad::Var<T> operator()(const axisgrad::Var<T>& x) const {
    const auto window = normalise(x);
    const auto y = unsqueeze(body(window.z), axisgrad::Axis::feature);
    const axisgrad::SliceOptions ot{
        .axis = axisgrad::Axis::feature, .begin = target, .end = target + 1};
    return y * slice(window.deviation, ot) + slice(window.mean, ot);
  }
  void visit(auto&& visitor) { body.visit(visitor); }
};

/// Claims that one model has a smaller MSE than another; false where either is not a number.
bool claim_better(const ForecastResult& model, const ForecastResult& than);

/// Scores of forecasts of the test windows, a row each, printed as they come.
class Comparison {
 public:
  Comparison(const Series& series, const Options& options)
      : series_(series), options_(options), test_(series.test.dataset()) {}

  /// Prints what the columns of the rows are.
  static void print_heading();
  /// What needs no training by gradient: the last value, the last day, least squares.
  void baselines();
  /// Trains once for each seed; the mean scores and the MSE of each seed. `attention(body, z)`
  /// gives weights (B, time, feature), whose mean over the test windows goes into `maps`.
  template <class Body, class MakeBody, class Attention>
  ForecastResult network(const std::string& name, const MakeBody& make, const Attention& attention,
                         SeedMaps* maps);
  template <class Body, class MakeBody>
  ForecastResult network(const std::string& name, const MakeBody& make) {
    return network<Body>(name, make, nullptr, nullptr);
  }

  [[nodiscard]] const std::vector<ForecastResult>& results() const { return results_; }
  [[nodiscard]] const ForecastResult& repeat_last() const { return results_[0]; }
  [[nodiscard]] const ForecastResult& repeat_day() const { return results_[1]; }
  [[nodiscard]] const ForecastResult& least_squares() const { return results_[2]; }
  [[nodiscard]] axisgrad::Size test_windows() const { return test_.samples(); }
  [[nodiscard]] int seeds() const { return options_.quick ? 2 : 5; }

 private:
  /// A forecast (N,24,1) of the test windows, in standardised units.
  [[nodiscard]] ForecastResult score(const std::string& model,
                                     const axisgrad::Tensor<float>& forecast, double seconds) const;
  void add(const ForecastResult& r);

  const Series& series_;
  const Options& options_;
  axisgrad::Dataset<float> test_;
  std::vector<ForecastResult> results_;
};

template <class Body, class MakeBody, class Attention>
ForecastResult Comparison::network(const std::string& name, const MakeBody& make,
                                   const Attention& attention, SeedMaps* maps) {
  ForecastResult mean{.model = name};
  for (int s = 1; s <= seeds(); ++s) {
    const auto seed = static_cast<std::uint64_t>(s);
    const Clock clock;
    Forecaster<Body> model{make(), series_.target};
    const auto parameters = axisgrad::parameters(model);
    axisgrad::initialise(parameters, seed);
    axisgrad::Adam<float> adam({.learning_rate = 2e-3});
    axisgrad::fit(model, parameters, adam, axisgrad::mse, series_.train, series_.validation,
                  {.epochs = options_.quick ? 3 : 10,
                   .batch_size = 64,
                   .seed = seed,
                   .early_stopping = {.patience = 3},
                   .verbose = axisgrad::Verbose::silent,
                   .handle_interrupt = false});
    const auto r = score(name, axisgrad::predict(model, test_.x), clock.seconds());
    mean.mse += r.mse / seeds(), mean.mae += r.mae / seeds();
    mean.mse_original += r.mse_original / seeds(), mean.mae_original += r.mae_original / seeds();
    mean.seconds += r.seconds, mean.mse_by_seed.push_back(r.mse);
    if constexpr (!std::is_same_v<Attention, std::nullptr_t>)
      maps->maps.push_back(mean_over_samples(axisgrad::predict(
          [&](const auto& x) { return attention(model.body, model.normalise(x).z); }, test_.x)));
  }
  add(mean);
  return mean;
}

}  // namespace lesson::etth1
