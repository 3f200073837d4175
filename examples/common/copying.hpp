// Attention whose right answer is known: trained to copy between tokens, it has to look at them.
#pragma once
#include <string>

#include <axisgrad/nn/multi_head_attention.hpp>

#include "lesson.hpp"
#include "planted_matrix.hpp"
#include "results.hpp"

namespace lesson {

/// Token i of the answer is token source[i] of x (N, steps, variables), or a fixed linear map of
/// it. A token does not know its own position: a learned embedding tells it, added to what queries
/// and keys are made of, while the values are x alone.
struct CopyTask {
  int seed_system = 0;
  axisgrad::Size steps = 0, variables = 0;
  axisgrad::Axis axis = axisgrad::Axis::time;  // of the tokens
  Sources source{};
  /// Heads, dropout, ...; the axis and the size of the embed axis are filled in. Another output_dim
  /// than that of x asks for the answer times a fixed matrix of that width.
  axisgrad::MultiHeadAttentionOptions attention{};
  axisgrad::Tensor<double> mask{};  // (1, queries, keys), 1 = attend; may be empty
  int epochs = 30;
};

/// What the seeds found, and the row for the table.
struct Copied {
  SeedMatrices maps{};  // mean over 100 new samples and the heads
  axisgrad::Shape weights{}, out{};
  double off_one = 0;         // the furthest that a row of weights is from summing to 1
  double largest_masked = 0;  // weight where the mask forbids to look
  bool gradients_right = false;
  BlockResult row{};
};

/// Checks the gradients of a small one of its kind, trains one for each seed, looks at weights.
Copied learn_to_copy(const CopyTask& task, const Options& options);

}  // namespace lesson
