// Dense, activations and losses.
#include <axisgrad/nn/dense.hpp>

#include "block.hpp"

namespace axisgrad::reference {
namespace {

const Choices<Activation>& activations() {
  static const Choices<Activation> all{{"relu", Activation::relu},
                                       {"tanh", Activation::tanh},
                                       {"sigmoid", Activation::sigmoid},
                                       {"softmax", Activation::softmax}};
  return all;
}

template <Scalar T>
void dense(Case<T>& c) {
  const Size units = c.options.size("units");
  const auto activation =
      c.options.choice("activation", activations(), std::optional(Activation::none));
  const bool use_bias = c.options.flag("use_bias", true);
  const Var<T> x = c.input("x");
  Dense<T> layer(x.size(-1), units, {.activation = activation, .use_bias = use_bias});
  c.load(layer);
  c.output("out", layer(x));
}

template <Scalar T>
void activation(Case<T>& c) {
  const auto function = c.options.choice("activation", activations());
  const int axis = c.options.axis("axis", -1);
  const Var<T> x = c.input("x");
  c.output("out", function == Activation::softmax ? softmax(x, axis) : activate(x, function));
}

enum class LossName { mse, mae, binary_crossentropy };

template <Scalar T>
void loss(Case<T>& c) {
  const auto name = c.options.choice(
      "loss", Choices<LossName>{{"mse", LossName::mse},
                                {"mae", LossName::mae},
                                {"binary_crossentropy", LossName::binary_crossentropy}});
  const bool from_logits = c.options.flag("from_logits", false);
  (void)c.options.number("delta", 1);  // of huber; the others have none
  const LossOptions options{c.options.choice(
      "reduction",
      Choices<Reduction>{
          {"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}},
      std::optional(Reduction::mean))};
  const Var<T> p = c.input("y_pred"), t = c.input("y_true");
  if (from_logits && name != LossName::binary_crossentropy)
    fail("golden", "from_logits is true, but ", c.options.text("loss"), " knows no logits");
  const Var<T> out = name == LossName::mse   ? mse(p, t, options)
                     : name == LossName::mae ? mae(p, t, options)
                     : from_logits           ? binary_crossentropy_from_logits(p, t, options)
                                             : binary_crossentropy(p, t, options);
  c.output("out", out);
}

}  // namespace

std::span<const Block> layers() {
  static constexpr Block all[]{
      {"Dense", dense, dense}, {"activation", activation, activation}, {"loss", loss, loss}};
  return all;
}

}  // namespace axisgrad::reference
