// Matrix products. op(A) is A or, with transpose_a, A with its last two axes exchanged.
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>

namespace axisgrad {
namespace {

struct matmul_op {
  static constexpr std::string_view name = "matmul";
  using Options = MatmulOptions;
  // C = op(A) op(B):  d op(A) = g op(B)^T,  d op(B) = op(A)^T g, summed over batch axes that were
  // broadcast.
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const auto [ta, tb] = r.template options<MatmulOptions>();
    const Var<T> g = r.cotangent(), a = r.input(0), b = r.input(1);
    if (r.needs(0)) {
      const Var<T> d = ta ? matmul(b, g, {tb, true}) : matmul(g, b, {false, !tb});
      r.add(0, sum_to(d, r.shape(0)));
    }
    if (r.needs(1)) {
      const Var<T> d = tb ? matmul(g, a, {true, ta}) : matmul(a, g, {!ta, false});
      r.add(1, sum_to(d, r.shape(1)));
    }
  }
  // A multiplication and an addition for each element of C and each of the k that it sums over.
  template <Scalar T>
  static double flops(Inputs<T> in, const Options& o) {
    const Shape &a = in[0]->shape(), &b = in[1]->shape();
    const auto k = static_cast<double>(a[a.rank() - (o.transpose_a ? 2 : 1)]);
    const auto m = static_cast<double>(a[a.rank() - (o.transpose_a ? 1 : 2)]);
    const auto n = static_cast<double>(b[b.rank() - (o.transpose_b ? 2 : 1)]);
    const Size batch = std::max(a.product(0, a.rank() - 2), b.product(0, b.rank() - 2));
    return 2 * static_cast<double>(batch) * m * n * k;
  }
  static std::vector<Sample> samples() {
    auto plain = [](auto x) { return matmul(x[0], x[1]); };
    return {sample("(2,3) (3,5)", {{{2, 3}}, {{3, 5}}}, plain),
            sample("a transposed", {{{3, 2}}, {{3, 5}}},
                   [](auto x) { return matmul(x[0], x[1], {.transpose_a = true}); }),
            sample("b transposed", {{{2, 3}}, {{5, 3}}},
                   [](auto x) { return matmul(x[0], x[1], {.transpose_b = true}); }),
            sample("both transposed", {{{3, 2}}, {{5, 3}}},
                   [](auto x) {
                     return matmul(x[0], x[1], {true, true});
                   }),
            sample("a batch", {{{4, 2, 3}}, {{4, 3, 5}}}, plain),
            sample("a batch, both transposed", {{{4, 3, 2}}, {{4, 5, 3}}},
                   [](auto x) {
                     return matmul(x[0], x[1], {true, true});
                   }),
            sample("one b for a batch", {{{4, 2, 3}}, {{3, 5}}}, plain),
            sample("one a for a batch", {{{2, 3}}, {{4, 3, 5}}}, plain),
            sample("broadcast batches", {{{2, 1, 3, 4}}, {{5, 4, 1}}}, plain),
            sample("a row", {{{3}}, {{3, 5}}}, plain),
            sample("a column", {{{4, 2, 3}}, {{3}}}, plain),
            sample("a dot product", {{{3}}, {{3}}}, plain),
            sample("nothing to sum over", {{{2, 0}}, {{0, 3}}}, plain),
            sample("no rows", {{{0, 3}}, {{3, 2}}}, plain)};
  }
};

// One or many products of matrices of rank >= 2.
template <Scalar T>
Var<T> product(const Var<T>& a, const Var<T>& b, MatmulOptions o) {
  const int ra = a.rank(), rb = b.rank();
  const Size m = a.shape()[ra - (o.transpose_a ? 1 : 2)],
             k = a.shape()[ra - (o.transpose_a ? 2 : 1)];
  const Size kb = b.shape()[rb - (o.transpose_b ? 1 : 2)],
             n = b.shape()[rb - (o.transpose_b ? 2 : 1)];
  if (k != kb)
    fail("matmul", "inner sizes differ: got ", a.shape(), o.transpose_a ? " transposed" : "",
         " and ", b.shape(), o.transpose_b ? " transposed" : "");
  const Shape batch_a(a.shape().begin(), ra - 2), batch_b(b.shape().begin(), rb - 2);
  const Shape batch = broadcast(batch_a, batch_b, "matmul");
  Tensor<T> c(batch.inserted(batch.rank(), m).inserted(batch.rank() + 1, n));
  kernels::Matrix<T> left{a.value().data(), o.transpose_a ? 1 : k, o.transpose_a ? m : 1, m * k};
  kernels::Matrix<T> right{b.value().data(), o.transpose_b ? 1 : n, o.transpose_b ? k : 1, k * n};
  T* to = c.mutable_data();
  if (batch_a == batch_b || batch_a.size() == 1 || batch_b.size() == 1) {
    // One matrix for all stands still.
    if (batch_a.size() == 1) left.batch = 0;
    if (batch_b.size() == 1) right.batch = 0;
    kernels::gemm<T>(batch.size(), m, n, k, left, right, {}, to, n, m * n);
  } else {
    // The matrix that product q uses of an input: the broadcast axes have index 0 there.
    auto source = [&](Size q, const Shape& own) {
      Size at = 0, step = 1;
      for (int i = 1; i <= batch.rank(); ++i) {
        const Size index = q % batch[batch.rank() - i];
        q /= batch[batch.rank() - i];
        if (i > own.rank()) continue;
        if (own[own.rank() - i] != 1) at += index * step;
        step *= own[own.rank() - i];
      }
      return at;
    };
    for (Size q = 0; q < batch.size(); ++q) {
      kernels::Matrix<T> l = left, r = right;
      l.p += source(q, batch_a) * m * k, r.p += source(q, batch_b) * k * n;
      kernels::gemm<T>(1, m, n, k, l, r, {}, to + q * m * n, n);
    }
  }
  return record<matmul_op, T>({&a, &b}, c, {.inputs = 3}, o);
}

}  // namespace

