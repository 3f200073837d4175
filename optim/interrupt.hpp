// Ctrl-C while training: end after the batch, keep what was learnt.
#pragma once

namespace axisgrad {

/// While one lives, the first SIGINT is only noted; a second one ends the program as usual. The
/// handler that was there before comes back with the last of them.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Whether a SIGINT came since this guard was made.
  [[nodiscard]] bool interrupted() const;

 private:
  int seen_;
};

}  // namespace axisgrad
