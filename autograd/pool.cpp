#include <array>
#include <bit>
#include <mutex>
#include <new>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/pool.hpp>

namespace axisgrad::pool {
namespace {

// Classes are 64 bytes times 1, 1.25, 1.5, 1.75 times a power of two: at most a fifth of a buffer
// is unused.
constexpr int steps = 4, classes = steps * 40;
constexpr std::size_t unit = 64;

int class_of(std::size_t bytes) {
  const std::size_t units = bytes <= unit ? 1 : (bytes + unit - 1) / unit;
  const int power = std::bit_width(units) - 1;
  const std::size_t base = std::size_t(1) << power, step = base < steps ? 0 : base / steps;
  if (step == 0) return power * steps + (units > base ? steps : 0);
  return power * steps + static_cast<int>((units - base + step - 1) / step);
}
std::size_t capacity_of(int size_class) {
  const std::size_t base = std::size_t(1) << (size_class / steps);
  return unit * (base + base / steps * static_cast<std::size_t>(size_class % steps));
}

constexpr std::size_t thread_cap = std::size_t(256) << 20, shared_cap = std::size_t(4) << 30;
std::atomic<std::size_t> system_allocations{0};

void free_to_system(Header* buffer) {
  buffer->~Header();
  ::operator delete(buffer, std::align_val_t(64));
}

// Free lists by class, and how much lies in them: written by one thread at a time, so that plain
// stores do, and read by any.
class Bytes {
 public:
  operator std::size_t() const { return count_.load(std::memory_order_relaxed); }
  void operator+=(std::size_t n) { count_.store(*this + n, std::memory_order_relaxed); }
  void operator-=(std::size_t n) { count_.store(*this - n, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> count_{0};
};
struct Store {
  std::array<Header*, classes> lists{};
  Bytes bytes;

  Header* pop(int c) {
    Header* buffer = lists[static_cast<unsigned>(c)];
    if (buffer) lists[static_cast<unsigned>(c)] = buffer->next, bytes -= buffer->capacity;
    return buffer;
  }
  void push(Header* buffer) {
    Header*& list = lists[static_cast<unsigned>(buffer->size_class)];
    buffer->next = list, list = buffer, bytes += buffer->capacity;
  }
  template <class F>
  void drain(F each) {
    for (int c = 0; c < classes; ++c)
      while (Header* buffer = pop(c)) each(buffer);
  }
};

struct Cache;
struct Shared {
  std::mutex mutex;
  Store store;
  Cache* caches = nullptr;  // of the threads that live

  Header* pop(int c) {
    std::scoped_lock lock(mutex);
    return store.pop(c);
  }
  // False when the store is full.
  bool push(Header* buffer) {
    std::scoped_lock lock(mutex);
    if (store.bytes + buffer->capacity > shared_cap) return false;
    return store.push(buffer), true;
  }
};
// Never destroyed: tensors of static duration are freed after everything else.
Shared& shared() {
  static Shared& s = *new Shared;
  return s;
}

void release(Header* buffer) {
  if (!shared().push(buffer)) free_to_system(buffer);
}

// The cache of a thread. Once the thread is being torn down, `gone` sends later buffers to the
// shared store.
thread_local bool gone = false;
struct Cache {
  Store store;
  Cache *next = nullptr, *before = nullptr;

  Cache() {
    std::scoped_lock lock(shared().mutex);
    next = shared().caches;
    if (next) next->before = this;
    shared().caches = this;
  }
  ~Cache() {
    gone = true;
    store.drain(release);
    std::scoped_lock lock(shared().mutex);
    if (next) next->before = before;
    (before ? before->next : shared().caches) = next;
  }
};
thread_local Cache cache;

}  // namespace

Header* take(std::size_t bytes) {
  const int c = class_of(bytes);
  if (c >= classes) fail("pool", "out of memory: ", bytes, " bytes asked for");
  Header* buffer = gone ? nullptr : cache.store.pop(c);
  if (!buffer) buffer = shared().pop(c);
  if (buffer) {
    buffer->references.store(1, std::memory_order_relaxed);
    return buffer;
  }
  const std::size_t capacity = capacity_of(c);
  void* memory = ::operator new(sizeof(Header) + capacity, std::align_val_t(64), std::nothrow);
  if (!memory) {
    trim();
    memory = ::operator new(sizeof(Header) + capacity, std::align_val_t(64), std::nothrow);
  }
  if (!memory) fail("pool", "out of memory: ", bytes, " bytes asked for");
  system_allocations.fetch_add(1, std::memory_order_relaxed);
  buffer = new (memory) Header;
  buffer->capacity = capacity, buffer->size_class = c;
  return buffer;
}

void give_back(Header* buffer) noexcept {
  if (gone || cache.store.bytes + buffer->capacity > thread_cap) return release(buffer);
  cache.store.push(buffer);
}

Statistics statistics() {
  std::scoped_lock lock(shared().mutex);
  std::size_t cached = shared().store.bytes;
  for (const Cache* c = shared().caches; c; c = c->next) cached += c->store.bytes;
  return {system_allocations.load(), cached};
}

void trim() {
  if (!gone) cache.store.drain(free_to_system);
  std::scoped_lock lock(shared().mutex);
  shared().store.drain(free_to_system);
}

}  // namespace axisgrad::pool
