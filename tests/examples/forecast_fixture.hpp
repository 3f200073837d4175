// A small table and a model for it.
#pragma once
#include <cmath>

#include "../../examples/forecast/run.hpp"

/// Three waves a, b, c of different length and size: (rows, 3).
inline forecast::Series waves(forecast::Size rows) {
  axisgrad::Tensor<double> v({rows, 3});
  double* to = v.mutable_data();
  for (forecast::Size t = 0; t < rows; ++t) {
    const double x = static_cast<double>(t);
    *to++ = 10 + 3 * std::sin(.5 * x) + .3 * std::cos(2.1 * x);
    *to++ = -2 + std::sin(.31 * x + 1) + .01 * x;
    *to++ = 100 * std::cos(.2 * x) * std::sin(.07 * x);
  }
  return {"waves", {"a", "b", "c"}, v};
}

/// 12 back, 3 ahead, rows 0..139, ..159, ..199 of 200; a model of a few units.
inline forecast::Settings small_settings() {
  forecast::Settings s;
  s.data = "waves", s.lookback = 12, s.horizon = 3, s.season = 6;
  s.units = 8, s.heads = 2, s.epochs = 2, s.patience = 0;
  return s;
}

/// The same for a model; da-rnn forecasts one step of one target alone.
inline forecast::Settings small_settings(const std::string& model,
                                         forecast::Names target = {"all"}) {
  forecast::Settings s = small_settings();
  s.model = model, s.target = std::move(target);
  if (model == "da-rnn") s.horizon = 1, s.target = {s.target[0] == "all" ? "b" : s.target[0]};
  return s;
}

/// The model of the settings at its first values, rules solved.
struct Trained {
  forecast::Settings settings;
  forecast::Prepared data;
  forecast::Forecaster model;

  Trained(forecast::Series series, const forecast::Settings& s)
      : settings(s),
        data(forecast::prepare(std::move(series), settings)),
        model(s.model, forecast::context_of(data, settings)) {
    axisgrad::initialise(model.parameters(), 1);
    model.solve(data.train);
  }
};
