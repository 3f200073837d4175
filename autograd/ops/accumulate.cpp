#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/accumulate.hpp>

namespace axisgrad {

template <Scalar T>
void accumulate(Tensor<T>& sum, const Tensor<T>& g) {
  if (!sum.buffer().unique()) {
    sum = add(Var<T>(sum), Var<T>(g)).value();
    return;
  }
  constexpr Size chunk = Size(1) << 16, parallel_from = Size(1) << 18;
  T* to = sum.mutable_data();
  const T* from = g.data();
  const auto part = [&](Size begin, Size end) {
    kernels::Run<T> run;
    run.n = end - begin, run.in = {to + begin, from + begin}, run.step = {1, 1};
    run.out = to + begin;
    kernels::pointwise<formulas::add_op, T>().value(run);
  };
  if (g.size() < parallel_from) return part(0, g.size());
  kernels::parallel_chunks(g.size(), chunk, part);
}

template void accumulate(Tensor<float>&, const Tensor<float>&);
template void accumulate(Tensor<double>&, const Tensor<double>&);

}  // namespace axisgrad
