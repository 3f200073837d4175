// A task whose attention matrix is known: each token's answer is what stands in another token.
#pragma once
#include <vector>

#include <axisgrad/nn/data/dataset.hpp>

namespace lesson {

/// Position i of an axis copies from position source[i].
using Sources = std::vector<axisgrad::Size>;

/// x ~ N(0,1) of this shape, y its positions source[0], source[1], ... along the axis.
axisgrad::Dataset<float> copy_task(const axisgrad::Shape& shape, axisgrad::Axis axis,
                                   const Sources& source, std::uint64_t seed);

/// Mean weights (queries, keys), a matrix for each seed, and where the weight ought to be.
struct SeedMatrices {
  Sources source;
  std::vector<axisgrad::Tensor<double>> matrices{};

  /// Weights (N,H,queries,keys) of one more seed: their mean over samples and heads.
  void add(const axisgrad::Tensor<float>& weights);
  [[nodiscard]] int seeds() const { return static_cast<int>(matrices.size()); }
  [[nodiscard]] axisgrad::Tensor<double> mean() const;
  /// What every cell would hold without any preference.
  [[nodiscard]] double uniform() const;
  /// Mean weight of the planted cells, over rows and seeds.
  [[nodiscard]] double weight() const;
  /// Seeds in which every row is largest where it ought to be.
  [[nodiscard]] int found() const;
};

/// The largest |m(i,j) - m(j,i)|: 0 for a symmetric matrix, such as one of correlations.
double asymmetry(const axisgrad::Tensor<double>& m);

/// How far the sums along an axis are from 1 at most.
double off_one(const axisgrad::Tensor<float>& weights, axisgrad::Axis axis);

}  // namespace lesson
