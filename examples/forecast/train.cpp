#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <axisgrad/autograd/kernels/parallel.hpp>

#include "commands.hpp"
#include "files.hpp"
#include "report.hpp"
#include "training.hpp"

namespace forecast {
namespace ag = axisgrad;

void use_threads(const Settings& settings) {
  if (settings.threads > 0) ag::kernels::set_threads(settings.threads);
}

void print_data(const Prepared& d) {
  const auto part = [](const char* name, ag::Rows rows, const ag::Windows<float>& windows) {
    fmt::print("  {:<10} rows {:>7} to {:>7}: {:>7} windows\n", name, rows.begin, rows.end,
               windows.samples());
  };
  fmt::print("{}: {} rows of {} variable{}, one step is {}\n", d.series.path, d.series.rows(),
             d.series.names.size(), d.series.names.size() == 1 ? "" : "s", d.series.step_text());
  part("train", d.rows.train, d.train);
  part("validation", d.rows.validation, d.validation);
  part("test", d.rows.test, d.test);
  for (const std::string& note : d.series.notes) fmt::print("note: {}\n", note);
}

// What may change between a training and its continuation; the rest would make another model.
void require_same(Settings now, const Prepared& data, const Folder& folder) {
  const RunConfig config = read_config(folder);
  Settings before = config.settings;
  for (Settings* s : {&now, &before}) s->epochs = 1, s->patience = 0, s->threads = 0, s->data = "";
  const Json a = to_json(before), b = to_json(now);
  for (const auto& [name, value] : a.items())
    if (b[name] != value)
      ag::fail("forecast", "'", folder.string(), "' was begun with --", name, ' ', value.dump(),
               ", not ", b[name].dump(), ": another --out makes a new run");
  // Without a scaler it was stopped before it began to train.
  if (std::filesystem::exists(folder / "scaler.safetensors")) require_table(folder, config, data);
}

namespace {

// Rules without parameters have no gradient either.
bool can_be_explained(const Forecaster& model) { return !model.parameters().empty(); }

void explain_and_report(const ExplainCommand& command, const Settings& settings,
                        const Forecaster& model, const Prepared& data, const RunMetrics& metrics) {
  if (!can_be_explained(model))
    return write_report(command.run, settings, model, data, metrics, nullptr);
  check(command.options, data.test.samples());
  fmt::print("\nWhat it looks at: every step and variable is scrambled in turn ...\n");
  std::fflush(stdout);
  const Explanation e = explain_model(model, data, command.options);
  write_explanation(command.run, e, data);
  print_explanation(e);
  write_report(command.run, settings, model, data, metrics, &e);
}

}  // namespace

int train(const TrainCommand& command) {
  const Settings& settings = command.settings;
  check(settings);
  const bool begun = std::filesystem::exists(command.out / "config.json");
  if (begun && !command.resume && !command.overwrite)
    ag::fail("forecast", "'", command.out.string(),
             "' holds a run already: --resume goes on with it, --overwrite begins anew");
  if (settings.data.empty()) ag::fail("forecast", "which table? give a file, or a --config");
  use_threads(settings);
  const Prepared data = prepare(read_series(settings.data, settings), settings);
  if (begun && command.resume) require_same(settings, data, command.out);
  Forecaster model(settings.model, context_of(data, settings));
  print_data(data);
  make_folder(command.out);
  if (begun && !command.resume)
    for (const char* old : {"checkpoint.safetensors", "weights.safetensors", "history.csv",
                            "metrics.json", "report.html"})
      std::filesystem::remove(command.out / old);
  if (!train_model(model, data, settings, command.out, {.resume = begun && command.resume})) {
    fmt::print("'forecast train --resume --out {}' goes on\n", command.out.string());
    return 130;
  }
  const RunMetrics metrics{measure(model, data), measure_baselines(data, settings)};
  write_metrics(command.out, metrics);
  print_metrics(settings.model, metrics);
  explain_and_report({.run = command.out, .data = "", .options = {}}, settings, model, data,
                     metrics);
  fmt::print("\n{}\n", (command.out / "report.html").string());
  return 0;
}

int explain(const ExplainCommand& command) {
  RunConfig config = read_config(command.run);
  if (!command.data.empty()) config.settings.data = command.data;
  use_threads(config.settings);
  const Prepared data = read_data(command.run, config);
  const Forecaster model = read_model(command.run, config);
  if (!can_be_explained(model))
    ag::fail("forecast", "the rule '", config.settings.model,
             "' repeats what it saw: there is nothing to explain");
  // A training that was killed at its very end has weights, but no metrics.json yet.
  const bool measured = std::filesystem::exists(command.run / "metrics.json");
  explain_and_report(
      command, config.settings, model, data,
      measured ? read_metrics(command.run)
               : RunMetrics{measure(model, data), measure_baselines(data, config.settings)});
  return 0;
}

int list_models() {
  fmt::print("{:<15}{:<20}{}\n", "name", "attends over", "what it is");
  for (const ModelInfo& m : models()) fmt::print("{:<15}{:<20}{}\n", m.name, m.attends, m.line);
  return 0;
}

}  // namespace forecast
