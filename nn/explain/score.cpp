#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/explain/score.hpp>

namespace axisgrad {
namespace {

struct Pair {
  double value;
  bool is_true;
};

std::vector<Pair> pairs_of(const Tensor<double>& matrix, const Tensor<double>& truth,
                           bool diagonal) {
  if (matrix.rank() != 2 || matrix.shape() != truth.shape())
    fail("attention_score", "expects a matrix and a truth of the same shape (R,C), got ",
         matrix.shape(), " and ", truth.shape());
  std::vector<Pair> pairs;
  for (Size i = 0; i < matrix.shape()[0]; ++i)
    for (Size j = 0; j < matrix.shape()[1]; ++j) {
      if (i == j && !diagonal) continue;
      const double value = matrix(i, j), t = truth(i, j);
      if (std::isnan(value)) fail("attention_score", "the matrix holds NaN at ", Shape{i, j});
      if (t != 0 && t != 1)
        fail("attention_score", "the truth must be 0 or 1, got ", t, " at ", Shape{i, j});
      pairs.push_back({value, t == 1});
    }
  return pairs;
}

// Calls f(begin, end) for each group of equal keys of a sorted range.
template <class Key, class F>
void for_each_tie(std::size_t n, const Key& key, const F& f) {
  for (std::size_t begin = 0, end; begin < n; begin = end) {
    for (end = begin + 1; end < n && key(end) == key(begin);) ++end;
    f(begin, end);
  }
}

// Positions in ascending order, from 1; equal elements share the mean of theirs.
std::vector<double> midranks(const Tensor<double>& x) {
  std::vector<Size> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), Size{0});
  std::sort(order.begin(), order.end(), [&](Size a, Size b) { return x.data()[a] < x.data()[b]; });
  std::vector<double> ranks(order.size());
  for_each_tie(
      order.size(), [&](std::size_t k) { return x.data()[order[k]]; },
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
          ranks[static_cast<std::size_t>(order[k])] = static_cast<double>(begin + 1 + end) / 2;
      });
  return ranks;
}

}  // namespace

MatrixScore detail::attention_score(const Tensor<double>& matrix, const Tensor<double>& truth,
                                    const MatrixScoreOptions& options) {
  std::vector<Pair> pairs = pairs_of(matrix, truth, options.diagonal);
  MatrixScore score;
  score.pairs = static_cast<Size>(pairs.size());
  score.true_pairs =
      std::count_if(pairs.begin(), pairs.end(), [](const Pair& p) { return p.is_true; });
  if (score.true_pairs == 0 || score.true_pairs == score.pairs)
    fail("attention_score", "needs pairs that are true and pairs that are not, got ",
         score.true_pairs, " true of ", score.pairs);
  score.k = options.k == 0 ? score.true_pairs : options.k;
  if (score.k < 1 || score.k > score.pairs)
    fail("attention_score", "k = ", score.k, " is not within the ", score.pairs, " pairs");

  // From the largest down. Each false pair is beaten by the true ones above it, and half by its
  // equals.
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.value > b.value; });
  double above = 0, wins = 0, hits = 0;
  for_each_tie(
      pairs.size(), [&](std::size_t k) { return pairs[k].value; },
      [&](std::size_t begin, std::size_t end) {
        double here = 0;
        for (std::size_t k = begin; k < end; ++k) here += pairs[k].is_true;
        const auto size = static_cast<double>(end - begin);
        wins += (size - here) * (above + here / 2);
        above += here;
        const double room = static_cast<double>(score.k) - static_cast<double>(begin);
        if (room > 0) hits += here * std::min(room, size) / size;
      });
  const auto t = static_cast<double>(score.true_pairs), n = static_cast<double>(score.pairs);
  score.auroc = wins / (t * (n - t));
  score.precision_at_k = hits / static_cast<double>(score.k);
  return score;
}

double detail::rank_correlation(const Tensor<double>& a, const Tensor<double>& b) {
  if (a.shape() != b.shape() || a.size() < 2)
    fail("rank_correlation", "expects two tensors of one shape with at least two elements, got ",
         a.shape(), " and ", b.shape());
  for (const auto* x : {&a, &b})
    if (std::any_of(x->begin(), x->end(), [](double v) { return std::isnan(v); }))
      fail("rank_correlation", "cannot rank a tensor of shape ", x->shape(), " that holds NaN");
  const auto ra = midranks(a), rb = midranks(b);
  const double middle = static_cast<double>(a.size() + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t k = 0; k < ra.size(); ++k) {
    const double x = ra[k] - middle, y = rb[k] - middle;
    ab += x * y, aa += x * x, bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

Tensor<double> attention_rollout(const std::vector<Tensor<double>>& maps) {
  if (maps.empty()) fail("attention_rollout", "needs the map of at least one layer");
  const Size n = maps[0].rank() == 2 ? maps[0].shape()[0] : 0;
  Tensor<double> product({n, n}, 0.);
  for (Size i = 0; i < n; ++i) product.set({i, i}, 1);
  for (const Tensor<double>& map : maps) {
    if (map.rank() != 2 || map.shape() != product.shape())
      fail("attention_rollout", "expects maps (N,N) of one size, got ", maps[0].shape(), " and ",
           map.shape());
    Tensor<double> step = map;
    for (Size i = 0; i < n; ++i) {
      double* const row = step.mutable_data() + i * n;
      row[i] += 1;
      const double sum = std::accumulate(row, row + n, 0.);
      if (!(sum > 1)) fail("attention_rollout", "row ", i, " of a map sums to ", sum - 1);
      for (Size j = 0; j < n; ++j) row[j] /= sum;
    }
    product = matmul(constant(step), constant(product)).value();
  }
  return product;
}

}  // namespace axisgrad
