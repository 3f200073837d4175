// Two attentions in a row: over features before an LSTM, over time after it.
#pragma once
#include <optional>

#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/lstm.hpp>

namespace axisgrad {

/// What follows the LSTM: Attention over its states, or the TimeAttentionBlock and Flatten.
enum class SecondStage { attention, time_block };

struct DualStageOptions {
  Size features = 0, lstm_units = 0;
  SecondStage second = SecondStage::attention;
  std::optional<AttentionScore> score{};  // of the attention; luong when left out
  Size attention_units = 0;               // of the attention, which needs them
  Size time_steps = 0;                    // of the time block, which needs them
  Size outputs = 1;
};

/// feature_weights (B,T,F) sum to 1 over features. time_weights sum to 1 over axis 1: (B,T) of the
/// attention, (B,T,lstm_units) of the time block.
template <Scalar T>
struct AttendedDualStage {
  Var<T> out, feature_weights, time_weights;
};

/// FeatureAttentionBlock -> LSTM -> Attention, or TimeAttentionBlock and Flatten -> Dense: the
/// simple form of the dual-stage network, whose full form is DualStageRNN. x (B,T,F) -> out
/// (B,outputs). The feature weights of a step come from that step alone. Parameters feature.*,
/// lstm.*, attention.* or time.*, dense.*. Error at construction for an option that the second
/// stage needs and was not given, or that it does not know; at a call from the part that x does not
/// fit. docs/questions.md, 12.
template <Scalar T>
class DualStage {
 public:
  using scalar = T;

  explicit DualStage(const DualStageOptions& o)
      : feature(o.features),
        lstm({.inputs = o.features, .units = o.lstm_units}),
        dense(width(o), o.outputs) {
    if (o.second == SecondStage::attention)
      attention.emplace(o.lstm_units, o.attention_units,
                        ManyToOneOptions{o.score.value_or(AttentionScore::luong)});
    else
      time.emplace(o.time_steps);
  }

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return with_weights(x).out;
  }
  template <Scalar U>
  [[nodiscard]] AttendedDualStage<U> with_weights(const Var<U>& x) const {
    const Attended<U> first = feature.with_weights(x);
    const Var<U> states = lstm(first.out).sequence();
    const Attended<U> second =
        attention ? attention->with_weights(states) : time->with_weights(states);
    return {dense(attention ? second.out : flatten(second.out)), first.weights, second.weights};
  }

  void visit(auto&& visitor) {
    visitor("feature", feature), visitor("lstm", lstm);
    if (attention) visitor("attention", *attention);
    if (time) visitor("time", *time);
    visitor("dense", dense);
  }

  FeatureAttentionBlock<T> feature;
  LSTM<T> lstm;
  std::optional<Attention<T>> attention;  // one of the two is there
  std::optional<TimeAttentionBlock<T>> time;
  Dense<T> dense;

 private:
  // Of what goes into the Dense.
  static Size width(const DualStageOptions& o) {
    if (o.second == SecondStage::attention) {
      if (o.attention_units < 1)
        fail("DualStage", "needs .attention_units, got ", o.attention_units);
      if (o.time_steps != 0)
        fail("DualStage",
             "with an attention takes any number of steps: leave out .time_steps, got ",
             o.time_steps);
      return o.attention_units;
    }
    if (o.time_steps < 1)
      fail("DualStage", "with a time block needs .time_steps, got ", o.time_steps);
    if (o.attention_units != 0 || o.score)
      fail("DualStage", "with a time block has no attention: leave out ",
           o.score ? ".score" : ".attention_units");
    return o.time_steps * o.lstm_units;
  }
};

}  // namespace axisgrad
