// The part of fit() that knows neither model nor scalar: which samples come when, what is written
// down, when to stop.
#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <span>

#include <axisgrad/optim/interrupt.hpp>
#include <axisgrad/optim/means.hpp>
#include <axisgrad/optim/progress.hpp>
#include <axisgrad/optim/schedule.hpp>

namespace axisgrad {

/// Watches the validation loss, without validation the loss.
struct EarlyStopping {
  int patience = 0;          // epochs without improvement before the end; 0: never stop
  double min_delta = 0;      // an improvement is more than this
  bool restore_best = true;  // at the end: the weights of the best epoch
};

/// After a batch. `step` counts all batches of the training, epoch and batch from 1.
struct BatchRow {
  int epoch = 0;
  Size batch = 0, batches = 0, step = 0;
  double loss = 0;
};

struct FitOptions {
  int epochs = 1;
  Size batch_size = 32;  // the last batch of an epoch may be smaller
  bool shuffle = true;   // a new order in each epoch, from (seed, epoch)
  std::uint64_t seed = 0;
  /// The last samples are held back for validation, in their order, before anything is shuffled.
  double validation_fraction = 0;
  EarlyStopping early_stopping{};
  double clip_norm = 0;   // global norm of the gradients; 0: not clipped
  double clip_value = 0;  // or each element of them, to +- this; 0: not clipped
  Convention clip_convention = Convention::keras;
  std::vector<Metric> metrics{};  // metrics::rmse, ...
  /// The learning rate of a step; see schedule.hpp.
  std::function<double(Size step)> schedule{};
  /// Asked after each epoch, instead of a schedule. Its state stays with the caller.
  ReduceOnPlateau* plateau = nullptr;
  Verbose verbose = Verbose::progress;
  std::FILE* output = stdout;
  std::function<void(const EpochRow&)> on_epoch{};
  std::function<void(const BatchRow&)> on_batch{};
  bool check_finite = false;     // find the op of the first NaN or infinity; slower
  bool handle_interrupt = true;  // Ctrl-C ends after the batch
};

/// Where a training stands. The names are those of a checkpoint.
class FitPosition {
 public:
  void visit(auto&& visitor) {
    visitor("epoch", epoch_), visitor("batch", batch_), visitor("step", step_);
    visitor("best_loss", best_loss_), visitor("best_epoch", best_epoch_);
  }
  int epoch() const { return static_cast<int>(epoch_.item()); }    // completed
  Size batch() const { return static_cast<Size>(batch_.item()); }  // done in the next epoch
  Size step() const { return static_cast<Size>(step_.item()); }
  int best_epoch() const { return static_cast<int>(best_epoch_.item()); }
  double best_loss() const { return best_loss_.item(); }

  void batch_done() { ++*batch_.mutable_data(), ++*step_.mutable_data(); }
  void epoch_done() { ++*epoch_.mutable_data(), *batch_.mutable_data() = 0; }
  void best_now(double loss) {
    *best_loss_.mutable_data() = loss;
    *best_epoch_.mutable_data() = epoch_.item();
  }

 private:
  Tensor<double> epoch_{Shape{}, 0.0}, batch_{Shape{}, 0.0}, step_{Shape{}, 0.0},
      best_epoch_{Shape{}, 0.0}, best_loss_{Shape{}, std::numeric_limits<double>::infinity()};
};

namespace detail {

class FitLoop {
 public:
  /// Error for options that do not fit the number of samples.
  FitLoop(const FitOptions& options, Size samples, FitPosition& position);

  Size training_samples() const { return static_cast<Size>(order_.size()); }
  /// Begins the next epoch; false when there is none.
  bool next_epoch();
  /// The samples of the next batch; empty when the epoch, or the training, is over.
  std::span<const Size> next_batch();
  /// Where in its epoch the batch begins.
  Size first_sample() const { return position_.batch() * options_.batch_size; }
  /// Error naming epoch and batch unless this loss, or norm, is finite.
  void require_finite(double x, std::string_view what) const;
  /// After a step.
  void batch_done(double loss);
  /// After the last batch of an epoch: writes it down. True when its weights are the best so far.
  bool epoch_done(EpochRow row);
  const EpochRow& last_epoch() const { return history_.epochs.back(); }
  bool interrupted() const { return guard_ && guard_->interrupted(); }
  void note(std::string text);
  History finish();

  Means means;

 private:
  const FitOptions& options_;
  FitPosition& position_;
  std::vector<Size> order_;
  Size batches_, first_batch_ = 0;
  Progress progress_;
  std::optional<InterruptGuard> guard_;
  History history_;
  std::chrono::steady_clock::time_point start_{};
};

}  // namespace detail
}  // namespace axisgrad
