// How layers, initial values, rows and metrics refuse what does not fit.
#include <doctest/doctest.h>

#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/bidirectional.hpp>
#include <axisgrad/nn/data/dataset.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/metrics.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/position.hpp>

using namespace axisgrad;

#define CHECK_REFUSED(text, call) CHECK_THROWS_WITH_AS((void)(call), text, Error)

namespace {

Var<double> ones(const Shape& shape) { return Var<double>(Tensor<double>(shape, 1.)); }

}  // namespace

TEST_CASE("errors: Dense and flatten") {
  CHECK_REFUSED("[Dense] needs at least one input and one unit, got 0 and 3",
                (Dense<double>{0, 3}));
  const Dense<double> dense{4, 2};
  CHECK_REFUSED("[Dense] expects (..., 4), got (2,3)", dense(ones({2, 3})));
  CHECK_REFUSED("[Dense] expects (..., 4), got ()", dense(ones({})));
  CHECK_REFUSED("[flatten] needs a batch axis, got ()", flatten(ones({})));
}

TEST_CASE("errors: attention blocks") {
  const TimeAttentionBlock<double> time{5};
  const FeatureAttentionBlock<double> feature{3};
  CHECK_REFUSED("[TimeAttentionBlock] expects (batch, time, feature) with 5 time steps, got (2,5)",
                time(ones({2, 5})));
  CHECK_REFUSED(
      "[TimeAttentionBlock] expects (batch, time, feature) with 5 time steps, got (2,4,3)",
      time(ones({2, 4, 3})));
  CHECK_REFUSED(
      "[FeatureAttentionBlock] expects (batch, time, feature) with 3 features, got (2,3,5)",
      feature(ones({2, 3, 5})));
  CHECK_REFUSED("[TimeAttentionBlock] needs at least one time step, got 0",
                TimeAttentionBlock<double>{0});
  CHECK_REFUSED("[FeatureAttentionBlock] needs at least one feature, got 0",
                FeatureAttentionBlock<double>{0});
}

TEST_CASE("errors: LSTM") {
  CHECK_REFUSED("[LSTM] needs at least one input and one unit, got .inputs = 2, .units = 0",
                (LSTM<double>{{.inputs = 2, .units = 0}}));
  const LSTM<double> lstm{{.inputs = 2, .units = 3}};
  CHECK_REFUSED("[LSTM] expects (batch, time, 2), got (4,5,3)", lstm(ones({4, 5, 3})));
  CHECK_REFUSED(
      "[LSTM] expects (batch, time, 2), got (4,2): give the layer before it as sequence(), not "
      "last()",
      lstm(ones({4, 2})));
}

// A negative size is refused by the layer, not by the shape of its first parameter.
TEST_CASE("errors: negative sizes") {
  CHECK_REFUSED("[Dense] needs at least one input and one unit, got 4 and -3",
                (Dense<double>{4, -3}));
  CHECK_REFUSED("[Dense] needs at least one input and one unit, got -4 and 3",
                (Dense<double>{-4, 3}));
  CHECK_REFUSED("[LSTM] needs at least one input and one unit, got .inputs = -1, .units = 2",
                (LSTM<double>{{.inputs = -1, .units = 2}}));
  CHECK_REFUSED("[LSTM] needs at least one input and one unit, got .inputs = 1, .units = -2",
                (Bidirectional<double>{{.inputs = 1, .units = -2}}));
  CHECK_REFUSED("[TimeAttentionBlock] needs at least one time step, got -5",
                TimeAttentionBlock<double>{-5});
  CHECK_REFUSED("[FeatureAttentionBlock] needs at least one feature, got -5",
                FeatureAttentionBlock<double>{-5});
  CHECK_REFUSED("[TimeAttentionBlock] needs at least one time step, got -5",
                (BothAttentionBlocks<double>{-5, -3}));
  CHECK_REFUSED(
      "[PositionEmbedding] needs at least one position and one element, got .positions = -1, .size "
      "= 2",
      (PositionEmbedding<double>{{.positions = -1, .size = 2}}));
  CHECK_REFUSED(
      "[SinusoidalPosition] needs at least one position and one element, got .positions = 3, .size "
      "= -2",
      (SinusoidalPosition{{.positions = 3, .size = -2}}));
  CHECK_REFUSED("[MultiHeadAttention] needs at least one head, got num_heads = -2",
                (MultiHeadAttention<double>{{.num_heads = -2, .key_dim = 4}}));
  CHECK_REFUSED("[Attention] needs at least one input and one unit, got -3 and 4",
                (Attention<double>{-3, 4}));
  CHECK_REFUSED("[Attention] needs at least one input and one unit, got 3 and -4",
                (Attention<double>{3, -4}));
  CHECK_REFUSED("[LayerNormalization] needs sizes of at least 1, got -3",
                (LayerNormalization<double>{{-3}}));
}

TEST_CASE("errors: initial values of an unknown kind") {
  Parameter<double> p(Shape{2}, static_cast<Init>(99));
  p.set_name("odd");
  CHECK_REFUSED("[initialise] 'odd' has an unknown kind of initial values, number 99",
                initialise(Parameters<double>{&p}, 1));
}

TEST_CASE("errors: rows of what has none") {
  const std::vector<Size> none;
  CHECK_REFUSED("[gather] needs a tensor with rows, got an empty one",
                gather_rows(Tensor<double>(), none));
  CHECK_REFUSED("[gather] needs a tensor with rows, got one of rank 0",
                gather_rows(Tensor<double>({}, 1.), none));
}

TEST_CASE("errors: metrics") {
  const Tensor<double> x({2}, {1., 2.});
  CHECK_REFUSED("[mae] prediction or target is empty: it has no values",
                metrics::mae(x, Tensor<double>()));
  CHECK_REFUSED("[mae] prediction and target differ in shape: got (2) and (2,1)",
                metrics::mae(x, x.reshaped({2, 1})));
  CHECK_REFUSED("[categorical_accuracy] needs an axis of classes, got ()",
                metrics::categorical_accuracy(Tensor<double>({}, 1.), Tensor<double>({}, 1.)));
  CHECK_THROWS_WITH_AS((void)metrics::by_name("acuracy"),
                       doctest::Contains("[metric] there is no 'acuracy'; known are rmse, mae, "),
                       Error);
}
