// The blocks that reference files can ask for. To add one: write a function template over the
// scalar that computes it from a Case, in the file of its kind, and name it in that file's list.
#pragma once
#include <span>
#include <string_view>

#include "case.hpp"

namespace axisgrad::reference {

struct Block {
  std::string_view name;
  void (*in_double)(Case<double>&);
  void (*in_float)(Case<float>&);
};

// One list per file.
[[nodiscard]] std::span<const Block> layers();        // Dense, LayerNormalization, activation, loss
[[nodiscard]] std::span<const Block> attentions();    // attention.cpp: content attention
[[nodiscard]] std::span<const Block> gates();         // TimeAttentionBlock and its kin
[[nodiscard]] std::span<const Block> variables();     // variables.cpp: per variable, correlation
[[nodiscard]] std::span<const Block> networks();      // Attention, DualStage and its kin
[[nodiscard]] std::span<const Block> recurrent();     // LSTM, Bidirectional
[[nodiscard]] std::span<const Block> trajectories();  // Train*: losses of 50 steps
[[nodiscard]] std::span<const Block> optimizers();
[[nodiscard]] std::span<const Block> training();  // clip_by_global_norm, schedule, metrics

/// Null when there is none of this name.
[[nodiscard]] const Block* find_block(std::string_view name);

}  // namespace axisgrad::reference
