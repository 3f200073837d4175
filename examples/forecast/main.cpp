// forecast: from a CSV file of several variables over time to a model, its errors beside those of
// simple rules, and what it looks at. No C++ is needed to use it; docs/forecasting.md is its tour.
#include <exception>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "commands.hpp"

namespace {

using namespace forecast;

// An option of the command line for every setting, as its one description has it.
struct AddOption {
  CLI::App& app;
  void operator()(const char* name, bool& setting, const char* help) const {
    app.add_flag(std::string("--") + name + ",!--no-" + name, setting, help);
  }
  void operator()(const char* name, Names& setting, const char* help) const {
    app.add_option_function<std::string>(
           std::string("--") + name,
           [&setting](const std::string& text) { setting = split_list(text); }, help)
        ->default_str(fmt::format("{}", fmt::join(setting, ",")))
        ->take_last();
  }
  void operator()(const char* name, auto& setting, const char* help) const {
    app.add_option(std::string("--") + name, setting, help)->capture_default_str()->take_last();
  }
};

// The run folder, if a file of settings names one: it is not one of the settings.
Folder take_out(Json& object, const std::string& source) {
  if (!object.is_object() || !object.contains("out")) return {};
  const Json out = object["out"];
  if (!out.is_string())
    axisgrad::fail("forecast", source, ": 'out' must be a text, got ", out.dump());
  object.erase("out");
  return out.get<std::string>();
}

// For the test command: every subcommand once on a little data, in a folder that goes away.
int tour() {
  struct Away {
    Folder path = std::filesystem::temp_directory_path() / fmt::format("forecast-{}", ::getpid());
    ~Away() { std::filesystem::remove_all(path); }
  } folder;
  TrainCommand command{.settings = {}, .out = folder.path / "run"};
  Settings& s = command.settings;
  s.data = AXISGRAD_EXAMPLE_DATA "/ETTh1.csv";
  s.target = {"OT"}, s.split = {"960", "240", "240"};
  s.lookback = 24, s.horizon = 6, s.epochs = 1, s.units = 8, s.model = "feature-block";
  list_models();
  train(command);
  evaluate({.run = command.out, .data = "", .predictions = folder.path / "errors.csv"});
  predict({.run = command.out, .data = s.data, .output = ""});
  explain({.run = command.out, .data = "", .options = {.windows = 32}});
  return compare({.settings = s, .models = {"dlinear"}, .seeds = 2, .out = folder.path / "cmp"});
}

// Reads the command line; the exit code when it cannot be followed. CLI11 looks for what is missing
// before what is misspelt, but the misspelt word is why something is missing.
std::optional<int> refuse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    const auto unknown = app.remaining(true);
    return unknown.empty() ? app.exit(error) : app.exit(CLI::ExtrasError(unknown));
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return {};
}

// The settings of a comparison, and what it adds to them.
void set_from_file(CompareCommand& command, const std::string& path) {
  Json object = read_json(path);
  const auto take = [&](const char* name, auto& to) {
    if (!object.is_object() || !object.contains(name)) return;
    try {
      object.at(name).get_to(to);
    } catch (const Json::exception&) {
      axisgrad::fail("forecast", "'", path, "': '", name, "' must be ",
                     name == std::string("models") ? "a list of names" : "a whole number", ", got ",
                     object.at(name).dump());
    }
    object.erase(name);
  };
  take("models", command.models);
  take("seeds", command.seeds);
  if (const Folder out = take_out(object, "'" + path + "'"); !out.empty()) command.out = out;
  set_from_json(command.settings, object, "'" + path + "'");
}

