#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/metrics.hpp>

namespace axisgrad::metrics {
namespace {

template <class T>
void require_equal_shapes(std::string_view metric, const Tensor<T>& p, const Tensor<T>& t) {
  if (p.empty() || t.empty()) fail(metric, "prediction or target is empty: it has no values");
  if (p.shape() != t.shape())
    fail(metric, "prediction and target differ in shape: got ", p.shape(), " and ", t.shape());
}

// A kind K has a name and value(p, t) of one element.
template <class K, class T>
double mean(const Tensor<T>& p, const Tensor<T>& t) {
  require_equal_shapes(K::name, p, t);
  double sum = 0;
  for (Size i = 0; i < p.size(); ++i) sum += K::value(p.data()[i], t.data()[i]);
  return sum / static_cast<double>(p.size());
}

struct Rmse {
  static constexpr std::string_view name = "rmse";
  static double value(double p, double t) { return (p - t) * (p - t); }
};
struct Mae {
  static constexpr std::string_view name = "mae";
  static double value(double p, double t) { return std::abs(p - t); }
};
struct Mape {
  static constexpr std::string_view name = "mape";
  static double value(double p, double t) {
    return 100 * std::abs(p - t) / std::max(std::abs(t), 1e-7);
  }
};
struct BinaryAccuracy {
  static constexpr std::string_view name = "binary_accuracy";
  static double value(double p, double t) { return (p > .5) == (t > .5); }
};
struct BinaryAccuracyFromLogits {
  static constexpr std::string_view name = "binary_accuracy_from_logits";
  static double value(double p, double t) { return (p > 0) == (t > .5); }
};

template <class T>
double same_class(const Tensor<T>& p, const Tensor<T>& t) {
  require_equal_shapes("categorical_accuracy", p, t);
  if (p.rank() < 1 || p.shape()[p.rank() - 1] < 1)
    fail("categorical_accuracy", "needs an axis of classes, got ", p.shape());
  const Size classes = p.shape()[p.rank() - 1];
  const auto largest = [classes](const T* row) {
    return std::max_element(row, row + classes) - row;
  };
  Size same = 0;
  for (Size i = 0; i < p.size(); i += classes)
    same += largest(p.data() + i) == largest(t.data() + i);
  return static_cast<double>(same * classes) / static_cast<double>(p.size());
}

template <class K>
constexpr Metric of{.name = K::name, .mean_float = mean<K, float>, .mean_double = mean<K, double>};

}  // namespace

constexpr Metric rmse{.name = Rmse::name,
                      .mean_float = mean<Rmse, float>,
                      .mean_double = mean<Rmse, double>,
                      .finish = [](double mean_square) { return std::sqrt(mean_square); }};
constexpr Metric mae = of<Mae>, mape = of<Mape>, binary_accuracy = of<BinaryAccuracy>,
                 binary_accuracy_from_logits = of<BinaryAccuracyFromLogits>;
constexpr Metric categorical_accuracy{.name = "categorical_accuracy",
                                      .mean_float = same_class<float>,
                                      .mean_double = same_class<double>};

const Metric& by_name(std::string_view name) {
  static constexpr std::array all{
      &rmse, &mae, &mape, &binary_accuracy, &binary_accuracy_from_logits, &categorical_accuracy};
  std::ostringstream names;
  for (const Metric* metric : all) {
    if (metric->name == name) return *metric;
    names << (metric == all[0] ? "" : ", ") << metric->name;
  }
  fail("metric", "there is no '", name, "'; known are ", names.str());
}

}  // namespace axisgrad::metrics
