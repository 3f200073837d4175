// Train, validation and test in the order of time: later rows never help to predict earlier ones.
#pragma once
#include <axisgrad/nn/data/dataset.hpp>

namespace axisgrad {

/// Numbers of rows. What is left over at the end belongs to no part.
struct SplitCounts {
  Size train, validation = 0, test = 0;
};
/// Shares of the rows; they add up to at most 1. A boundary between rows is rounded down.
struct SplitFractions {
  double train, validation = 0, test = 0;
};

struct RowSplit {
  Rows train, validation, test;
};
/// The parts one after the other, from row 0. Error when a number is negative, or they add up to
/// more rows than there are.
[[nodiscard]] RowSplit split_in_order(Size rows, SplitCounts counts);
/// Error when a share is not within 0 to 1, when they add up to more than 1, or when one above 0 is
/// less than one row.
[[nodiscard]] RowSplit split_in_order(Size rows, SplitFractions fractions);

template <class D>
struct DataSplit {
  D train, validation, test;
};
/// A dataset's samples split in their order; `how` is SplitCounts or SplitFractions.
template <Scalar T, std::size_t Inputs, class How>
[[nodiscard]] DataSplit<Dataset<T, Inputs>> split_in_order(const Dataset<T, Inputs>& data,
                                                           How how) {
  const RowSplit rows = split_in_order(data.samples(), how);
  return {data.take(rows.train), data.take(rows.validation), data.take(rows.test)};
}

}  // namespace axisgrad
