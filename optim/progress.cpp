#include <algorithm>

#include <unistd.h>

#include <axisgrad/optim/progress.hpp>

namespace axisgrad {
namespace {

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

Progress::Progress(std::FILE* out, Verbose verbose, int epochs, Size batches)
    : out_(out),
      verbose_(verbose),
      bar_(verbose == Verbose::progress && isatty(fileno(out))),
      epochs_(epochs),
      batches_(batches) {}

Progress::~Progress() {
  if (line_open_) std::fputs("\n", out_);  // an exception: what is said next has its own line
}

void Progress::batch(int epoch, Size done, Size first, const Means& means) {
  if (!bar_) return;
  const auto now = Clock::now();
  if (epoch != last_epoch_) {
    // The clock starts with the first batch that is done: one batch is missed of the speed.
    last_epoch_ = epoch, epoch_start_ = now;
  } else if (done < batches_ && seconds_between(last_, now) < .1) {
    return;
  }
  last_ = now;
  constexpr int width = 24;
  char bar[width + 1];
  const int full = static_cast<int>(width * done / batches_);
  for (int i = 0; i < width; ++i) bar[i] = i < full ? '=' : i == full ? '>' : ' ';
  bar[width] = 0;
  std::fprintf(out_, "\repoch %d/%d [%s] %lld/%lld  loss %.5g", epoch, epochs_, bar,
               static_cast<long long>(done), static_cast<long long>(batches_), means.loss());
  for (std::size_t i = 0; i < means.measured().size(); ++i) {
    const std::string_view name = means.measured()[i].name;
    std::fprintf(out_, "  %.*s %.5g", static_cast<int>(name.size()), name.data(), means.metric(i));
  }
  if (const Size timed = done - first - 1; timed > 0) {
    const double left = seconds_between(epoch_start_, now) / static_cast<double>(timed) *
                        static_cast<double>(batches_ - done);
    std::fprintf(out_, "  %.0f s left", left);
  }
  std::fputs("\x1b[K", out_);  // erases what a longer line left behind
  std::fflush(out_);
  line_open_ = true;
}

void Progress::clear_line() {
  if (line_open_) std::fputs("\r\x1b[K", out_);
  line_open_ = false;
}

void Progress::epoch(const History& history, const EpochRow& row) {
  if (verbose_ == Verbose::silent) return;
  clear_line();
  std::fprintf(out_, "epoch %d/%d  loss %.5g", row.epoch, epochs_, row.loss);
  for (std::size_t i = 0; i < row.metrics.size(); ++i)
    std::fprintf(out_, "  %s %.5g", history.metrics[i].c_str(), row.metrics[i]);
  if (row.validation_loss) std::fprintf(out_, "  validation loss %.5g", *row.validation_loss);
  for (std::size_t i = 0; i < row.validation_metrics.size(); ++i)
    std::fprintf(out_, "  validation %s %.5g", history.metrics[i].c_str(),
                 row.validation_metrics[i]);
  std::fprintf(out_, "  %.1f s\n", row.seconds);
  std::fflush(out_);
}

void Progress::note(const std::string& text) {
  if (verbose_ == Verbose::silent) return;
  clear_line();
  std::fprintf(out_, "note: %s\n", text.c_str());
  std::fflush(out_);
}

}  // namespace axisgrad
