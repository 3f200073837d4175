#include "etth1.hpp"

#include <axisgrad/nn/data/baselines.hpp>
#include <axisgrad/nn/data/split.hpp>
#include <axisgrad/nn/data/table.hpp>

namespace ag = axisgrad;

namespace lesson::etth1 {

Series read(bool quick) {
  const auto table = ag::read_csv(AXISGRAD_EXAMPLE_DATA "/ETTh1.csv", {.text = {"date"}});
  const ag::Size target = table.index("OT");
  // The usual split: 12, 4 and 4 months of 30 days; the rest of the file is left alone.
  const auto rows = ag::split_in_order(table.rows(), ag::SplitCounts{8'640, 2'880, 2'880});
  ag::StandardScaler scaler;
  scaler.fit(table.values, rows.train);
  const ag::Tensor<float> values(scaler.transform(table.values));
  const auto windows = [&](ag::Rows part, ag::Size stride) {
    return ag::Windows<float>(
        values, part,
        {.lookback = lookback, .horizon = horizon, .stride = stride, .targets = {target}});
  };
  return {table.names,
          target,
          scaler.select({target}),
          windows(rows.train, quick ? 4 : 1),
          windows(rows.validation, quick ? 4 : 1),
          windows(rows.test, 1)};
}

bool claim_better(const ForecastResult& model, const ForecastResult& than) {
  return claim(model.mse < than.mse, fmt::format("{} beats {}: MSE {:.4f} against {:.4f}",
                                                 model.model, than.model, model.mse, than.mse));
}

void Comparison::print_heading() {
  fmt::print("{:<36}{:>8}{:>8}{:>10}{:>9}{:>8}\n", "model", "MSE", "MAE", "deg C^2", "deg C", "s");
}

ForecastResult Comparison::score(const std::string& model, const ag::Tensor<float>& forecast,
                                 double seconds) const {
  const auto scaled = ag::scores(forecast, test_.y);
  const auto original =
      ag::scores(series_.scaler.inverse(forecast), series_.scaler.inverse(test_.y));
  return {model, scaled.mse, scaled.mae, original.mse, original.mae, seconds};
}

void Comparison::baselines() {
  const std::vector<ag::Size> target{series_.target};
  Clock clock;
  const auto last = ag::repeat_last(test_.x, horizon, target);
  add(score("repeat last value", last, clock.seconds()));
  clock = {};
  const auto last_day = ag::repeat_season(test_.x, horizon, day, target);
  add(score("repeat last day", last_day, clock.seconds()));
  clock = {};
  const auto linear = ag::LeastSquares(series_.train).predict(test_.x, target);
  add(score("least squares", linear, clock.seconds()));
}

void Comparison::add(const ForecastResult& r) {
  results_.push_back(r);
  fmt::print("{:<36}{:>8.4f}{:>8.4f}{:>10.3f}{:>9.3f}{:>8.1f}", r.model, r.mse, r.mae,
             r.mse_original, r.mae_original, r.seconds);
  for (std::size_t s = 0; s < r.mse_by_seed.size(); ++s)
    fmt::print("{} {:.4f}", s == 0 ? "  MSE by seed" : "", r.mse_by_seed[s]);
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace lesson::etth1
