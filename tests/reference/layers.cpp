// Dense, layer normalisation, activations and losses.
#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/layer_norm.hpp>

#include "activations.hpp"
#include "block.hpp"

namespace axisgrad::reference {
namespace {

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
void layer_normalization(Case<T>& c) {
  const Axes axes = c.options.axes("axis", Axes(-1));
  const double epsilon = c.options.number("epsilon", 1e-3);
  const Var<T> x = c.input("x");
  LayerNormalization<T> layer(c.shape("gamma"), {.axes = axes, .epsilon = epsilon});
  c.load(layer);
  c.output("out", layer(x));
}

template <Scalar T>
void activation(Case<T>& c) {
  const auto function = c.options.choice("activation", activations());
  const int axis = c.options.axis("axis", -1);
  c.output("out", activate(c.input("x"), function, axis));
}

enum class LossName { mse, mae, huber, binary, categorical };

template <Scalar T>
void loss(Case<T>& c) {
  const auto name = c.options.choice(
      "loss", Choices<LossName>{{"mse", LossName::mse},
                                {"mae", LossName::mae},
                                {"huber", LossName::huber},
                                {"binary_crossentropy", LossName::binary},
                                {"categorical_crossentropy", LossName::categorical}});
  const bool from_logits = c.options.flag("from_logits", false);
  const double delta = c.options.number("delta", 1);  // of huber
  const auto reduction = c.options.choice(
      "reduction",
      Choices<Reduction>{
          {"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}},
      std::optional(Reduction::mean));
  const Var<T> p = c.input("y_pred"), t = c.input("y_true");
  if (from_logits && name != LossName::binary && name != LossName::categorical)
    fail("golden", "from_logits is true, but ", c.options.text("loss"), " knows no logits");

  auto value = [&]() -> Var<T> {
    switch (name) {
      case LossName::mse:
        return mse(p, t, {.reduction = reduction});
      case LossName::mae:
        return mae(p, t, {.reduction = reduction});
      case LossName::huber:
        return huber(p, t, {.reduction = reduction, .delta = delta});
      case LossName::binary:
        return from_logits ? binary_crossentropy_from_logits(p, t, {.reduction = reduction})
                           : binary_crossentropy(p, t, {.reduction = reduction});
      case LossName::categorical:
        break;
    }
    return from_logits ? categorical_crossentropy_from_logits(p, t, {.reduction = reduction})
                       : categorical_crossentropy(p, t, {.reduction = reduction});
  };
  c.output("out", value());
  // The loss as textbooks write it, which does not divide the probabilities by their sum: one line
  // of public ops.
  if (c.holds("grad_plain.y_pred"))
    c.result("grad_plain.y_pred", grad(mean(-sum(t * log(p), -1)), p).value());
}

}  // namespace

std::span<const Block> layers() {
  static constexpr Block all[]{{"Dense", dense, dense},
                               {"LayerNormalization", layer_normalization, layer_normalization},
                               {"activation", activation, activation},
                               {"loss", loss, loss}};
  return all;
}

}  // namespace axisgrad::reference
