// What a run is asked to do. Each setting is described once, in visit(): the command line, the JSON
// file of --config and config.json in a run folder are all made from that description.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <axisgrad/nn/data/split.hpp>
#include <axisgrad/nn/weights/json.hpp>

namespace forecast {

using axisgrad::Json;
using axisgrad::Size;
using Names = std::vector<std::string>;

struct Settings {
  std::string data;
  Names target{"all"};
  Names date_column;
  std::string date_order;
  Names columns;
  std::string numbers;
  bool header = true;
  std::string missing = "error";
  Names missing_words;
  Names split{"0.7", "0.1", "0.2"};
  Size lookback = 96, horizon = 24, season = 0;

  std::string model = "lstm";
  Size units = 64, heads = 4, layers = 1;
  double dropout = 0, ridge = 1e-6;
  bool instance_norm = true, residual = false, current = false;

  int epochs = 10;
  Size batch = 32;
  double lr = 1e-3;
  std::string schedule = "constant";
  int patience = 3;
  std::uint64_t seed = 1;
  int threads = 0;

  /// f(name, setting, help) for each; the name is that of the option without its dashes.
  void visit(auto&& f) {
    f("target", target,
      "Columns to forecast, separated by commas (names with a comma in double quotes), or all");
    f("lookback", lookback, "Rows that a forecast may look back on");
    f("horizon", horizon, "Rows to forecast");
    f("date-column", date_column,
      "Column of dates, or several that make one: date,time (found by itself when one holds "
      "dates)");
    f("date-order", date_order,
      "dmy, mdy or ymd: what 03/04/2016 means (told by the rows where they can)");
    f("columns", columns, "Columns to use, separated by commas; all of numbers when left out");
    f("numbers", numbers,
      "How one thousand two hundred and thirty-four and a half is written in the table: 1234.5, "
      "1234,5, 1,234.5, 1.234,5, 1 234,5 or 1'234.5 (told by the rows where they can)");
    f("header", header,
      "On by default: the first row names the columns. --no-header: it holds numbers, and the "
      "columns are c1, c2, ...");
    f("missing", missing,
      "What a missing cell is: error, ffill (the value above), interpolate-past (the line through "
      "the two values above, not beyond what was seen) or drop (the row)");
    f("missing-words", missing_words,
      "What else stands for a missing cell, beside NA, NaN, null, -, ? and such: -999,closed");
    f("split", split, "Train, validation and test in the order of time: shares or numbers of rows");
    f("season", season, "Rows in a season, for the seasonal rule; 0: a day, week or year by dates");
    f("model", model, "See 'forecast models'");
    f("units", units, "Width of the layers");
    f("heads", heads, "Heads of multi-head attention");
    f("layers", layers, "Layers of the models that stack them");
    f("dropout", dropout, "Share of the elements dropped in training");
    f("ridge", ridge, "Penalty of the linear model");
    f("instance-norm", instance_norm,
      "On by default: the model sees each window and variable with mean 0 and deviation 1, and its "
      "forecast gets the window's own mean and deviation back. --no-instance-norm: it sees the "
      "levels as they are, scaled by the training rows alone");
    f("residual", residual, "Forecast the difference to the last value");
    f("current", current,
      "Let the model see the other variables one row further, up to the first row forecast: for "
      "those that are known in advance");
    f("epochs", epochs, "Most epochs");
    f("batch", batch, "Windows in a training step");
    f("lr", lr, "Learning rate of Adam");
    f("schedule", schedule,
      "Learning rate by epoch: constant, or halve (halved before the third epoch and every one "
      "after it)");
    f("patience", patience, "Epochs without a better validation loss before the end; 0: never");
    f("seed", seed, "Of the initial weights, the order of the windows and dropout");
    f("threads", threads, "0: as many as there are cores");
  }
};

/// The parts of a list between commas, without the spaces around them; within double quotes a comma
/// belongs to the part: a,"b, c" is a and "b, c".
[[nodiscard]] Names split_list(std::string_view text);

/// All settings and where the data is, as the config file has them.
[[nodiscard]] Json to_json(Settings settings);
/// Sets what the object names and leaves the rest. Error naming `source` for an unknown setting or
/// one of another type.
void set_from_json(Settings& settings, const Json& object, const std::string& source);
/// Reads a file for set_from_json.
[[nodiscard]] Json read_json(const std::string& path);
/// Error for a setting out of range.
void check(const Settings& settings);
/// --split as rows of a table.
[[nodiscard]] axisgrad::RowSplit split_rows(const Settings& settings, Size rows);

}  // namespace forecast
