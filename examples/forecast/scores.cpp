#include "scores.hpp"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace forecast {
namespace {

// JSON has no such numbers, and a reader that is strict refuses a file with a bare NaN.
Json number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  return x;
}
double number_from(const Json& json) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (json == "Infinity") return infinity;
  if (json == "-Infinity") return -infinity;
  return json.get<double>();
}

Json to_json(const Errors& e) {
  return {{"mse", number(e.mse)}, {"mae", number(e.mae)}, {"rmse", number(e.rmse())}};
}
Errors errors_from_json(const Json& object) {
  return {number_from(object.at("mse")), number_from(object.at("mae"))};
}

}  // namespace

double Errors::rmse() const { return std::sqrt(mse); }

Json to_json(const Score& score) {
  return {{"standardised", to_json(score.standardised)}, {"original", to_json(score.original)}};
}

Score score_from_json(const Json& object) {
  return {errors_from_json(object.at("standardised")), errors_from_json(object.at("original"))};
}

Score score(const Forecaster& model, const axisgrad::Windows<float>& windows,
            const std::vector<double>& deviations) {
  constexpr Size batch = 256;
  Score s;
  double elements = 0;
  for (Size begin = 0; begin < windows.samples(); begin += batch) {
    const auto data = windows.take(begin, std::min(windows.samples(), begin + batch));
    const auto p = model(axisgrad::constant(data.x)).value();
    if (p.shape() != data.y.shape())
      axisgrad::fail("forecast", "the model '", model.info().name, "' gave ", p.shape(), " for ",
                     data.y.shape());
    for (Size i = 0; i < p.size(); ++i) {
      const double e = double{p.data()[i]} - double{data.y.data()[i]};
      const double o = e * deviations[static_cast<std::size_t>(i) % deviations.size()];
      s.standardised.mse += e * e, s.standardised.mae += std::abs(e);
      s.original.mse += o * o, s.original.mae += std::abs(o);
    }
    elements += static_cast<double>(p.size());
  }
  for (Errors* e : {&s.standardised, &s.original}) e->mse /= elements, e->mae /= elements;
  return s;
}

}  // namespace forecast
