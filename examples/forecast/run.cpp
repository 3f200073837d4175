#include "run.hpp"

#include <algorithm>
#include <functional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <axisgrad/nn/weights/named_tensors.hpp>

#include "files.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

Json to_json(const Metrics& m) {
  return {{"validation", forecast::to_json(m.validation)}, {"test", forecast::to_json(m.test)}};
}
Metrics metrics_from_json(const Json& object) {
  return {score_from_json(object.at("validation")), score_from_json(object.at("test"))};
}

// Of each variable in the training rows the value that is before all others.
std::vector<double> extremes(const Prepared& data, const auto& before) {
  const double* v = data.series.values.data();
  const Size width = data.series.values.shape()[1];
  std::vector<double> all(v, v + width);
  for (Size r = data.rows.train.begin; r < data.rows.train.end; ++r)
    for (Size c = 0; c < width; ++c)
      if (double& x = all[static_cast<std::size_t>(c)]; before(v[r * width + c], x))
        x = v[r * width + c];
  return all;
}

// Turns what nlohmann says of a member that is not there into a sentence about the file.
template <class F>
auto reading(const Folder& path, const F& f) {
  try {
    return f(read_json(path.string()));
  } catch (const Json::exception& error) {
    ag::fail("forecast", "'", path.string(), "' is not as this program writes it: ", error.what());
  }
}

}  // namespace

Names RunMetrics::not_beaten(const std::string& model_name) const {
  Names names;
  for (const auto& [name, metrics] : baselines)
    if (name != model_name && !(model.test.standardised.mse < metrics.test.standardised.mse))
      names.push_back(name);
  return names;
}

void write_config(const Folder& folder, const Settings& settings, const Prepared& data) {
  Json object = to_json(settings);
  object["series"] = {{"names", data.series.names},
                      {"date_columns", data.series.date_columns},
                      {"step", data.series.step_text()},
                      {"targets", data.targets},
                      {"rows", data.series.rows()},
                      {"season", data.season},
                      {"numbers", data.series.form.numbers},
                      {"date_order", data.series.form.date_order},
                      {"least", extremes(data, std::less<>())},
                      {"largest", extremes(data, std::greater<>())}};
  write_file(folder / "config.json", object.dump(2) + '\n');
}

RunConfig read_config(const Folder& folder) {
  const Folder path = folder / "config.json";
  if (!std::filesystem::exists(path))
    ag::fail("forecast", "'", folder.string(), "' is no run folder: it has no config.json");
  return reading(path, [&](const Json& object) {
    RunConfig config;
    set_from_json(config.settings, object, "'" + path.string() + "'");
    check(config.settings);
    const Json& s = object.at("series");
    config.series = {s.at("names").get<Names>(),
                     s.at("date_columns").get<Names>(),
                     s.at("step").get<std::string>(),
                     s.at("targets").get<std::vector<Size>>(),
                     s.at("rows").get<Size>(),
                     s.at("season").get<Size>(),
                     {s.at("numbers").get<std::string>(), s.at("date_order").get<std::string>()},
                     s.at("least").get<std::vector<double>>(),
                     s.at("largest").get<std::vector<double>>()};
    return config;
  });
}

void write_scaler(const Folder& folder, ag::StandardScaler scaler) {
  ag::NamedTensors list;
  list.add_state("scaler", scaler);
  list.save(folder / "scaler.safetensors");
}

ag::StandardScaler read_scaler(const Folder& folder, Size variables) {
  ag::StandardScaler scaler;
  scaler.fit(ag::Tensor<double>({1, variables}, 0.));  // gives it its shape
  ag::NamedTensors list;
  list.add_state("scaler", scaler);
  list.load(folder / "scaler.safetensors");
  return scaler;
}

void write_metrics(const Folder& folder, const RunMetrics& metrics) {
  Json object = to_json(metrics.model);
  for (const auto& [name, m] : metrics.baselines) object["baselines"][name] = to_json(m);
  write_file(folder / "metrics.json", object.dump(2) + '\n');
}

RunMetrics read_metrics(const Folder& folder) {
  return reading(folder / "metrics.json", [](const Json& object) {
    RunMetrics metrics{metrics_from_json(object), {}};
    for (const auto& [name, m] : object.at("baselines").items())
      metrics.baselines.emplace_back(name, metrics_from_json(m));
    return metrics;
  });
}

Forecaster read_model(const Folder& folder, const RunConfig& config) {
  const SeriesInfo& s = config.series;
  Forecaster model(config.settings.model,
                   {static_cast<Size>(s.names.size()), s.targets, s.season, config.settings});
  if (!std::filesystem::exists(folder / "weights.safetensors"))
    ag::fail("forecast", "'", folder.string(),
             "' has no weights.safetensors: its training did not end; go on with --resume");
  ag::load_weights(folder / "weights.safetensors", model.parameters());
  return model;
}

void require_table(const Folder& folder, const RunConfig& config, const Prepared& data) {
  const ag::StandardScaler saved =
      read_scaler(folder, static_cast<Size>(config.series.names.size()));
  if (data.series.names != config.series.names ||
      !ag::same_bits(saved.mean(), data.scaler.mean()) ||
      !ag::same_bits(saved.deviation(), data.scaler.deviation()))
    ag::fail("forecast", "'", data.series.path, "' is not the table that '", folder.string(),
             "' was trained on: its training rows have another mean or deviation");
}

Prepared read_data(const Folder& folder, const RunConfig& config) {
  Prepared data = prepare(read_series(config.settings.data, config.settings), config.settings);
  require_table(folder, config, data);
  return data;
}

Metrics measure(const Forecaster& model, const Prepared& data) {
  const std::vector<double> deviations = data.deviations();
  return {score(model, data.validation, deviations), score(model, data.test, deviations)};
}

std::vector<std::pair<std::string, Metrics>> measure_baselines(const Prepared& data,
                                                               const Settings& settings) {
  std::vector<std::pair<std::string, Metrics>> all;
  for (const std::string& name : baselines) {
    Forecaster rule(name, context_of(data, settings));
    rule.solve(data.train);
    all.emplace_back(name, measure(rule, data));
  }
  return all;
}

void print_metrics(const std::string& model, const RunMetrics& metrics) {
  fmt::print("\n{:<16}{:>24}{:>48}\n{:<16}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "", "validation",
             "test", "model", "MSE", "MAE", "MSE", "MAE", "RMSE orig.", "MAE orig.");
  const auto line = [](const std::string& name, const Metrics& m) {
    const Errors &v = m.validation.standardised, &t = m.test.standardised, &o = m.test.original;
    fmt::print("{:<16}{:>12.4f}{:>12.4f}{:>12.4f}{:>12.4f}{:>12.5g}{:>12.5g}\n", name, v.mse, v.mae,
               t.mse, t.mae, o.rmse(), o.mae);
  };
  line(model, metrics.model);
  for (const auto& [name, m] : metrics.baselines)
    if (name != model) line(name, m);
  std::string names;
  for (const std::string& name : metrics.not_beaten(model)) names += ", " + name;
  if (!names.empty())
    fmt::print(
        "\nThe model does not beat{}: on this split the simpler rule forecasts at least as "
        "well.\n",
        names.substr(1));
}

}  // namespace forecast
