// Lesson 6: both blocks on a real series, next to what needs no network.
//
// ETTh1 holds six loads and the oil temperature OT of a transformer, hourly. From 96 hours of all
// seven the models forecast OT over the next 24. You learn to split in the order of time, to scale
// with what training may know, to normalise each window, and to measure simple rules on the same
// windows before believing a network or its attention map: every network beats the simplest rule,
// and one matrix beats every network.

#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/lstm.hpp>

#include "common/etth1.hpp"

namespace ag = axisgrad;
using namespace lesson::etth1;

namespace {

// Stands where a block would: the model without attention.
struct NoBlock {
  using scalar = float;
  const auto& operator()(const auto& x) const { return x; }
  void visit(auto&&) {}
};

// z (B,96,7) -> block -> LSTM, last state (B,32) -> Dense (B,24)
template <class Block>
struct BlockThenLstm {
  using scalar = float;
  Block block;
  ag::LSTM<float> lstm{{.inputs = features, .units = units}};
  ag::Dense<float> head{units, horizon};

  auto operator()(const auto& z) const { return head(lstm(block(z)).last()); }
  void visit(auto&& visitor) {
    visitor("block", block), visitor("lstm", lstm), visitor("head", head);
  }
};

// The map of the position with the largest mean weight, with words on whether the seeds agree.
void picture(const lesson::SeedMaps& maps, const Series& series, ag::Size windows,
             const lesson::Options& options, const std::string& file, const std::string& block) {
  const auto position = lesson::largest(lesson::profile(maps.mean(), maps.attended));
  const double weight = maps.weight(position), uniform = maps.uniform();
  const int seeds = maps.seeds(), leads = maps.leads(position);
  const bool over_time = maps.attended == ag::Axis::time;
  const std::string where =
      over_time ? fmt::format("hour {}", static_cast<int>(position) - static_cast<int>(lookback))
                : series.names[position];
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
      lesson::draw(maps, options.out, file,
                   {.title = title,
                    .subtitle = fmt::format("{}. {}, LSTM({}), Dense({}); {} test windows", finding,
                                            block, units, horizon, windows),
                    .variables = series.names,
                    .time_label = "hour relative to the first hour of the forecast (h)",
                    .first_time = -static_cast<double>(lookback)});
  fmt::print("{}\n  {}. {}\n", path.string(), title, finding);
}

bool etth1(const lesson::Options& options) {
  const Series series = read(options.quick);
  fmt::print("{} windows to train on, {} to validate, {} to test; OT in units of {:.3f} deg C\n\n",
             series.train.samples(), series.validation.samples(), series.test.samples(),
             series.scaler.deviation().item());
  Comparison::print_heading();
  Comparison comparison(series, options);
  comparison.baselines();
  lesson::SeedMaps over_time{ag::Axis::time}, over_features{ag::Axis::feature};
  const auto attention = [](const auto& body, const auto& z) {
    return body.block.with_weights(z).weights;
  };
  using Time = BlockThenLstm<ag::TimeAttentionBlock<float>>;
  using Feature = BlockThenLstm<ag::FeatureAttentionBlock<float>>;
  const auto plain =
      comparison.network<BlockThenLstm<NoBlock>>("LSTM", [] { return BlockThenLstm<NoBlock>{}; });
  const auto time = comparison.network<Time>(
      "TimeAttentionBlock -> LSTM", [] { return Time{ag::TimeAttentionBlock<float>(lookback)}; },
      attention, &over_time);
  const auto feature = comparison.network<Feature>(
      "FeatureAttentionBlock -> LSTM",
      [] { return Feature{ag::FeatureAttentionBlock<float>(features)}; }, attention,
      &over_features);
  lesson::write(options.out / "06_etth1.json", comparison.results());

  fmt::print("\n");
  const auto windows = comparison.test_windows();
  picture(over_time, series, windows, options, "etth1_time_block", "TimeAttentionBlock");
  picture(over_features, series, windows, options, "etth1_feature_block", "FeatureAttentionBlock");

  fmt::print("\n");
  for (const auto* r : {&time, &feature})
    fmt::print("{}: MSE {:.4f}; the LSTM without it has {:.4f}.\n", r->model, r->mse, plain.mse);
  fmt::print(
      "Where least squares, one matrix of {} by {}, is ahead of every network, the maps show what "
      "these models\nattend to, and say little about the transformer.\n",
      lookback, horizon);
  // What a quarter of the windows teaches in three epochs is less than all of them in ten.
  const auto& rule = options.quick ? comparison.repeat_day() : comparison.repeat_last();
  bool all_true = claim_better(plain, comparison.repeat_last());
  for (const auto* r : {&time, &feature}) all_true &= claim_better(*r, rule);
  for (const auto* r : {&plain, &time, &feature})
    all_true &= claim_better(comparison.least_squares(), *r);
  return all_true;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Both blocks on ETTh1, next to simple rules", etth1);
}
