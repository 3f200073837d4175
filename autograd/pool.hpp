// Memory for tensors. Buffers come in size classes and go back to a cache of the thread that frees
// them, from there to a store that all threads share: after the first steps of a training loop no
// buffer is asked of the system any more. (A fresh large array costs several times the computation
// on it in page faults.)
#pragma once
#include <atomic>
#include <cstddef>
#include <utility>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace axisgrad {

namespace pool {

/// What stands in front of the elements: 64 bytes, so that they are aligned to a cache line.
struct alignas(64) Header {
  std::atomic<long> references{1};
  std::size_t capacity = 0;  // bytes that follow
  int size_class = 0;
  Header* next = nullptr;  // while cached
};

/// A buffer of at least `bytes`, with one reference, its content undefined. Error when memory is
/// exhausted.
Header* take(std::size_t bytes);
void give_back(Header* buffer) noexcept;

/// Whether this process has one thread only, by glibc's account. A reference then is counted by a
/// plain addition, at a tenth of an atomic one's price; no other thread can start in between.
inline bool one_thread() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded;
#else
  return false;
#endif
}

struct Statistics {
  std::size_t system_allocations, cached_bytes;
};
Statistics statistics();
/// Returns what the calling thread and the shared store have cached to the system.
void trim();

}  // namespace pool

/// A shared, reference-counted buffer; null when default-constructed.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes) : header_(pool::take(bytes)) {}
  Buffer(const Buffer& other) noexcept : header_(other.header_) {
    if (!header_) return;
    if (pool::one_thread())
      header_->references.store(count() + 1, std::memory_order_relaxed);
    else
      header_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Buffer(Buffer&& other) noexcept : header_(std::exchange(other.header_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(header_, other.header_);
    return *this;
  }
  ~Buffer() {
    // The last owner needs no atomic subtraction: nobody else can take a reference from now on.
    if (!header_) return;
    if (unique())
      pool::give_back(header_);
    else if (pool::one_thread())
      header_->references.store(count() - 1, std::memory_order_relaxed);
    else if (header_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      pool::give_back(header_);
  }

  explicit operator bool() const { return header_ != nullptr; }
  void* data() const { return header_ + 1; }
  bool unique() const { return header_->references.load(std::memory_order_acquire) == 1; }
  friend bool operator==(const Buffer& a, const Buffer& b) { return a.header_ == b.header_; }

 private:
  long count() const { return header_->references.load(std::memory_order_relaxed); }
  pool::Header* header_ = nullptr;
};

}  // namespace axisgrad
