#include "comparison.hpp"

#include <cmath>

#include <fmt/format.h>

#include "files.hpp"
#include "page.hpp"

namespace forecast {
namespace {

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
MeanAndSpread summary(const ComparisonLine& line, double (*value)(const Metrics&)) {
  std::vector<double> values;
  for (const Metrics& m : line.runs) values.push_back(value(m));
  return summary(values);
}

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

std::string cell(const ComparisonLine& line, const Column& c) {
  const MeanAndSpread s = summary(line, c.value);
  const std::string mean = fmt::format(fmt::runtime(c.format), s.mean);
  return line.runs.size() > 1 ? mean + " ± " + fmt::format("{:.2g}", s.deviation) : mean;
}

double test_mse(const Metrics& m) { return m.test.standardised.mse; }
bool by_rule(const ComparisonLine& l) { return is_rule(find_model(l.model)); }

std::string against(const ComparisonLine& line, const ComparisonLine& rule) {
  const MeanAndSpread own = summary(line, test_mse), best = summary(rule, test_mse);
  const double ahead = best.mean - own.mean;
  if (!(ahead > 0))
    return fmt::format("{} does not beat {} on the test windows ({:.4f} against {:.4f}).",
                       line.model, rule.model, own.mean, best.mean);
  if (ahead < 2 * own.deviation)
    return fmt::format(
        "{} is ahead of {} by {:.4f}, less than two deviations between seeds ({:.4f}): that is no "
        "difference to build on.",
        line.model, rule.model, ahead, own.deviation);
  return fmt::format("{} beats {} on the test windows ({:.4f} against {:.4f}).", line.model,
                     rule.model, own.mean, best.mean);
}

std::string csv(const Comparison& comparison) {
  std::string text = "model,runs";
  for (const Column& c : columns) text += fmt::format(",{0},{0}_deviation", c.key);
  text += '\n';
  for (const ComparisonLine& l : comparison.lines) {
    text += fmt::format("{},{}", l.model, l.runs.size());
    for (const Column& c : columns) {
      const MeanAndSpread s = summary(l, c.value);
      text += fmt::format(",{},{}", s.mean, s.deviation);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::vector<std::string> sentences(const Comparison& comparison) {
  const ComparisonLine* best = &comparison.lines.front();
  for (const ComparisonLine& l : comparison.lines)
    if (by_rule(l) && summary(l, test_mse).mean < summary(*best, test_mse).mean) best = &l;
  std::vector<std::string> all;
  for (const ComparisonLine& l : comparison.lines)
    if (!by_rule(l)) all.push_back(against(l, *best));
  for (const ComparisonLine& l : comparison.lines)
    if (!by_rule(l) && l.runs.size() < static_cast<std::size_t>(comparison.seeds))
      all.push_back(fmt::format("The line of {} is of {} of {} seeds.", l.model, l.runs.size(),
                                comparison.seeds));
  for (const FailedRun& f : comparison.failed)
    all.push_back(fmt::format("{}, seed {} failed: {}", f.model, f.seed, f.reason));
  if (comparison.left > 0)
    all.push_back(fmt::format("{} training{} not done yet.", comparison.left,
                              comparison.left == 1 ? " is" : "s are"));
  return all;
}

void write_comparison(const Folder& folder, const Comparison& comparison, const Settings& settings,
                      const Prepared& data) {
  Page page("Models on " + data.series.path);
  page.paragraph(fmt::format(
      "{} step{} forecast from {} seen, {} test windows. Mean ± deviation over the seeds; the "
      "first four columns are in units of each target's deviation in training rows.",
      settings.horizon, settings.horizon == 1 ? "" : "s", settings.lookback, data.test.samples()));
  std::vector<std::string> head{"model"};
  for (const Column& c : columns) head.emplace_back(c.name);
  std::vector<std::vector<std::string>> rows;
  for (const ComparisonLine& l : comparison.lines) {
    rows.push_back({l.model});
    for (const Column& c : columns) rows.back().push_back(cell(l, c));
  }
  page.table(head, rows);
  std::vector<std::string> items;
  for (const std::string& s : sentences(comparison)) items.push_back(escaped(s));
  page.list(items);
  write_file(folder / "comparison.csv", csv(comparison));
  write_file(folder / "report.html", page.text());
}

void print_comparison(const Comparison& comparison) {
  fmt::print("\n{:<16}", "model");
  for (const Column& c : columns) fmt::print("{:>18}", c.name);
  fmt::print("\n");
  for (const ComparisonLine& l : comparison.lines) {
    fmt::print("{:<16}", l.model);
    for (const Column& c : columns) fmt::print("{:>18}", cell(l, c));
    fmt::print("\n");
  }
  fmt::print("\n");
  for (const std::string& s : sentences(comparison)) fmt::print("{}\n", s);
}

}  // namespace forecast
