// Attention over variables whose output has the shape of its input.
#pragma once
#include <axisgrad/nn/multi_head_attention.hpp>

namespace axisgrad {

struct SameShapeAttentionOptions {
  Size time_steps = 0;  // T
  Size num_heads = 1, key_dim = 0;
  double dropout = 0;  // of the weights, in a training recording
};

/// Options of a MultiHeadAttention over variables, each seen over its T steps, that gives the
/// variables T steps again: x (B,T,F) -> (B,T,F), weights (B,H,F,F). Every step of every variable
/// has then seen all steps of all variables, since a token is a variable's whole window. The number
/// of variables is free, and key_dim need not divide T. Error without .time_steps. The wish is that
/// of docs/questions.md, 8.
///
///   MultiHeadAttention<float> attention(
///       same_shape_attention({.time_steps = 4, .num_heads = 3, .key_dim = 2}));
[[nodiscard]] inline MultiHeadAttentionOptions same_shape_attention(
    const SameShapeAttentionOptions& o) {
  if (o.time_steps < 1) fail("same_shape_attention", "needs .time_steps, got ", o.time_steps);
  return {.num_heads = o.num_heads,
          .key_dim = o.key_dim,
          .axis = Axis::feature,
          .embed_size = o.time_steps,
          .output_dim = o.time_steps,
          .dropout = o.dropout};
}

}  // namespace axisgrad
