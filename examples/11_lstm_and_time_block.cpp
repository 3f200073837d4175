// Lesson 11: does a time block behind the LSTM help on ETTh1?
//
// The windows, the normalisation and the training are those of lesson 6. One model forecasts from
// the LSTM's last state; the other lets TimeAttentionBlock weigh all 96 states and adds them up, so
// that a state far back may count. You learn to compare two networks seed by seed on the same
// windows, and to say no more than the seeds allow: the verdict on the block is worked out from the
// figures. What holds in any case is claimed: both beat a simple rule, and one matrix beats both.
#include <cmath>

#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/lstm.hpp>

#include "common/etth1.hpp"
#include "common/gnuplot.hpp"

namespace ag = axisgrad;
using namespace lesson::etth1;

namespace {

// z (B,96,7) -> LSTM, last state (B,32) -> Dense (B,24)
struct Plain {
  using scalar = float;
  ag::LSTM<float> lstm{{.inputs = features, .units = units}};
  ag::Dense<float> head{units, horizon};

  auto operator()(const auto& z) const { return head(lstm(z).last()); }
  void visit(auto&& visitor) { visitor("lstm", lstm), visitor("head", head); }
};

// z (B,96,7) -> LSTM, all states (B,96,32) -> weights over time, sum (B,32) -> Dense (B,24)
struct WithBlock {
  using scalar = float;
  ag::LSTM<float> lstm{{.inputs = features, .units = units}};
  ag::TimeAttentionBlock<float> block{lookback};
  ag::Dense<float> head{units, horizon};

  auto operator()(const auto& z) const {
    return head(ag::sum(block(lstm(z).sequence()), ag::Axis::time));
  }
  void visit(auto&& visitor) {
    visitor("lstm", lstm), visitor("block", block), visitor("head", head);
  }
};

// Of the differences with - without, seed by seed.
struct Difference {
  double mean = 0, error = 0;  // standard error of the mean
  int better = 0;

  Difference(const lesson::ForecastResult& with, const lesson::ForecastResult& without) {
    const auto n = static_cast<double>(with.mse_by_seed.size());
    for (std::size_t s = 0; s < with.mse_by_seed.size(); ++s) {
      const double d = with.mse_by_seed[s] - without.mse_by_seed[s];
      mean += d / n, better += d < 0;
    }
    for (std::size_t s = 0; s < with.mse_by_seed.size(); ++s) {
      const double d = with.mse_by_seed[s] - without.mse_by_seed[s] - mean;
      error += d * d / (n - 1) / n;
    }
    error = std::sqrt(error);
  }
  // Two standard errors, a rough rule with so few seeds.
  std::string verdict() const {
    if (std::abs(mean) < 2 * error) return "neither wins: the difference is within its error";
    return mean < 0 ? "the time block helps" : "the LSTM alone is better";
  }
};

bool compare(const lesson::Options& options) {
  const Series series = read(options.quick);
  Comparison::print_heading();
  Comparison comparison(series, options);
  comparison.baselines();
  lesson::SeedMaps maps{ag::Axis::time};
  const auto plain = comparison.network<Plain>("LSTM, last state", [] { return Plain{}; });
  const auto block = comparison.network<WithBlock>(
      "LSTM -> TimeAttentionBlock -> sum", [] { return WithBlock{}; },
      [](const auto& body, const auto& z) {
        return body.block.with_weights(body.lstm(z).sequence()).weights;
      },
      &maps);
  lesson::write(options.out / "11_lstm_and_time_block.json", {plain, block});

  const Difference difference(block, plain);
  const int seeds = comparison.seeds();
  const std::string figures = fmt::format(
      "MSE {:.4f} with the block, {:.4f} without; difference {:+.4f} +- {:.4f}, better "
      "in {} of {} seeds",
      block.mse, plain.mse, difference.mean, difference.error, difference.better, seeds);
  std::vector<std::string> names(static_cast<std::size_t>(units));
  for (std::size_t u = 0; u < names.size(); u += 8) names[u] = fmt::format("unit {}", u);
  const auto hour = lesson::largest(lesson::profile(maps.mean(), maps.attended));
  const auto picture = lesson::draw(
      maps, options.out, "etth1_lstm_time_block",
      {.title = fmt::format(
           "ETTh1, a time block behind the LSTM: MSE {:.4f}, without {:.4f}, better in {} "
           "of {} seeds",
           block.mse, plain.mse, difference.better, seeds),
       .subtitle = fmt::format(
           "Largest weight at hour {}: {}, uniform {}, largest in {} of {} seeds",
           static_cast<int>(hour) - static_cast<int>(lookback), lesson::figure(maps.weight(hour)),
           lesson::figure(maps.uniform()), maps.leads(hour), seeds),
       .variables = names,
       .time_label = "hour relative to the first hour of the forecast (h)",
       .first_time = -static_cast<double>(lookback),
       .variable_label = "LSTM unit"});
  fmt::print("\n{}\n", picture.string());
  fmt::print("LSTM with and without a time block: {}.\n{}.\n", difference.verdict(), figures);
  bool all_true = claim_better(plain, comparison.repeat_last());
  all_true &= claim_better(block, comparison.repeat_day());
  for (const auto* r : {&plain, &block}) all_true &= claim_better(comparison.least_squares(), *r);
  return all_true;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "LSTM with and without a time block on ETTh1", compare);
}
