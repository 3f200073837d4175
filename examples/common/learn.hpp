// A row of the main job's table from a model of one's own: its checks, its trainings, what it
// shows.
#pragma once
#include <string>

#include <fmt/core.h>

#include "gradients.hpp"
#include "lesson.hpp"
#include "results.hpp"
#include "training.hpp"

namespace lesson {

/// What one trained model shows on samples that it was not trained on.
struct Seen {
  double planted = 0;  // weight of what was planted, mean over the samples
  bool found = false;  // whether nothing else has more
};

/// Trains make() on data(seed) once for each seed (5, quick: 2), and lets look(model, seed) judge.
template <class Make, class Loss, class Data, class Look>
BlockResult learn(BlockResult row, const Checked& checked, const Options& options, const Make& make,
                  const Loss& loss, const Data& data, const Look& look, TrainingOptions training) {
  const Clock clock;
  row.gradcheck_max_rel_error = checked.first_order;
  row.gradcheck_second_order_max_rel_error = checked.second_order;
  row.seeds = options.quick ? 2 : 5;
  for (int s = 1; s <= row.seeds; ++s) {
    training.seed = static_cast<std::uint64_t>(s);
    auto model = make();
    const Losses losses = train(model, loss, data(training.seed), training);
    const Seen seen = look(model, training.seed);
    row.loss_first += losses.first / row.seeds, row.loss_last += losses.last / row.seeds;
    row.planted_mass += seen.planted / row.seeds, row.found += seen.found;
  }
  row.seconds = clock.seconds();
  fmt::print("{}: loss {:.4f} -> {:.4f}; planted {:.3f}, found in {} of {} seeds\n", row.name,
             row.loss_first, row.loss_last, row.planted_mass, row.found, row.seeds);
  return row;
}

/// The claim that every seed found what was planted: "SENTENCE: .93, uniform .25, 5 of 5 seeds".
inline bool claim_found(const BlockResult& row, const std::string& sentence, double uniform) {
  return claim(row.found == row.seeds,
               fmt::format("{}: {}, uniform {}, {} of {} seeds", sentence, figure(row.planted_mass),
                           figure(uniform), row.found, row.seeds));
}

}  // namespace lesson
