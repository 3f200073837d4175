// What can be said of "which variable drives which", by each method, beside the truth.
#pragma once
#include <map>
#include <string>
#include <vector>

#include <axisgrad/nn/data/planted_dependency.hpp>
#include <axisgrad/nn/explain/score.hpp>

#include "forecaster.hpp"

namespace planted {

/// Matrices (V,V), row i what variable i depends on, by the name of the method, in the order made.
struct Evidence {
  struct Matrix {
    std::string method;
    ag::Tensor<double> values;
  };
  std::vector<Matrix> matrices{};
  double explained = 0;  // the share of what can be known about the next value that the model knows
  double seconds = 0;
};

struct Task {
  ag::PlantedKind kind = ag::PlantedKind::linear;
  ag::Size points = 4'000;
  std::uint64_t seed = 1;
  int epochs = 80;
  ForecasterOptions network{};  // its variables are those of the data
};

/// Lagged correlation and least squares: what needs no network.
Evidence of_series(const Task& task);
/// Trains a forecaster; then its attention, gradients and permutation importance on the test part.
Evidence of_network(const Task& task);

/// The truth and how well a matrix agrees with it: off the diagonal, in the rows of the series that
/// have parents. k of precision at k is the number of true pairs, 16.
ag::Tensor<double> truth(const Task& task);
ag::MatrixScore score(const Task& task, const ag::Tensor<double>& matrix);
/// Of the data with series of pure noise: the share of the elements off the diagonal, in the same
/// rows, that stands in the columns of those; negative elements count as 0.
double share_of_noise(const ag::Tensor<double>& matrix);

}  // namespace planted
