// Lesson 6: both blocks on a real series, next to what needs no network.
//
// ETTh1 holds six loads and the oil temperature OT of a transformer, hourly. From 96 hours of all
// seven the models forecast OT over the next 24. You learn to split in the order of time, to scale
// with what training may know, to normalise each window, and to measure simple rules on the same
// windows before believing a network or its attention map. The text that the program prints at its
// end is made from the figures, whichever way they fall.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/data/baselines.hpp>
#include <axisgrad/nn/data/scaler.hpp>
#include <axisgrad/nn/data/split.hpp>
#include <axisgrad/nn/data/table.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/fit.hpp>

#include "common/attention_map.hpp"
#include "common/lesson.hpp"
#include "common/results.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size lookback = 96, horizon = 24, day = 24, features = 7, units = 32;

// The series in the unit of the training part's deviation, cut into windows.
struct Series {
  std::vector<std::string> names;
  ag::Size target;
  ag::StandardScaler scaler;  // of the target alone
  ag::Windows<float> train, validation, test;
};

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

// Stands where a block would: the model without attention.
struct NoBlock {
  using scalar = float;
  const auto& operator()(const auto& x) const { return x; }
  void visit(auto&&) {}
};

// x (B,96,7) -> each variable of the window to mean 0 and deviation 1 -> block -> LSTM, last state
// (B,32) -> Dense (B,24) -> OT's mean and deviation put back, (B,24,1)
template <class Block>
struct Forecaster {
  using scalar = float;
  Block block;
  ag::Size target;
  ag::LSTM<float> lstm{{.inputs = features, .units = units}};
  ag::Dense<float> head{units, horizon};

  template <ag::Scalar T>
  struct Normalised {
    ag::Var<T> z, mean, deviation;  // (B,96,7), (B,1,7), (B,1,7)
  };
  template <ag::Scalar T>
  static Normalised<T> normalise(const ag::Var<T>& x) {
    const auto mean = ag::mean(x, ag::Axis::time, {.keep = true});
    const auto centred = x - mean;
    const auto variance = ag::mean(square(centred), ag::Axis::time, {.keep = true});
    const auto deviation = sqrt(variance + T(1e-5));
    return {centred / deviation, mean, deviation};
  }

  template <ag::Scalar T>
  ag::Var<T> operator()(const ag::Var<T>& x) const {
    const auto window = normalise(x);
    const auto y = unsqueeze(head(lstm(block(window.z)).last()), ag::Axis::feature);
    const ag::SliceOptions ot{.axis = ag::Axis::feature, .begin = target, .end = target + 1};
    return y * slice(window.deviation, ot) + slice(window.mean, ot);
  }
  void visit(auto&& visitor) {
    visitor("block", block), visitor("lstm", lstm), visitor("head", head);
  }
};

void print(const lesson::ForecastResult& r, const std::string& note = "") {
  fmt::print("{:<36}{:>8.4f}{:>8.4f}{:>10.3f}{:>9.3f}{:>8.1f}  {}\n", r.model, r.mse, r.mae,
             r.mse_original, r.mae_original, r.seconds, note);
  std::fflush(stdout);
}

class Comparison {
 public:
  Comparison(const Series& series, const lesson::Options& options)
      : series_(series), options_(options), test_(series.test.dataset()) {}

  /// A forecast (N,24,1) of the test windows, in standardised units.
  lesson::ForecastResult score(const std::string& model, const ag::Tensor<float>& forecast,
                               double seconds) const {
    const auto scaled = ag::scores(forecast, test_.y);
    const auto original =
        ag::scores(series_.scaler.inverse(forecast), series_.scaler.inverse(test_.y));
    return {model, scaled.mse, scaled.mae, original.mse, original.mae, seconds};
  }

  /// What needs no training by gradient.
  void baselines() {
    const std::vector<ag::Size> target{series_.target};
    lesson::Clock clock;
    const auto last = ag::repeat_last(test_.x, horizon, target);
    add(score("repeat last value", last, clock.seconds()));
    clock = {};
    const auto last_day = ag::repeat_season(test_.x, horizon, day, target);
    add(score("repeat last day", last_day, clock.seconds()));
    clock = {};
    const auto linear = ag::LeastSquares(series_.train).predict(test_.x, target);
    add(score("least squares", linear, clock.seconds()));
  }

  /// Trains once for each seed; the mean scores. `maps` gets the block's mean weights by seed.
  template <class Block, class MakeBlock>
  lesson::ForecastResult network(const std::string& model_name, const MakeBlock& make_block,
                                 lesson::SeedMaps* maps) {
    const int seeds = options_.quick ? 2 : 5;
    lesson::ForecastResult mean{.model = model_name};
    std::string by_seed = "MSE by seed";
    for (int s = 1; s <= seeds; ++s) {
      const lesson::Clock clock;
      Forecaster<Block> model{make_block(), series_.target};
      const auto parameters = ag::parameters(model);
      ag::initialise(parameters, static_cast<std::uint64_t>(s));
      ag::Adam<float> adam({.learning_rate = 2e-3});
      ag::fit(model, parameters, adam, ag::mse, series_.train, series_.validation,
              {.epochs = options_.quick ? 3 : 10,
               .batch_size = 64,
               .seed = static_cast<std::uint64_t>(s),
               .early_stopping = {.patience = 3},
               .verbose = ag::Verbose::silent,
               .handle_interrupt = false});
      const auto r = score(model_name, ag::predict(model, test_.x), clock.seconds());
      mean.mse += r.mse / seeds, mean.mae += r.mae / seeds;
      mean.mse_original += r.mse_original / seeds, mean.mae_original += r.mae_original / seeds;
      mean.seconds += r.seconds;
      by_seed += fmt::format(" {:.4f}", r.mse);
      if constexpr (!std::is_same_v<Block, NoBlock>)
        maps->maps.push_back(lesson::mean_over_samples(ag::predict(
            [&](const auto& x) { return model.block.with_weights(model.normalise(x).z).weights; },
            test_.x)));
    }
    add(mean, by_seed);
    return mean;
  }

