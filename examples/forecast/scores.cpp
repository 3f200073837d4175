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

std::vector<Score> scores_by_target(const Forecaster& model,
                                    const axisgrad::Windows<float>& windows,
                                    const std::vector<double>& deviations) {
  constexpr Size batch = 256;
  std::vector<Score> scores(deviations.size());
  double elements = 0;
  for (Size begin = 0; begin < windows.samples(); begin += batch) {
    const auto data = windows.take(begin, std::min(windows.samples(), begin + batch));
    const auto p = model(axisgrad::constant(data.x)).value();
    if (p.shape() != data.y.shape())
      axisgrad::fail("forecast", "the model '", model.info().name, "' gave ", p.shape(), " for ",
                     data.y.shape());
    for (Size i = 0; i < p.size(); ++i) {
      const std::size_t k = static_cast<std::size_t>(i) % deviations.size();
      const double e = double{p.data()[i]} - double{data.y.data()[i]}, o = e * deviations[k];
      scores[k].standardised.mse += e * e, scores[k].standardised.mae += std::abs(e);
      scores[k].original.mse += o * o, scores[k].original.mae += std::abs(o);
    }
    elements += static_cast<double>(p.size() / p.shape()[2]);
  }
  for (Score& s : scores)
    for (Errors* e : {&s.standardised, &s.original}) e->mse /= elements, e->mae /= elements;
  return scores;
}

Score score(const Forecaster& model, const axisgrad::Windows<float>& windows,
            const std::vector<double>& deviations) {
  Score mean;
  for (const Score& s : scores_by_target(model, windows, deviations)) {
    const auto n = static_cast<double>(deviations.size());
    mean.standardised.mse += s.standardised.mse / n,
        mean.standardised.mae += s.standardised.mae / n;
    mean.original.mse += s.original.mse / n, mean.original.mae += s.original.mae / n;
  }
  return mean;
}

}  // namespace forecast
