// Working memory of one call, or of one chunk of a parallel loop: never shared by two of them.
#pragma once
#include <new>

#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {

/// n elements on a cache-line border, not initialised.
template <class T>
class Scratch {
 public:
  explicit Scratch(Index n)
      : p_(n > 0 ? static_cast<T*>(::operator new(std::size_t(n) * sizeof(T), align)) : nullptr) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { ::operator delete(p_, align); }
  T* get() const { return p_; }

 private:
  static constexpr std::align_val_t align{64};
  T* p_;
};

}  // namespace axisgrad::kernels