  /// The map of the position with the largest mean weight, with words on whether the seeds agree.
  void picture(const lesson::SeedMaps& maps, const std::string& file, const std::string& block) {
    const auto position = lesson::largest(lesson::profile(maps.mean(), maps.attended));
    const double weight = maps.weight(position), uniform = maps.uniform();
    const int seeds = maps.seeds(), leads = maps.leads(position);
    const bool over_time = maps.attended == ag::Axis::time;
    const std::string where =
        over_time ? fmt::format("hour {}", static_cast<int>(position) - static_cast<int>(lookback))
                  : series_.names[position];
    const std::string thing = over_time ? "hour" : "variable";
    std::string finding = "One " + thing + " stands out in every seed";
    if (maps.lowest(position) <= uniform)
      finding = "Not above uniform in every seed";
    else if (leads < seeds)
      finding = "Above uniform, but the seeds disagree on the largest " + thing;
    const std::string title =
        fmt::format("ETTh1, {}: {}, uniform {}, largest in {} of {} seeds", where,
                    lesson::figure(weight), lesson::figure(uniform), leads, seeds);
    const auto path =
        lesson::draw(maps, options_.out, file,
                     {.title = title,
                      .subtitle = fmt::format("{}. {}, LSTM({}), Dense({}); {} test windows",
                                              finding, block, units, horizon, test_.samples()),
                      .variables = series_.names,
                      .time_label = "hour relative to the first hour of the forecast (h)",
                      .first_time = -static_cast<double>(lookback)});
    fmt::print("{}\n  {}. {}\n", path.string(), title, finding);
  }

  const std::vector<lesson::ForecastResult>& results() const { return results_; }

 private:
  void add(const lesson::ForecastResult& r, const std::string& note = "") {
    results_.push_back(r);
    print(r, note);
  }

  const Series& series_;
  const lesson::Options& options_;
  ag::Dataset<float> test_;
  std::vector<lesson::ForecastResult> results_;
};

bool etth1(const lesson::Options& options) {
  const Series series = read(options.quick);
  fmt::print("{} windows to train on, {} to validate, {} to test; OT in units of {:.3f} deg C\n\n",
             series.train.samples(), series.validation.samples(), series.test.samples(),
             series.scaler.deviation().item());
  fmt::print("{:<36}{:>8}{:>8}{:>10}{:>9}{:>8}\n", "model", "MSE", "MAE", "deg C^2", "deg C", "s");
  Comparison comparison(series, options);
  comparison.baselines();
  lesson::SeedMaps over_time{ag::Axis::time}, over_features{ag::Axis::feature};
  const auto plain = comparison.network<NoBlock>(
      "LSTM", [] { return NoBlock{}; }, nullptr);
  const auto time = comparison.network<ag::TimeAttentionBlock<float>>(
      "TimeAttentionBlock -> LSTM", [] { return ag::TimeAttentionBlock<float>(lookback); },
      &over_time);
  const auto feature = comparison.network<ag::FeatureAttentionBlock<float>>(
      "FeatureAttentionBlock -> LSTM", [] { return ag::FeatureAttentionBlock<float>(features); },
      &over_features);
  lesson::write(options.out / "06_etth1.json", comparison.results());

  fmt::print("\n");
  comparison.picture(over_time, "etth1_time_block", "TimeAttentionBlock");
  comparison.picture(over_features, "etth1_feature_block", "FeatureAttentionBlock");

  const auto& all = comparison.results();
  bool finite = true;
  for (const auto& r : all) finite = finite && std::isfinite(r.mse) && std::isfinite(r.mae);
  fmt::print("\n");
  for (const auto* r : {&time, &feature}) {
    std::string beaten;
    for (std::size_t k = 0; k < 3; ++k)
      if (r->mse < all[k].mse) beaten += (beaten.empty() ? "" : ", ") + all[k].model;
    fmt::print("{}: MSE {:.4f} beats {}; the LSTM without it has {:.4f}.\n", r->model, r->mse,
               beaten.empty() ? "none of the baselines" : beaten, plain.mse);
  }
  if (std::min({plain.mse, time.mse, feature.mse}) > all[2].mse)
    fmt::print(
        "Least squares, one matrix of {} by {}, is ahead of every network here: the maps show what "
        "these models\nattend to, and say little about the transformer.\n",
        lookback, horizon);
  return lesson::claim(finite, "every score is finite");
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Both blocks on ETTh1, next to simple rules", etth1);
}
