// Sizes and steps of the tensors that meet in scaled dot-product attention. Internal to
// ops/attention.cpp.
#pragma once
#include <array>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/attention.hpp>
#include <axisgrad/autograd/ops.hpp>

namespace axisgrad {

/// The sizes of q (batch..., Tq, [H,] P), k and v. One head when they have no head axis.
struct AttentionLayout {
  Shape batch;
  Size queries, keys, heads, key_dim, value_dim;
  bool head_axis;

  AttentionLayout(const Shape& q, const Shape& k, const Shape& v, bool head_axis_)
      : batch(q.begin(), q.rank() - (head_axis_ ? 3 : 2)),
        queries(q[batch.rank()]),
        keys(k[batch.rank()]),
        heads(head_axis_ ? q[batch.rank() + 1] : 1),
        key_dim(q[q.rank() - 1]),
        value_dim(v[v.rank() - 1]),
        head_axis(head_axis_) {}
  Shape scores() const {
    Shape s = batch;
    if (head_axis) s = s.inserted(s.rank(), heads);
    s = s.inserted(s.rank(), queries);
    return s.inserted(s.rank(), keys);
  }
  // How many keys query 0 sees, less one.
  Size lead(CausalAlignment alignment) const {
    return alignment == CausalAlignment::first ? 0 : keys - queries;
  }
};

/// The steps by which a tensor broadcasts to the scores.
template <Scalar T>
kernels::ScoreView<T> score_view(const Tensor<T>& x, const AttentionLayout& layout) {
  const Shape to = layout.scores();
  std::array<Size, max_rank + 1> steps{};  // by axis of the scores
  Size step = 1;
  for (int i = 1; i <= x.rank(); ++i) {
    const Size size = x.shape()[x.rank() - i];
    if (size != 1) steps[static_cast<unsigned>(to.rank() - i)] = step;
    step *= size;
  }
  kernels::ScoreView<T> v{.p = x.data(), .axes = layout.batch.rank()};
  std::copy(layout.batch.begin(), layout.batch.end(), v.sizes.begin());
  std::copy_n(steps.begin(), layout.batch.rank(), v.steps.begin());
  const auto last = static_cast<unsigned>(to.rank());
  if (layout.head_axis) v.head = steps[last - 3];
  v.row = steps[last - 2], v.col = steps[last - 1];
  return v;
}

/// Error unless q, k and v fit each other but for their batch axes.
template <Scalar T>
void require_attention_fit(std::string_view op, const Var<T>& q, const Var<T>& k, const Var<T>& v,
                           bool head_axis) {
  const int inner = head_axis ? 3 : 2;
  auto got = [&](const char* what) {
    fail(op, what, ": got q ", q.shape(), ", k ", k.shape(), " and v ", v.shape());
  };
  if (q.rank() < inner || k.rank() < inner || v.rank() < inner)
    got(head_axis ? "needs (..., tokens, heads, size)" : "needs (..., tokens, size)");
  auto size = [](const Var<T>& x, int from_end) { return x.shape()[x.rank() - from_end]; };
  if (size(q, 1) != size(k, 1)) got("q and k differ in their last axis");
  if (size(q, 1) < 1) got("the last axis of q and k is empty");
  if (size(k, inner) != size(v, inner)) got("k and v differ in the number of tokens");
  if (head_axis && (size(q, 2) != size(k, 2) || size(k, 2) != size(v, 2)))
    got("the number of heads differs");
}

}  // namespace axisgrad
