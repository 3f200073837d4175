#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>

namespace axisgrad::kernels {
namespace {

// An arena of our own, so that other users of TBB in the process neither lend us nor take threads.
struct Workers {
  explicit Workers(int n)
      : limit(tbb::global_control::max_allowed_parallelism,
              std::max<std::size_t>(n, tbb::global_control::active_value(
                                           tbb::global_control::max_allowed_parallelism))),
        arena(n) {}
  tbb::global_control limit;  // lets n exceed the hardware's number
  tbb::task_arena arena;
};

int initial_threads() {
  const char* text = std::getenv("AXISGRAD_THREADS");
  if (!text) return tbb::info::default_concurrency();
  int n = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, n);
  if (read.ec != std::errc() || read.ptr != end || n < 1)
    fail("threads", "AXISGRAD_THREADS must be a positive number: got '", text, "'");
  return n;
}

std::atomic<int> count = 0;  // 0: not yet asked for
std::mutex mutex;
std::shared_ptr<Workers> workers;  // made at the first loop that wants more than one thread
thread_local bool inside = false;

std::shared_ptr<Workers> get_workers() {
  const std::lock_guard lock(mutex);
  if (!workers) workers = std::make_shared<Workers>(threads());
  return workers;
}

}  // namespace

void set_threads(int n) {
  if (n < 1) fail("set_threads", "expected a positive number: got ", n);
  const std::lock_guard lock(mutex);
  count = n;
  workers.reset();
}

int threads() {
  int n = count.load(std::memory_order_relaxed);
  if (n) return n;
  const int initial = initial_threads();
  return count.compare_exchange_strong(n, initial) ? initial : n;
}

bool in_parallel() { return inside; }

void parallel_chunks(Index n, Index chunk, function_ref<void(Index, Index)> f) {
  const Index chunks = (n + chunk - 1) / chunk;
  auto one = [&](Index i) { f(i * chunk, std::min(n, (i + 1) * chunk)); };
  if (chunks <= 1 || inside || threads() == 1) {
    for (Index i = 0; i < chunks; ++i) one(i);
    return;
  }
  get_workers()->arena.execute([&] {
    // Isolated: a thread that waits for this loop's last chunks takes up no other work meanwhile.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(Index(0), chunks, [&](Index i) {
        struct Inside {
          Inside() { inside = true; }
          ~Inside() { inside = false; }
        } mark;
        one(i);
      });
    });
  });
}

}  // namespace axisgrad::kernels
