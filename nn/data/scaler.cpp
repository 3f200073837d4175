#include <cmath>

#include <axisgrad/nn/data/scaler.hpp>

namespace axisgrad {
namespace {

template <class T>
void require_rows(const Tensor<T>& x, Rows rows) {
  if (x.rank() != 2)
    fail("scaler", "is fitted on a table (rows, features), got the shape ", x.shape());
  if (rows.begin < 0 || rows.end > x.shape()[0] || rows.size() < 1)
    fail("scaler", "needs rows to fit on: ", rows.begin, " to ", rows.end, " of a table with ",
         x.shape()[0]);
}

// Smallest and largest value of each feature.
template <class T>
std::pair<Tensor<double>, Tensor<double>> extremes(const Tensor<T>& x, Rows rows) {
  require_rows(x, rows);
  const Size features = x.shape()[1];
  Tensor<double> low({features}, 0), high({features}, 0);
  double *lowest = low.mutable_data(), *highest = high.mutable_data();
  for (Size r = rows.begin; r < rows.end; ++r)
    for (Size f = 0; f < features; ++f) {
      const double v = x.data()[r * features + f];
      if (!std::isfinite(v))
        fail("scaler", "cannot be fitted: the table has ", v, " at ", Shape{r, f});
      if (r == rows.begin || v < lowest[f]) lowest[f] = v;
      if (r == rows.begin || v > highest[f]) highest[f] = v;
    }
  return {low, high};
}

}  // namespace

template <Scalar T>
Tensor<T> FeatureScaler::apply(const Tensor<T>& x, bool inverse) const {
  if (shift_.empty()) fail("scaler", "is not fitted yet: call fit()");
  const Size features = shift_.size();
  if (x.rank() == 0 || x.shape()[x.rank() - 1] != features)
    fail("scaler", "was fitted on ", features, " features, got the shape ", x.shape());
  Tensor<T> y(x.shape());
  const T* from = x.begin();
  T* to = y.mutable_data();
  const double *shift = shift_.data(), *scale = scale_.data();
  for (Size rest = x.size(); rest > 0; rest -= features)
    for (Size f = 0; f < features; ++f) {
      const double v = *from++;
      *to++ = static_cast<T>(inverse ? (v - offset_) * scale[f] + shift[f]
                                     : (v - shift[f]) / scale[f] + offset_);
    }
  return y;
}

void FeatureScaler::select_features(const std::vector<Size>& features) {
  if (shift_.empty()) fail("scaler", "is not fitted yet: call fit()");
  shift_ = gather_rows<double>(shift_, features), scale_ = gather_rows<double>(scale_, features);
}

template <Scalar T>
void StandardScaler::fit(const Tensor<T>& x, Rows rows) {
  const auto [low, high] = extremes(x, rows);
  const Size features = x.shape()[1];
  const auto n = static_cast<double>(rows.size());
  Tensor<double> mean({features}, 0), deviation({features}, 0);
  double *m = mean.mutable_data(), *d = deviation.mutable_data();
  const auto each = [&](auto use) {
    for (Size r = rows.begin; r < rows.end; ++r)
      for (Size f = 0; f < features; ++f) use(f, double{x.data()[r * features + f]});
  };
  each([&](Size f, double v) { m[f] += v; });
  for (Size f = 0; f < features; ++f) m[f] /= n;
  each([&](Size f, double v) { d[f] += (v - m[f]) * (v - m[f]); });
  for (Size f = 0; f < features; ++f) {
    d[f] = std::sqrt(d[f] / n);
    // Of a constant the mean may be off by a rounding, and the deviation then next to nothing
    // instead of 0.
    if (low.data()[f] == high.data()[f]) m[f] = low.data()[f], d[f] = 1;
  }
  shift_ = std::move(mean), scale_ = std::move(deviation);
}

MinMaxScaler::MinMaxScaler(MinMaxOptions options) : span_(options.high - options.low) {
  if (!(options.low < options.high))
    fail("scaler", "the lower bound must be below the upper one, got ", options.low, " and ",
         options.high);
  offset_ = options.low;
}

template <Scalar T>
void MinMaxScaler::fit(const Tensor<T>& x, Rows rows) {
  auto [low, high] = extremes(x, rows);
  double* scale = high.mutable_data();
  for (Size f = 0; f < high.size(); ++f)
    scale[f] = scale[f] == low.data()[f] ? 1 : (scale[f] - low.data()[f]) / span_;
  shift_ = std::move(low), scale_ = std::move(high);
}

template Tensor<float> FeatureScaler::apply(const Tensor<float>&, bool) const;
template Tensor<double> FeatureScaler::apply(const Tensor<double>&, bool) const;
template void StandardScaler::fit(const Tensor<float>&, Rows);
template void StandardScaler::fit(const Tensor<double>&, Rows);
template void MinMaxScaler::fit(const Tensor<float>&, Rows);
template void MinMaxScaler::fit(const Tensor<double>&, Rows);

}  // namespace axisgrad
