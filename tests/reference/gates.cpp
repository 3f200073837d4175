// The attention blocks that weight positions: x times a softmax of a Dense.
#include <axisgrad/nn/attention_blocks.hpp>

#include "block.hpp"

namespace axisgrad::reference {
namespace {

struct GateOptions {
  Size time_steps, features;
  bool single;
};

// The files give both sizes; a block is told one of them and finds the other in x.
template <Scalar T>
GateOptions gate_options(Case<T>& c, const Var<T>& x) {
  const GateOptions o{c.options.size("time_steps"), c.options.size("input_dim"),
                      c.options.flag("single_attention_vector", false)};
  if (x.rank() != 3 || x.size(1) != o.time_steps || x.size(2) != o.features)
    fail("golden", "x has the shape ", x.shape(), ", the options say (batch,", o.time_steps, ',',
         o.features, ')');
  return o;
}

template <Scalar T, class Block>
void gate(Case<T>& c, const Var<T>& x, Block block) {
  c.load(block);
  const auto y = block.with_weights(x);
  c.output("out", y.out);
  c.output("attention", y.weights);
}

template <Scalar T>
void time_block(Case<T>& c) {
  const Var<T> x = c.input("x");
  const GateOptions o = gate_options(c, x);
  gate(c, x, TimeAttentionBlock<T>(o.time_steps, {.single_attention_vector = o.single}));
}

template <Scalar T>
void feature_block(Case<T>& c) {
  const Var<T> x = c.input("x");
  const GateOptions o = gate_options(c, x);
  gate(c, x, FeatureAttentionBlock<T>(o.features, {.single_attention_vector = o.single}));
}

template <Scalar T>
void both_blocks(Case<T>& c) {
  const Var<T> x = c.input("x");
  const GateOptions o = gate_options(c, x);
  const auto form =
      c.options.choice("form", Choices<BothForm>{{"product", BothForm::product},
                                                 {"time_then_feature", BothForm::time_then_feature},
                                                 {"feature_then_time", BothForm::feature_then_time},
                                                 {"joint", BothForm::joint}});
  BothAttentionBlocks<T> blocks(o.time_steps, o.features,
                                {.form = form, .single_attention_vector = o.single});
  c.load(blocks);
  const auto y = blocks.with_weights(x);
  c.output("out", y.out);
  c.output("attention", y.weights);
  if (form == BothForm::joint) return;
  c.output("time_attention", y.time_weights);
  c.output("feature_attention", y.feature_weights);
}

}  // namespace

std::span<const Block> gates() {
  static constexpr Block all[]{{"TimeAttentionBlock", time_block, time_block},
                               {"FeatureAttentionBlock", feature_block, feature_block},
                               {"BothAttentionBlocks", both_blocks, both_blocks}};
  return all;
}

}  // namespace axisgrad::reference
