#include <atomic>
#include <cstdlib>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {
namespace {

constexpr std::array<const char*, 3> names{"sse2", "avx2", "avx512"};

// By meson's option `architectures`.
constexpr bool built[]{true, AXISGRAD_BUILT_AVX2, AXISGRAD_BUILT_AVX512};

// Asked of the compiler's run time, since xsimd 8.1 answers wrongly.
bool cpu_has(Arch a) {
  __builtin_cpu_init();
  if (a == Arch::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           cpu_has(Arch::avx2);
  if (a == Arch::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return true;
}

bool is_there(Arch a) { return built[int(a)] && cpu_has(a); }

Arch named(std::string_view name) {
  for (Arch a : {Arch::sse2, Arch::avx2, Arch::avx512})
    if (name == names[int(a)]) {
      if (is_there(a)) return a;
      fail("kernels", "this CPU, or this build, has no ", name);
    }
  fail("kernels", "unknown architecture '", name, "': expected sse2, avx2 or avx512");
}

Arch choose() {
  if (const char* name = std::getenv("AXISGRAD_ARCH")) return named(name);
  for (Arch a : {Arch::avx512, Arch::avx2})
    if (is_there(a)) return a;
  return Arch::sse2;
}

template <Arch A, class T>
const Table<T>& make() {
  static const Table<T> t{names[int(A)],        pointwise_kernels<A, T>(), row_kernels<A, T>(),
                          gemm_kernels<A, T>(), lstm_kernels<A, T>(),      additive_kernels<A, T>(),
                          step_kernels<A, T>()};
  return t;
}

template <class T>
const Table<T>& table_of(Arch a) {
  if constexpr (built[int(Arch::avx512)])
    if (a == Arch::avx512) return make<Arch::avx512, T>();
  if constexpr (built[int(Arch::avx2)])
    if (a == Arch::avx2) return make<Arch::avx2, T>();
  return make<Arch::sse2, T>();
}

template <class T>
std::atomic<const Table<T>*> current = nullptr;

void set(Arch a) {
  current<float>.store(&table_of<float>(a), std::memory_order_release);
  current<double>.store(&table_of<double>(a), std::memory_order_release);
}

}  // namespace

template <class T>
const Table<T>& table() {
  const Table<T>* t = current<T>.load(std::memory_order_acquire);
  if (!t) {  // threads that meet here all store the same choice
    set(choose());
    t = current<T>.load(std::memory_order_acquire);
  }
  return *t;
}
template const Table<float>& table<float>();
template const Table<double>& table<double>();

std::string_view arch() { return table<float>().arch; }

bool has_arch(std::string_view name) {
  for (Arch a : {Arch::sse2, Arch::avx2, Arch::avx512})
    if (name == names[int(a)]) return is_there(a);
  return false;
}

void use_arch(std::string_view name) { set(named(name)); }

}  // namespace axisgrad::kernels