template <Scalar T>
Var<T> matmul(const Var<T>& a, const Same<Var<T>>& b, MatmulOptions options) {
  if (a.value().empty() || b.value().empty()) fail("matmul", "an input is empty: it has no value");
  if (a.rank() == 0 || b.rank() == 0)
    fail("matmul", "needs rank 1 or more: got ", a.shape(), " and ", b.shape());
  if ((a.rank() == 1 && options.transpose_a) || (b.rank() == 1 && options.transpose_b))
    fail("matmul", "rank 1 cannot be transposed: got ", a.shape(), " and ", b.shape());
  if (a.rank() == 1) {
    const Var<T> c = matmul(reshape(a, a.shape().inserted(0, 1)), b, options);
    return reshape(c, c.shape().without(1u << (b.rank() == 1 ? 0 : c.rank() - 2)));
  }
  if (b.rank() == 1) {
    const Var<T> c = matmul(a, reshape(b, b.shape().inserted(1, 1)), options);
    return reshape(c, c.shape().without(1u << (c.rank() - 1)));
  }
  // One matrix for all rows: one product.
  if (a.rank() > 2 && b.rank() == 2 && !options.transpose_a) {
    const Size k = a.shape()[a.rank() - 1];
    const Shape front(a.shape().begin(), a.rank() - 1);
    const Var<T> c = product(reshape(a, Shape{front.size(), k}), b, options);
    return reshape(c, front.inserted(front.rank(), c.shape()[1]));
  }
  return product(a, b, options);
}

std::vector<OpEntry> matmul_family() { return family<matmul_op>(); }

template Var<float> matmul(const Var<float>&, const Var<float>&, MatmulOptions);
template Var<double> matmul(const Var<double>&, const Var<double>&, MatmulOptions);

}  // namespace axisgrad
