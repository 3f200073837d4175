// report.html and the pictures of a run.
#pragma once
#include "explain.hpp"

namespace forecast {

/// Draws pictures/ and writes report.html. `explanation` is null for a rule that has nothing to
/// explain.
void write_report(const Folder& folder, const Settings& settings, const Forecaster& model,
                  const Prepared& data, const RunMetrics& metrics, const Explanation* explanation);

}  // namespace forecast
