// Series that depend on each other in a way that is known: what an attention map, a gradient or a
// correlation says of "which variable drives which" can be scored against it.
#pragma once
#include <cstdint>
#include <vector>

#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

/// How the parents p of a series i enter its next value, with e ~ N(0,1):
///   linear  u_i(t) = sum_p c_ip u_p(t - lag_ip) + e
///   self    the same + .5 u_i(t - 1), made smaller with the rest
///   abs     u_p replaced by 2 (min(|u_p|, 3) - .8): no linear method sees it
///   noise   linear, and beside it series of N(0,1) that nothing depends on
///   factor  linear + a hidden AR(1) series f(t) = .8 f(t-1) + e, common to all, which makes up
///           half of each variance: it correlates everything with everything
enum class PlantedKind { linear, self, abs, noise, factor };

struct PlantedDependencyOptions {
  PlantedKind kind = PlantedKind::linear;
  Size points = 4'000;  // in time
  Size series = 8;
  Size parents = 2;       // of each series, never itself
  Size max_lag = 3;       // the lag of a parent is one of 1 .. max_lag
  Size noise_series = 2;  // of the kind noise, in addition
  std::uint64_t seed = 0;
};

struct PlantedEdge {
  Size child, parent, lag;
  double coefficient;
};

template <Scalar T>
struct PlantedDependency {
  Tensor<T> values;                // (points, V), V = series + noise series
  Tensor<double> truth;            // (V, V): 1 where the column is a parent of the row, else 0
  std::vector<PlantedEdge> edges;  // by child
  double own_past = 0;             // of the kind self: the coefficient of u_i(t - 1)
  /// (V): the variance of what no forecast of the next value from the past can know. For factor, of
  /// a forecast that is told f and the rest apart, which no model is.
  Tensor<double> noise_variance;
};

/// A sparse vector autoregression whose parents are known. The coefficients are +-U(.4,.6), all
/// (that of a series' own past as well) made smaller together until the spectral radius is at most
/// .9; the first 500 steps are left out.
/// A longer series begins with a shorter one. Error for a size below 1, or more parents than other
/// series.
template <Scalar T>
[[nodiscard]] PlantedDependency<T> planted_dependency(const PlantedDependencyOptions& options);

/// The spectral radius of x(t) = sum over lags l of A_l x(t - l), the matrices (lags, V, V): below
/// 1 the series does not explode. Gelfand's formula, |A^n|^(1/n), at n = 2^20. Error for another
/// shape.
[[nodiscard]] double spectral_radius(const Tensor<double>& lag_matrices);

}  // namespace axisgrad
