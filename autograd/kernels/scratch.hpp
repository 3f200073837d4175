// Working memory of one call, or of one chunk of a parallel loop: never shared by two of them.
#pragma once
#include <axisgrad/autograd/kernels/table.hpp>
#include <axisgrad/autograd/pool.hpp>

namespace axisgrad::kernels {

/// n elements on a cache-line border, not initialised, from the pool of tensors.
template <class T>
class Scratch {
 public:
  explicit Scratch(Index n) : buffer_(n > 0 ? Buffer(std::size_t(n) * sizeof(T)) : Buffer()) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* get() const { return buffer_ ? static_cast<T*>(buffer_.data()) : nullptr; }

 private:
  Buffer buffer_;
};

}  // namespace axisgrad::kernels
