#include <algorithm>
#include <cmath>
#include <numeric>

#include <axisgrad/autograd/random.hpp>
#include <axisgrad/optim/fit_loop.hpp>

namespace axisgrad {

namespace detail {
namespace {

void check(const FitOptions& o) {
  if (o.epochs < 0) fail("fit", "epochs must be at least 0, got ", o.epochs);
  if (o.batch_size < 1) fail("fit", "batch_size must be at least 1, got ", o.batch_size);
  if (!(o.validation_fraction >= 0 && o.validation_fraction < 1))
    fail("fit", "validation_fraction must be at least 0 and less than 1, got ",
         o.validation_fraction);
  if (!(o.clip_norm >= 0)) fail("fit", "clip_norm must be at least 0, got ", o.clip_norm);
  if (!(o.clip_value >= 0)) fail("fit", "clip_value must be at least 0, got ", o.clip_value);
  if (o.clip_norm > 0 && o.clip_value > 0)
    fail("fit", "clip_norm and clip_value were both given: choose one");
  if (o.early_stopping.patience < 0)
    fail("fit", "early_stopping.patience must be at least 0, got ", o.early_stopping.patience);
  if (!(o.early_stopping.min_delta >= 0))
    fail("fit", "early_stopping.min_delta must be at least 0, got ", o.early_stopping.min_delta);
  if (o.schedule && o.plateau)
    fail("fit", "a schedule and a plateau would both set the learning rate: choose one");
  for (const Metric& metric : o.metrics)
    if (!metric.mean_float || !metric.mean_double)
      fail("fit", "the metric '", metric.name, "' lacks a function");
}

// As in Keras: the validation part is rounded up.
Size training_part(Size samples, double validation_fraction) {
  if (samples < 1) fail("fit", "the data has no samples");
  Size n = static_cast<Size>(std::floor(static_cast<double>(samples) * (1 - validation_fraction)));
  if (validation_fraction > 0) n = std::min(n, samples - 1);  // 1 - 1e-20 is 1
  if (n < 1)
    fail("fit", "a validation_fraction of ", validation_fraction, " leaves none of ", samples,
         " samples for training");
  return n;
}

}  // namespace

FitLoop::FitLoop(const FitOptions& options, Size samples, FitPosition& position)
    : means(options.metrics),
      options_((check(options), options)),
      position_(position),
      order_(static_cast<std::size_t>(training_part(samples, options.validation_fraction))),
      batches_((training_samples() + options.batch_size - 1) / options.batch_size),
      progress_(options.output, options.verbose, options.epochs, batches_) {
  if (position.batch() > 0 && first_sample() >= training_samples())
    fail("fit", "the state stands after batch ", position.batch(), ", but with this batch_size ",
         "an epoch has ", batches_, ": go on with the batch_size it was saved with");
  if (options.schedule) (void)options.schedule(position.step());  // its errors come now
  for (const Metric& metric : options.metrics) history_.metrics.emplace_back(metric.name);
  history_.epochs.reserve(static_cast<std::size_t>(std::max(0, options.epochs - position.epoch())));
  if (options.handle_interrupt) guard_.emplace();
}

bool FitLoop::next_epoch() {
  if (interrupted() || history_.stopped_early || position_.epoch() >= options_.epochs) return false;
  std::iota(order_.begin(), order_.end(), Size{0});
  if (options_.shuffle)
    shuffle(order_, mix_keys(mix_keys(key_of("fit.shuffle"), options_.seed),
                             static_cast<std::uint64_t>(position_.epoch())));
  means.clear();
  first_batch_ = position_.batch();
  start_ = std::chrono::steady_clock::now();
  return true;
}

std::span<const Size> FitLoop::next_batch() {
  const Size begin = first_sample();
  if (interrupted() || begin >= training_samples()) return {};
  const Size n = std::min(options_.batch_size, training_samples() - begin);
  return {order_.data() + begin, static_cast<std::size_t>(n)};
}

void FitLoop::require_finite(double x, std::string_view what) const {
  if (std::isfinite(x)) return;
  fail("fit", what, " is ", x, " in epoch ", position_.epoch() + 1, ", batch ",
       position_.batch() + 1, " of ", batches_, "; the parameters are those before this batch. ",
       options_.check_finite ? "Every op gave finite values"
                             : "Fit with .check_finite = true to see which op gave it first");
}

void FitLoop::batch_done(double loss) {
  position_.batch_done();
  const int epoch = position_.epoch() + 1;
  progress_.batch(epoch, position_.batch(), first_batch_, means);
  if (options_.on_batch)
    options_.on_batch({epoch, position_.batch(), batches_, position_.step(), loss});
}

bool FitLoop::epoch_done(EpochRow row) {
  position_.epoch_done();
  row.epoch = position_.epoch();
  row.loss = means.loss();
  row.metrics = means.metrics();
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double watched = row.validation_loss.value_or(row.loss);
  const EarlyStopping& stopping = options_.early_stopping;
  const bool best = stopping.patience > 0 && watched < position_.best_loss() - stopping.min_delta;
  if (best) position_.best_now(watched);
  history_.stopped_early =
      stopping.patience > 0 && row.epoch - position_.best_epoch() >= stopping.patience;
  history_.epochs.push_back(std::move(row));
  progress_.epoch(history_, history_.epochs.back());
  return best;
}

void FitLoop::note(std::string text) {
  progress_.note(text);
  history_.notes.push_back(std::move(text));
}

History FitLoop::finish() {
  if (interrupted()) {
    history_.interrupted = true;
    std::string where = "interrupted after epoch " + std::to_string(position_.epoch());
    if (position_.batch() > 0) where += " and " + std::to_string(position_.batch()) + " batches";
    note(where + "; history and parameters are kept");
  }
  history_.best_epoch = position_.best_epoch();
  return std::move(history_);
}

}  // namespace detail
}  // namespace axisgrad
