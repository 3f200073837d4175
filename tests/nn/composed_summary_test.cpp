// summary() of the modules that are made of others.
#include <sstream>

#include <axisgrad/nn/dual_stage.hpp>
#include <axisgrad/nn/dual_stage_rnn.hpp>
#include <axisgrad/nn/itransformer.hpp>
#include <axisgrad/nn/summary.hpp>

#include "module_fixture.hpp"

using namespace axisgrad;
using namespace axisgrad::tests;

namespace {

template <class... Part>
std::string printed(const Part&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

// "path Class: elements" of each row.
std::string rows(const Summary& s) {
  std::string text;
  for (const SummaryRow& row : s.rows)
    text += (text.empty() ? "" : ", ") +
            printed(row.path, row.path.empty() ? "" : " ", row.type, ": ", row.count());
  return text;
}

}  // namespace

TEST_CASE("summary of Attention: the parameters of its score alone") {
  Attention<float> luong(4, 6), bahdanau(4, 6, {.score = AttentionScore::bahdanau});
  CHECK(rows(summary(luong)) == "Attention: 64");
  CHECK(printed(summary(bahdanau)) ==
        "layer      parameters              count\n"
        "----------------------------------------\n"
        "Attention  bahdanau_v (4,1)           84\n"
        "           bahdanau_w1 (4,4)\n"
        "           bahdanau_w2 (4,4)\n"
        "           attention_vector (8,6)\n"
        "----------------------------------------\n"
        "total 84 parameters (336 B): 84 trainable, 0 frozen\n");
}

TEST_CASE("summary of DualStage: the second stage that was chosen") {
  DualStage<float> attention({.features = 3, .lstm_units = 2, .attention_units = 5});
  CHECK(
      rows(summary(attention)) ==
      "feature FeatureAttentionBlock: 12, lstm LSTM: 48, attention Attention: 24, dense Dense: 6");
  DualStage<float> time(
      {.features = 3, .lstm_units = 2, .second = SecondStage::time_block, .time_steps = 4});
  CHECK(rows(summary(time)) ==
        "feature FeatureAttentionBlock: 12, lstm LSTM: 48, time TimeAttentionBlock: 20, dense "
        "Dense: 9");
  CHECK(summary(time).total() == count(parameters(time)));
}

TEST_CASE("summary of DualStageRNN: its own parameters, then either LSTM") {
  DualStageRNN<float> model(
      {.time_steps = 10, .series = 6, .encoder_units = 64, .decoder_units = 64});
  const Summary s = summary(model);
  CHECK(rows(s) == "DualStageRNN: 22129, encoder LSTM: 18176, decoder LSTM: 16896");
  CHECK(s.total() == count(parameters(model)));
  CHECK(s.bytes == 4 * s.total());
}

TEST_CASE("summary of ITransformer: each layer by its number") {
  ITransformer<double> model({.time_steps = 5,
                              .horizon = 2,
                              .d_model = 4,
                              .num_heads = 2,
                              .d_ff = 3,
                              .layers = 2,
                              .identity_embeddings = true,
                              .variables = 3});
  const Summary s = summary(model);
  const std::string text = rows(s);
  CHECK(
      text.starts_with("embedding Dense: 24, identity PositionEmbedding: 12, "
                       "encoder.0.attention.query Projection: 20"));
  CHECK(
      text.ends_with("encoder.1.dense1 Dense: 15, encoder.1.dense2 Dense: 16, encoder.1.norm2 "
                     "LayerNormalization: 8, norm LayerNormalization: 8, projector Dense: 10"));
  CHECK(s.total() == 308);
  CHECK(s.total() == count(parameters(model)));
}
