// How well a matrix of "how much does i look at j" agrees with what is true, or with another one.
#pragma once
#include <vector>

#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

struct MatrixScoreOptions {
  bool diagonal = false;  // whether the pairs (i,i) count
  Size k = 0;             // of precision at k; 0: as many as are true
};

struct MatrixScore {
  /// The probability that a pair that is true has a larger element than one that is not, equal ones
  /// counting half (midranks): 1 all above, .5 as good as chance, 0 all below.
  double auroc = 0;
  /// The share of true pairs among the k largest elements; where equal ones lie on the border, its
  /// mean over all choices among them.
  double precision_at_k = 0;
  Size k = 0, pairs = 0, true_pairs = 0;  // pairs: those that count
};

namespace detail {
MatrixScore attention_score(const Tensor<double>& matrix, const Tensor<double>& truth,
                            const MatrixScoreOptions& options);
double rank_correlation(const Tensor<double>& a, const Tensor<double>& b);
}  // namespace detail

/// Scores a matrix (R,C) whose row i says what i depends on, as attention weights do, against the
/// truth (R,C) of zeros and ones. Only the order of the elements matters: give |gradient|, not the
/// gradient. Error for different shapes, a NaN, a truth that is not 0 or 1, or no true pair, or
/// only true ones.
template <Scalar T, Scalar U>
[[nodiscard]] MatrixScore attention_score(const Tensor<T>& matrix, const Tensor<U>& truth,
                                          const MatrixScoreOptions& options = {}) {
  return detail::attention_score(Tensor<double>(matrix), Tensor<double>(truth), options);
}

/// Spearman's rank correlation of the elements of two tensors of one shape, with midranks: 1 the
/// same order, 0 none in common, -1 reversed; NaN where all elements of one are equal. Error for
/// different shapes, fewer than two elements or a NaN.
template <Scalar T, Scalar U>
[[nodiscard]] double rank_correlation(const Tensor<T>& a, const Tensor<U>& b) {
  return detail::rank_correlation(Tensor<double>(a), Tensor<double>(b));
}

/// What attention over several layers comes to, when each passes on half of its input past the
/// attention: the product of (A + I) / 2, rows normalised, the first layer rightmost (Abnar and
/// Zuidema 2020, arXiv 2005.00928). Maps (N,N) from the first layer to the last -> (N,N). Error for
/// no map, another shape, or a row of zeros.
[[nodiscard]] Tensor<double> attention_rollout(const std::vector<Tensor<double>>& maps);

}  // namespace axisgrad
