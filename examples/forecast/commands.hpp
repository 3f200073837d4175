// The subcommands.
#pragma once
#include "run.hpp"

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
  Folder output;  // empty: to the screen
};
int predict(const PredictCommand& command);

int list_models();

}  // namespace forecast
