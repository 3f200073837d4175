#include <algorithm>
#include <numeric>

#include <axisgrad/nn/data/windows.hpp>

namespace axisgrad {
namespace {

// The first row to predict of the first window.
Size first_target(Rows rows, const WindowOptions& o) { return std::max(rows.begin, o.lookback); }

}  // namespace

Size window_count(Rows rows, const WindowOptions& o) {
  if (o.lookback < 1 || o.horizon < 1 || o.stride < 1)
    fail("windows", "lookback, horizon and stride must be at least 1, got ", o.lookback, ", ",
         o.horizon, " and ", o.stride);
  if (rows.begin < 0 || rows.end < rows.begin)
    fail("windows", "rows ", rows.begin, " to ", rows.end, " are no range");
  const Size last = rows.end - o.horizon;  // the last row at which a prediction may begin
  return last < first_target(rows, o) ? 0 : (last - first_target(rows, o)) / o.stride + 1;
}

template <Scalar T>
Windows<T>::Windows(Tensor<T> table, Rows rows, WindowOptions options)
    : table_(std::move(table)), options_(std::move(options)) {
  if (table_.rank() != 2)
    fail("windows", "needs a table (rows, features), got the shape ", table_.shape());
  const Size features = table_.shape()[1];
  count_ = window_count(rows, options_);
  if (rows.end > table_.shape()[0])
    fail("windows", "rows ", rows.begin, " to ", rows.end, " are not within the ",
         table_.shape()[0], " of the table");
  if (count_ == 0)
    fail("windows", "too few rows: ", options_.lookback, " back and ", options_.horizon,
         " ahead need ", options_.lookback + options_.horizon, ", got ",
         rows.end - std::max(Size{0}, rows.begin - options_.lookback));
  first_ = first_target(rows, options_) - options_.lookback;
  std::vector<Size>& targets = options_.targets;
  if (targets.empty()) {
    targets.resize(static_cast<std::size_t>(features));
    std::iota(targets.begin(), targets.end(), Size{0});
  }
  for (auto t = targets.begin(); t != targets.end(); ++t) {
    if (*t < 0 || *t >= features)
      fail("windows", "target ", *t, " is not one of the ", features, " columns (counted from 0)");
    if (std::find(targets.begin(), t, *t) != t) fail("windows", "target ", *t, " is named twice");
  }
  require_finite(table_, "windows", "the table");
}

template <Scalar T>
template <class IndexOf>
Dataset<T> Windows<T>::cut(Size n, IndexOf index_of) const {
  const Size features = table_.shape()[1], width = static_cast<Size>(options_.targets.size());
  const bool every_column =
      std::is_sorted(options_.targets.begin(), options_.targets.end()) && width == features;
  Tensor<T> x({n, options_.lookback, features}), y({n, options_.horizon, width});
  T *past = x.mutable_data(), *next = y.mutable_data();
  for (Size i = 0; i < n; ++i) {
    const Size sample = index_of(i);
    if (sample < 0 || sample >= count_)
      fail("windows", "index ", sample, " is out of range for ", count_, " windows");
    const T* row = table_.data() + start(sample) * features;
    past = std::copy_n(row, options_.lookback * features, past);
    row += options_.lookback * features;
    if (every_column) {
      next = std::copy_n(row, options_.horizon * features, next);
      continue;
    }
    for (Size h = 0; h < options_.horizon; ++h, row += features)
      for (Size t : options_.targets) *next++ = row[t];
  }
  return {std::move(x), std::move(y)};
}

template <Scalar T>
Dataset<T> Windows<T>::gather(std::span<const Size> indices) const {
  return cut(static_cast<Size>(indices.size()),
             [&](Size i) { return indices[static_cast<std::size_t>(i)]; });
}

template <Scalar T>
Dataset<T> Windows<T>::take(Size begin, Size end) const {
  if (begin < 0 || begin > end || end > count_)
    fail("windows", "windows ", begin, " to ", end, " are not within the ", count_, " there are");
  return cut(end - begin, [&](Size i) { return begin + i; });
}

template class Windows<float>;
template class Windows<double>;

}  // namespace axisgrad
