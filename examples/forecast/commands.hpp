// The subcommands.
#pragma once
#include "explain.hpp"

namespace forecast {

struct TrainCommand {
  Settings settings;
  Folder out = "run";
  bool resume = false, overwrite = false;
};
/// 0, or 130 when it was interrupted.
int train(const TrainCommand& command);

struct EvaluateCommand {
  Folder run;
  std::string data;  // in place of the table that the run was trained on
  Folder predictions;
};
int evaluate(const EvaluateCommand& command);

struct PredictCommand {
  Folder run;
  std::string data;
  Folder output;                        // empty: to the screen
  std::string numbers{}, date_order{};  // in place of what the run says
};
int predict(const PredictCommand& command);

struct ExplainCommand {
  Folder run;
  std::string data;
  ExplainOptions options;
};
int explain(const ExplainCommand& command);

struct CompareCommand {
  Settings settings;  // but for model and seed, which is the first one
  Names models;
  int seeds = 3;
  Folder out = "comparison";
};
int compare(const CompareCommand& command);

int list_models();

// What several of them do.
void use_threads(const Settings& settings);
void print_data(const Prepared& data);
/// Error when these settings and this table would not go on with the training in the folder, but
/// make another.
void require_same(Settings now, const Prepared& data, const Folder& folder);

}  // namespace forecast
