#include "scores.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace forecast {
namespace {

Json to_json(const Errors& e) { return {{"mse", e.mse}, {"mae", e.mae}, {"rmse", e.rmse()}}; }
Errors errors_from_json(const Json& object) {
  return {object.at("mse").get<double>(), object.at("mae").get<double>()};
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
