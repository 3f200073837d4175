#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "commands.hpp"
#include "files.hpp"
#include "page.hpp"
#include "training.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

struct MeanAndSpread {
  double mean = 0, deviation = 0;  // of the sample; 0 for a single one
};
MeanAndSpread summary(const std::vector<double>& values) {
  MeanAndSpread s;
  const auto n = static_cast<double>(values.size());
  for (const double v : values) s.mean += v / n;
  for (const double v : values) s.deviation += (v - s.mean) * (v - s.mean);
  s.deviation = n > 1 ? std::sqrt(s.deviation / (n - 1)) : 0;
  return s;
}

struct Line {
  std::string name;
  std::vector<Metrics> runs;

  [[nodiscard]] MeanAndSpread of(double (*value)(const Metrics&)) const {
    std::vector<double> values;
    for (const Metrics& m : runs) values.push_back(value(m));
    return summary(values);
  }
};

struct Column {
  const char *name, *key;
  double (*value)(const Metrics&);
  const char* format;
};
constexpr Column columns[]{
    {"val MSE", "validation_mse", [](const Metrics& m) { return m.validation.standardised.mse; },
     "{:.4f}"},
    {"val MAE", "validation_mae", [](const Metrics& m) { return m.validation.standardised.mae; },
     "{:.4f}"},
    {"test MSE", "test_mse", [](const Metrics& m) { return m.test.standardised.mse; }, "{:.4f}"},
    {"test MAE", "test_mae", [](const Metrics& m) { return m.test.standardised.mae; }, "{:.4f}"},
    {"RMSE orig.", "test_rmse_original", [](const Metrics& m) { return m.test.original.rmse(); },
     "{:.5g}"},
    {"MAE orig.", "test_mae_original", [](const Metrics& m) { return m.test.original.mae; },
     "{:.5g}"},
};

std::string cell(const Line& line, const Column& c) {
  const MeanAndSpread s = line.of(c.value);
  const std::string mean = fmt::format(fmt::runtime(c.format), s.mean);
  return line.runs.size() > 1 ? mean + " ± " + fmt::format("{:.2g}", s.deviation) : mean;
}

double test_mse(const Metrics& m) { return m.test.standardised.mse; }

// Which of the models are no better than the best baseline, by the mean over the seeds.
std::vector<std::string> sentences(const std::vector<Line>& lines) {
  const auto by_rule = [](const Line& l) { return is_rule(find_model(l.name)); };
  const Line* best = &lines.front();  // the baselines come first
  for (const Line& l : lines)
    if (by_rule(l) && l.of(test_mse).mean < best->of(test_mse).mean) best = &l;
  std::vector<std::string> all;
  for (const Line& l : lines) {
    if (by_rule(l)) continue;
    const MeanAndSpread own = l.of(test_mse), rule = best->of(test_mse);
    const double ahead = rule.mean - own.mean;
    if (ahead <= 0)
      all.push_back(fmt::format("{} does not beat {} on the test windows ({:.4f} against {:.4f}).",
                                l.name, best->name, own.mean, rule.mean));
    else if (ahead < 2 * own.deviation)
      all.push_back(
          fmt::format("{} is ahead of {} by {:.4f}, less than two deviations between "
                      "seeds ({:.4f}): that is no difference to build on.",
                      l.name, best->name, ahead, own.deviation));
    else
      all.push_back(fmt::format("{} beats {} on the test windows ({:.4f} against {:.4f}).", l.name,
                                best->name, own.mean, rule.mean));
  }
  return all;
}

void write_results(const CompareCommand& command, const Prepared& data,
                   const std::vector<Line>& lines) {
  std::string csv = "model,runs";
  for (const Column& c : columns) csv += fmt::format(",{0},{0}_deviation", c.key);
  csv += '\n';
  Page page("Models on " + data.series.path);
  page.paragraph(fmt::format(
      "{} steps forecast from {} seen, {} test windows. Mean ± deviation over the seeds; the first "
      "four columns are in units of each target's deviation in training rows.",
      command.settings.horizon, command.settings.lookback, data.test.samples()));
  std::vector<std::string> head{"model"};
  for (const Column& c : columns) head.emplace_back(c.name);
  std::vector<std::vector<std::string>> rows;
  for (const Line& l : lines) {
    csv += fmt::format("{},{}", l.name, l.runs.size());
    rows.push_back({l.name});
    for (const Column& c : columns) {
      const MeanAndSpread s = l.of(c.value);
      csv += fmt::format(",{},{}", s.mean, s.deviation);
      rows.back().push_back(cell(l, c));
    }
    csv += '\n';
  }
  page.table(head, rows);
  page.list(sentences(lines));
  write_file(command.out / "comparison.csv", csv);
  write_file(command.out / "report.html", page.text());
}

void print(const std::vector<Line>& lines) {
  fmt::print("\n{:<16}", "model");
  for (const Column& c : columns) fmt::print("{:>18}", c.name);
  fmt::print("\n");
  for (const Line& l : lines) {
    fmt::print("{:<16}", l.name);
    for (const Column& c : columns) fmt::print("{:>18}", cell(l, c));
    fmt::print("\n");
  }
  fmt::print("\n");
  for (const std::string& s : sentences(lines)) fmt::print("{}\n", s);
}

}  // namespace

int compare(const CompareCommand& command) {
  check(command.settings);
  if (command.seeds < 1) ag::fail("forecast", "--seeds must be at least 1, got ", command.seeds);
  for (const std::string& name : command.models) (void)find_model(name);
  use_threads(command.settings);
  const Prepared data =
      prepare(read_series(command.settings.data, command.settings), command.settings);
  print_data(data);
  std::vector<Line> lines;
  for (const auto& [name, metrics] : measure_baselines(data, command.settings))
    lines.push_back({name, {metrics}});
  for (const std::string& name : command.models) {
    if (std::any_of(lines.begin(), lines.end(), [&](const Line& l) { return l.name == name; }))
      continue;
    Line line{name, {}};
    for (int k = 0; k < command.seeds; ++k) {
      Settings s = command.settings;
      s.model = name, s.seed += static_cast<std::uint64_t>(k);
      const Folder folder = command.out / fmt::format("{}-{}", name, s.seed);
      make_folder(folder);
      // What an earlier, interrupted comparison has done stays done.
      const bool begun = std::filesystem::exists(folder / "config.json");
      if (begun) require_same(s, folder);
      fmt::print("\n{}, seed {}\n", name, s.seed);
      Forecaster model(name, context_of(data, s));
      if (!train_model(model, data, s, folder, {.resume = begun})) return 130;
      line.runs.push_back(measure(model, data));
    }
    lines.push_back(std::move(line));
  }
  write_results(command, data, lines);
  print(lines);
  return 0;
}

}  // namespace forecast
