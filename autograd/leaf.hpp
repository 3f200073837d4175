// What a tape knows of a parameter: a cell that holds its identity and receives its gradient. The
// parameter itself (nn/parameter.hpp) owns the value.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

using ParameterId = std::uint64_t;

/// Shared by a parameter and the recordings that watch it.
struct Cell {
  const ParameterId id = next_id();
  std::string name;
  bool trainable = true;

  virtual ~Cell() = default;

 private:
  static ParameterId next_id() {
    static std::atomic<ParameterId> last{0};
    return ++last;
  }
};

template <Scalar T>
struct GradientCell : Cell {
  Tensor<T> grad;  // empty: none yet
};

template <class P>
concept ParameterLike = requires(const P& p) {
  typename P::scalar;
  { p.value() } -> std::convertible_to<const Tensor<typename P::scalar>&>;
  { p.cell() } -> std::convertible_to<const std::shared_ptr<GradientCell<typename P::scalar>>&>;
};

}  // namespace axisgrad
