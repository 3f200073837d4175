#include <atomic>
#include <csignal>
#include <mutex>

#include <axisgrad/optim/interrupt.hpp>

namespace axisgrad {
namespace {

std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch such");

std::mutex mutex;  // several threads may train at a time
int guards = 0;
struct sigaction before;

extern "C" void note_interrupt(int) { interrupts.fetch_add(1); }

}  // namespace

InterruptGuard::InterruptGuard() : seen_(interrupts.load()) {
  std::scoped_lock lock(mutex);
  if (guards++ > 0) return;
  struct sigaction ours {};
  ours.sa_handler = note_interrupt;
  // RESETHAND: the second Ctrl-C ends the program. RESTART: no read or write fails because of it.
  ours.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &ours, &before);
}

InterruptGuard::~InterruptGuard() {
  std::scoped_lock lock(mutex);
  if (--guards == 0) sigaction(SIGINT, &before, nullptr);
}

bool InterruptGuard::interrupted() const { return interrupts.load() != seen_; }

}  // namespace axisgrad
