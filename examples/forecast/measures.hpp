// Two measures of how much each step or variable counts that ask the whole model, not one layer.
#pragma once
#include "prepared.hpp"

namespace forecast {

class Forecaster;

/// Shares that add up to 1 by position of an axis: |gradient of the mean forecast by an input|
/// times how far that input usually moves, averaged over the windows, summed over the targets.
///
/// How far it moves: where windows are normalised by their own deviation s, that s, else its
/// deviation in training rows. Without this factor a column that rests within a window, and is
/// divided by sqrt(s^2 + 1e-5) there, would have 1/sqrt(1e-5) = 316 times the gradient of the
/// others for moves that never happen; with it the column counts as 0 in that window.
[[nodiscard]] std::vector<double> gradient_shares(const Forecaster& model, const Prepared& data,
                                                  const axisgrad::Dataset<float>& windows,
                                                  axisgrad::Axis axis);

/// Shares of how much the squared error grows when one position holds the values of other windows;
/// what it would improve counts as 0. Several windows trade among themselves.
[[nodiscard]] std::vector<double> permutation_shares(const Forecaster& model,
                                                     const axisgrad::Dataset<float>& windows,
                                                     axisgrad::Axis axis, std::uint64_t seed);
/// The same for a single window, whose positions are replaced by those of each of the others.
[[nodiscard]] std::vector<double> permutation_shares_within(const Forecaster& model,
                                                            const axisgrad::Dataset<float>& window,
                                                            const axisgrad::Dataset<float>& others,
                                                            axisgrad::Axis axis);

/// Negative values as 0, divided by their sum; all 0 when nothing is above 0.
[[nodiscard]] std::vector<double> shares(std::vector<double> values);

/// For each variable in how many of the windows (B, lookback, variables) it keeps one value.
[[nodiscard]] std::vector<Size> windows_at_rest(const axisgrad::Tensor<float>& windows);
/// Which variables keep one value over all training rows: the model could learn nothing of them.
[[nodiscard]] std::vector<bool> at_rest_in_training(const Prepared& data);

}  // namespace forecast
