// Windows over a multivariate series: what was seen so far, and what comes next.
#pragma once
#include <vector>

#include <axisgrad/nn/data/dataset.hpp>

namespace axisgrad {

struct WindowOptions {
  Size lookback;
  Size horizon = 1;
  Size stride = 1;                 // rows between the starts of two windows
  std::vector<Size> targets = {};  // columns to predict; none named: all
};

/// How many windows have all rows to predict within `rows`. Those that are looked back on may lie
/// in front of it, down to row 0: the test part begins to predict at its first row. Error for a
/// size below 1 or a range that does not exist.
[[nodiscard]] Size window_count(Rows rows, const WindowOptions& options);

/// The windows of a (rows, features) table as samples x (lookback, features), y (horizon, targets):
/// samples begin in order of time, the i-th one at row start(i). They are cut from the table when
/// asked for, so that memory does not grow with the lookback.
template <Scalar T>
class Windows {
 public:
  using scalar = T;

  /// Error when the table is not of rank 2, `rows` are not rows of it, a target is not a column, a
  /// value is not finite, or there are too few rows for one window.
  Windows(Tensor<T> table, Rows rows, WindowOptions options);

  [[nodiscard]] Size samples() const { return count_; }
  /// First row looked back on, and first row to predict, of a window.
  [[nodiscard]] Size start(Size sample) const { return first_ + sample * options_.stride; }
  [[nodiscard]] Size target_start(Size sample) const { return start(sample) + options_.lookback; }
  [[nodiscard]] const WindowOptions& options() const { return options_; }

  /// Windows by index. Error for an index out of range.
  [[nodiscard]] Dataset<T> gather(std::span<const Size> indices) const;
  /// Windows begin <= i < end; all of them by dataset().
  [[nodiscard]] Dataset<T> take(Size begin, Size end) const;
  [[nodiscard]] Dataset<T> dataset() const { return take(0, count_); }

 private:
  template <class IndexOf>
  Dataset<T> cut(Size n, IndexOf index_of) const;

  Tensor<T> table_;
  WindowOptions options_;  // targets filled in
  Size first_, count_;
};

extern template class Windows<float>;
extern template class Windows<double>;

}  // namespace axisgrad
