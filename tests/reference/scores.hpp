// The score of a many-to-one attention, as reference files name it.
#pragma once
#include <axisgrad/nn/attention.hpp>

#include "options.hpp"

namespace axisgrad::reference {

[[nodiscard]] inline AttentionScore score_of(Options& options,
                                             std::optional<AttentionScore> otherwise = {}) {
  return options.choice("score",
                        Choices<AttentionScore>{{"luong", AttentionScore::luong},
                                                {"bahdanau", AttentionScore::bahdanau}},
                        otherwise);
}

}  // namespace axisgrad::reference
