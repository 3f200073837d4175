// What a training says while it runs: on a terminal a line that moves, in a pipe one line per
// epoch.
#pragma once
#include <chrono>
#include <cstdio>

#include <axisgrad/autograd/shape.hpp>
#include <axisgrad/optim/history.hpp>
#include <axisgrad/optim/means.hpp>

namespace axisgrad {

enum class Verbose {
  silent,
  epochs,   // one line per epoch
  progress  // besides, on a terminal only, a bar with the running means and the time left
};

/// Writes to `out`. Allocates nothing per batch.
class Progress {
 public:
  Progress(std::FILE* out, Verbose verbose, int epochs, Size batches);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `done` batches of this epoch (from 1) are done, its means so far; first: those done in an
  /// earlier run, which say nothing about the speed of this one.
  void batch(int epoch, Size done, Size first, const Means& means);
  void epoch(const History& history, const EpochRow& row);
  void note(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  void clear_line();

  std::FILE* out_;
  Verbose verbose_;
  bool bar_, line_open_ = false;
  int epochs_, last_epoch_ = 0;
  Size batches_;
  Clock::time_point epoch_start_, last_;
};

}  // namespace axisgrad
