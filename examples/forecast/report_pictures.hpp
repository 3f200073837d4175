// The pictures of a report.
#pragma once
#include "explain.hpp"
#include "picture.hpp"
#include "training.hpp"

namespace forecast {

struct ReportPictures {
  std::vector<Picture> training, forecasts, attention;  // not drawn yet
};
[[nodiscard]] ReportPictures report_pictures(const Forecaster& model, const Prepared& data,
                                             const std::vector<EpochLine>& history,
                                             const Explanation* explanation);

}  // namespace forecast
