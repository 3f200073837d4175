// Attention that treats variables by themselves, and their correlation.
#include <axisgrad/nn/correlated_attention.hpp>
#include <axisgrad/nn/per_variable_attention.hpp>
#include <axisgrad/nn/variable_query_attention.hpp>

#include "block.hpp"

namespace axisgrad::reference {
namespace {

// Without an axis after the batch there is no size to read off; the block then refuses x.
template <Scalar T>
Size size_or_1(const Var<T>& x, int axis) {
  return x.rank() > axis ? x.shape()[axis] : 1;
}

template <Scalar T>
void per_variable(Case<T>& c) {
  const Var<T> x = c.input("x");
  PerVariableAttention<T> module(
      {.num_heads = c.options.size("num_heads"),
       .key_dim = c.options.size("key_dim"),
       .embed_size = c.shape("lift.kernel").rank() == 2 ? c.shape("lift.kernel")[1] : 0,
       .lift = c.options.choice(
           "lift", Choices<Lift>{{"shared", Lift::shared}, {"separate", Lift::separate}}),
       .variables = size_or_1(x, 2),
       .axis = c.options.axis("axis")});
  c.load(module);
  const auto y = module.with_weights(x);
  c.output("out", y.out), c.output("weights", y.weights);
  c.output("scores", y.scores), c.output("lifted", y.lifted);
}

template <Scalar T>
void variable_query(Case<T>& c) {
  const Var<T> x = c.input("x");
  VariableQueryAttention<T> module({.features = size_or_1(x, 2),
                                    .num_heads = c.options.size("num_heads"),
                                    .key_dim = c.options.size("key_dim"),
                                    .output_dim = c.options.size("output_dim")});
  c.load(module);
  const auto y = module.with_weights(x);
  c.output("out", y.out), c.output("weights", y.weights), c.output("scores", y.scores);
}

Constant constant_of(Options& options) {
  return options.choice("constant",
                        Choices<Constant>{{"nan", Constant::nan}, {"zero", Constant::zero}},
                        std::optional(Constant::nan));
}

template <Scalar T>
void pearson(Case<T>& c) {
  c.output("out", pearson_correlation(c.input("x"), c.options.axis("axis"),
                                      {.constant = constant_of(c.options)}));
}

template <Scalar T>
void correlated(Case<T>& c) {
  const Var<T> x = c.input("x");
  if (x.rank() < 3) fail("golden", "x has the shape ", x.shape(), ", expected rank 3 or more");
  const int axis = resolve(Axis(c.options.axis("axis")), x.rank(), "golden");
  const Size seen_over = x.shape()[axis == x.rank() - 1 ? axis - 1 : x.rank() - 1];
  CorrelatedAttention<T> module({.num_heads = c.options.size("num_heads"),
                                 .key_dim = c.options.size("key_dim"),
                                 .axis = axis,
                                 .embed_size = seen_over,
                                 .output_dim = c.options.size("output_dim", 0)});
  c.load(module);
  const auto y = module.with_weights(x);
  c.output("out", y.out), c.output("attended", y.attended), c.output("weights", y.weights);
}

}  // namespace

std::span<const Block> variables() {
  static constexpr Block all[]{{"PerVariableAttention", per_variable, per_variable},
                               {"VariableQueryAttention", variable_query, variable_query},
                               {"pearson_correlation", pearson, pearson},
                               {"CorrelatedAttention", correlated, correlated}};
  return all;
}

}  // namespace axisgrad::reference
