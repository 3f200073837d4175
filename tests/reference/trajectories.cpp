// Training, step by step: the loss before each update, and the parameters after the last.
#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>

#include "block.hpp"
#include "scores.hpp"
#include "with_optimizer.hpp"

namespace axisgrad::reference {
namespace {

enum class LossName { mse, mae, binary };

template <Scalar T>
Var<T> loss_of(LossName name, const Var<T>& p, const Var<T>& t) {
  switch (name) {
    case LossName::mse:
      return mse(p, t);
    case LossName::mae:
      return mae(p, t);
    case LossName::binary:
      break;
  }
  return binary_crossentropy_from_logits(p, t);
}

// batch_order (steps, batch) says which samples of x and y make up each batch.
template <Scalar T, class Network>
void train(Case<T>& c, Network network) {
  const auto name = c.options.choice(
      "loss", Choices<LossName>{{"mse", LossName::mse},
                                {"mae", LossName::mae},
                                {"binary_crossentropy_from_logits", LossName::binary}});
  if (c.options.text("reduction", "mean") != "mean")
    fail("golden", "option reduction must be mean, got ", c.options.text("reduction"));
  c.load(network);
  const auto list = parameters(network);
  const Var<T> x = constant(c.array("x")), y = constant(c.array("y"));
  const std::vector<Size> order = c.integers("batch_order");
  const Size steps = c.shape("batch_order")[0], batch = c.shape("batch_order")[1];
  Tensor<T> losses(Shape{steps});
  with_optimizer<T>(c.options, [&](auto optimizer) {
    optimizer.bind(list);
    Tape<T> tape;
    for (Size i = 0; i < steps; ++i) {
      tape.clear();
      const std::vector<Size> samples(order.begin() + i * batch, order.begin() + (i + 1) * batch);
      const Var<T> p = network(tape.input(take(x, samples, 0).value()));
      const Var<T> loss = loss_of(name, p, take(y, samples, 0));
      losses.mutable_data()[i] = loss.item();
      zero_gradients(list);
      backward(loss);
      optimizer.step();
    }
  });
  c.result("losses", losses);
  for (const Parameter<T>* p : list) c.result("final." + p->name(), p->value());
}

template <Scalar T>
struct TimeBlockNetwork {
  using scalar = T;
  LSTM<T> lstm;
  TimeAttentionBlock<T> time;
  Dense<T> dense;

  Var<T> operator()(const Var<T>& x) const { return dense(flatten(time(lstm(x).sequence()))); }
  void visit(auto&& visitor) {
    visitor("lstm", lstm), visitor("time", time), visitor("dense", dense);
  }
};

template <Scalar T>
void train_time_block(Case<T>& c) {
  const Size units = c.options.size("lstm_units"), steps = c.shape("x")[1];
  train(c, TimeBlockNetwork<T>{LSTM<T>({.inputs = c.shape("x")[2], .units = units}),
                               TimeAttentionBlock<T>(steps), Dense<T>(steps * units, 1)});
}

template <Scalar T>
struct ManyToOneNetwork {
  using scalar = T;
  LSTM<T> lstm;
  Attention<T> attention;
  Dense<T> dense;

  Var<T> operator()(const Var<T>& x) const { return dense(attention(lstm(x).sequence())); }
  void visit(auto&& visitor) {
    visitor("lstm", lstm), visitor("attention", attention), visitor("dense", dense);
  }
};

template <Scalar T>
void train_many_to_one(Case<T>& c) {
  const Size hidden = c.options.size("lstm_units"), units = c.options.size("attention_units");
  train(c, ManyToOneNetwork<T>{LSTM<T>({.inputs = c.shape("x")[2], .units = hidden}),
                               Attention<T>(hidden, units, {.score = score_of(c.options)}),
                               Dense<T>(units, 1)});
}

// The attention's parameters stand without a prefix in the file.
template <Scalar T>
struct FeatureAttentionNetwork {
  using scalar = T;
  MultiHeadAttention<T> attention;
  Dense<T> dense;

  Var<T> operator()(const Var<T>& x) const { return dense(flatten(attention(x))); }
  void visit(auto&& visitor) { attention.visit(visitor), visitor("dense", dense); }
};

template <Scalar T>
void train_feature_attention(Case<T>& c) {
  const Size steps = c.shape("x")[1], features = c.shape("x")[2];
  const MultiHeadAttentionOptions options{.num_heads = c.options.size("num_heads"),
                                          .key_dim = c.options.size("key_dim"),
                                          .axis = Axis::feature,
                                          .embed_size = steps};
  train(c,
        FeatureAttentionNetwork<T>{MultiHeadAttention<T>(options), Dense<T>(steps * features, 1)});
}

}  // namespace

std::span<const Block> trajectories() {
  static constexpr Block all[]{
      {"TrainTimeAttentionBlock", train_time_block, train_time_block},
      {"TrainManyToOneAttention", train_many_to_one, train_many_to_one},
      {"TrainFeatureAttention", train_feature_attention, train_feature_attention}};
  return all;
}

}  // namespace axisgrad::reference