int run(int argc, char** argv) {
  CLI::App app("Forecasts several variables over time from a table, and explains what it looks at");
  bool quick = false;
  app.add_flag("--quick", quick, "Each subcommand once on a little data, as a test");
  app.require_subcommand(0, 1);
  int code = 0;

  TrainCommand train_options;
  std::string config;
  auto* train_app = app.add_subcommand("train", "Train a model on a table");
  train_app->add_option("data", train_options.settings.data, "CSV file");
  train_app->add_option("--config", config,
                        "JSON file of settings; options on the command line win");
  const auto* out_option =
      train_app->add_option("--out", train_options.out, "Run folder")->capture_default_str();
  train_app->add_flag("--resume", train_options.resume, "Go on with the run in the folder");
  train_app->add_flag("--overwrite", train_options.overwrite, "Begin anew in the folder");
  train_options.settings.visit(AddOption{*train_app});

  EvaluateCommand evaluate_options;
  auto* evaluate_app = app.add_subcommand("evaluate", "Errors of a run on its split");
  evaluate_app->add_option("run", evaluate_options.run, "Run folder")->required();
  evaluate_app->add_option("--data", evaluate_options.data, "The table, when it was moved");
  evaluate_app->add_option("--predictions", evaluate_options.predictions,
                           "CSV file for the forecast of every test window");

  PredictCommand predict_options;
  auto* predict_app = app.add_subcommand("predict", "Forecast what comes after a table's last row");
  predict_app->add_option("run", predict_options.run, "Run folder")->required();
  predict_app->add_option("data", predict_options.data, "CSV file with the same columns")
      ->required();
  predict_app->add_option("--output", predict_options.output, "CSV file to write");
  predict_app->add_option("--numbers", predict_options.numbers,
                          "How numbers are written in this file, where it is not as in training");
  predict_app->add_option("--date-order", predict_options.date_order,
                          "dmy, mdy or ymd, where it is not as in training");

  ExplainCommand explain_options;
  auto* explain_app = app.add_subcommand(
      "explain", "What a model looks at, beside input gradients and permutation importance");
  explain_app->add_option("run", explain_options.run, "Run folder")->required();
  explain_app->add_option("--data", explain_options.data, "The table, when it was moved");
  explain_app
      ->add_option("--windows", explain_options.options.windows,
                   "Test windows to average over and to scramble with, at even distances")
      ->capture_default_str();
  explain_app->add_option("--window", explain_options.options.window,
                          "This test window alone, scrambled with --windows others");
  explain_app->add_option("--seed", explain_options.options.seed, "Of the permutations")
      ->capture_default_str();

  CompareCommand compare_options;
  auto* compare_app =
      app.add_subcommand("compare", "Train several models with several seeds; one table");
  compare_app->add_option("data", compare_options.settings.data, "CSV file");
  compare_app->add_option("--config", config,
                          "JSON file of settings, \"models\" and \"seeds\"; options on the command "
                          "line win");
  compare_app->add_option("--models", compare_options.models, "Names, separated by commas")
      ->delimiter(',');
  compare_app->add_option("--seeds", compare_options.seeds, "How many")->capture_default_str();
  compare_app->add_option("--out", compare_options.out, "Folder of the runs and the table")
      ->capture_default_str();
  compare_options.settings.visit(AddOption{*compare_app});

  auto* models_app = app.add_subcommand("models", "List the models");

  if (const auto refused = refuse(app, argc, argv)) return *refused;
  if (quick) return tour();
  if (app.get_subcommands().empty()) {
    fmt::print("{}", app.help());
    return 1;
  }
  if (train_app->parsed()) {
    // What the file says comes first: what was given on the command line is set again over it.
    Json file = config.empty() ? Json::object() : read_json(config);
    const Folder out = take_out(file, "'" + config + "'");
    if (!out.empty() && out_option->count() == 0) train_options.out = out;
    const bool begun = train_options.resume && exists(train_options.out / "config.json");
    if (begun || !config.empty()) {
      train_options.settings = begun ? read_config(train_options.out).settings : Settings{};
      if (!config.empty()) set_from_json(train_options.settings, file, "'" + config + "'");
      if (const auto refused = refuse(app, argc, argv)) return *refused;
    }
    code = train(train_options);
  }
  if (evaluate_app->parsed()) code = evaluate(evaluate_options);
  if (predict_app->parsed()) code = predict(predict_options);
  if (explain_app->parsed()) code = explain(explain_options);
  if (compare_app->parsed()) {
    if (!config.empty()) {
      compare_options = {};
      set_from_file(compare_options, config);
      if (const auto refused = refuse(app, argc, argv)) return *refused;
    }
    code = compare(compare_options);
  }
  if (models_app->parsed()) code = list_models();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fflush(stdout);  // what was said before comes before
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
