#include "report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "files.hpp"
#include "page.hpp"
#include "report_pictures.hpp"
#include "training.hpp"

namespace forecast {
namespace {

std::string joined(const Names& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::vector<std::string> row(const std::string& name, const Metrics& m) {
  const auto f = [](double x) { return fmt::format("{:.4f}", x); };
  const auto g = [](double x) { return fmt::format("{:.5g}", x); };
  return {name,
          f(m.validation.standardised.mse),
          f(m.validation.standardised.mae),
          f(m.test.standardised.mse),
          f(m.test.standardised.mae),
          g(m.test.original.rmse()),
          g(m.test.original.mae)};
}

void verdict(Page& page, const std::string& name, const RunMetrics& metrics) {
  const Names ahead = metrics.not_beaten(name);
  const double own = metrics.model.test.standardised.mse;
  if (ahead.empty()) {
    page.paragraph(
        fmt::format("On the test windows the model '{}' has a smaller mean squared error "
                    "({:.4f}) than every baseline.",
                    escaped(name), own),
        "verdict");
    return;
  }
  page.paragraph(
      fmt::format(
          "The model '{}' does not beat {} on the test windows: its mean squared error is "
          "{:.4f}. For this table and horizon the simpler rule forecasts at least as well, "
          "and pictures of what the model looks at explain a forecaster that is not needed.",
          escaped(name), joined(ahead), own),
      "warning");
}

void comparison(Page& page, const std::string& name, const RunMetrics& metrics) {
  std::vector<std::vector<std::string>> rows{row(name, metrics.model)};
  for (const auto& [baseline, m] : metrics.baselines)
    if (baseline != name) rows.push_back(row(baseline, m));
  page.table({"model", "validation MSE", "validation MAE", "test MSE", "test MAE",
              "test RMSE, own units", "test MAE, own units"},
             rows, {.marked = name});
  page.paragraph(
      "MSE and MAE are in units of each target's standard deviation in the training "
      "rows; the last two columns are in the units of the table. repeat: the last value "
      "again and again; seasonal: the last season; linear: least squares with one matrix "
      "for all variables.");
}

// The test errors of each target beside those of the linear rule: their mean hides which of them is
// hard.
void by_target(Page& page, const Settings& s, const Forecaster& model, const Prepared& data) {
  if (data.targets.size() < 2 || s.model == "linear") return;
  Forecaster linear("linear", context_of(data, s));
  linear.solve(data.train);
  const auto own = scores_by_target(model, data.test, data.deviations());
  const auto rule = scores_by_target(linear, data.test, data.deviations());
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < own.size(); ++k)
    rows.push_back({data.target_name(k), fmt::format("{:.4f}", own[k].standardised.mse),
                    fmt::format("{:.4f}", rule[k].standardised.mse),
                    fmt::format("{:.5g}", own[k].original.mae),
                    fmt::format("{:.5g}", rule[k].original.mae)});
  page.table({"target", s.model + ": test MSE", "linear: test MSE", s.model + ": MAE, own units",
              "linear: MAE, own units"},
             rows);
}

std::vector<std::string> honesty(const Settings& s, const Prepared& d) {
  const auto rows = [](axisgrad::Rows r) { return fmt::format("{} to {}", r.begin, r.end - 1); };
  std::vector<std::string> items{
      fmt::format("The split is in the order of time: rows {} to train, {} to validate, {} to "
                  "test (counted from 0).",
                  rows(d.rows.train), rows(d.rows.validation), rows(d.rows.test)),
      fmt::format("All windows count: {} to train, {} to validate, {} to test. No row to forecast "
                  "of one part is in another.",
                  d.train.samples(), d.validation.samples(), d.test.samples()),
      "Mean and deviation for scaling come from training rows alone.",
      fmt::format("The model sees rows up to the one before the first it forecasts{}. Missing "
                  "cells: {}; nothing is filled from later rows.",
                  s.current ? ", but of the variables that it does not forecast one more"
                            : ", of no variable a later one",
                  escaped(s.missing)),
      "The epoch is chosen by the validation windows; the test windows are looked at once."};
  for (const std::string& note : d.series.notes) items.push_back("Note: " + escaped(note) + '.');
  return items;
}

void what_attention_is(Page& page, const Explanation& e) {
  if (e.maps.empty()) {
    page.paragraph("This model has no attention. The measures below ask the model itself.");
  } else {
    page.paragraph(
        "Attention weights say how much of each position a layer of the model mixes into its "
        "output. They are no causes, no correlations, and not how much the forecast would change: "
        "later layers may ignore or undo them. Believe a map where the two measures of the whole "
        "model beside it agree with it, and the model beats the linear rule.");
  }
  page.paragraph(
      "<em>Input gradient</em>: how far the mean forecast moves, at first order, when this input "
      "moves as it usually does. <em>Permutation</em>: how much the error grows when this input "
      "comes from another window.");
  page.paragraph(e.window ? fmt::format("All of this is of test window {} alone.", *e.window)
                          : fmt::format("All of this is the mean over {} test windows, at even "
                                        "distances over the test part.",
                                        e.windows));
  std::vector<std::vector<std::string>> rows;
  for (const Agreement& a : e.agreements)
    rows.push_back({a.first, a.second, a.axis, agreement_text(a)});
  if (!rows.empty()) {
    page.table({"measure", "and", "over", "rank correlation"}, rows, {.words = true});
    page.paragraph(
        "Spearman's rank correlation: 1 is the same order, 0 none in common, -1 the "
        "reverse.");
  }
  std::vector<std::string> notes;
  for (const std::string& note : e.notes) notes.push_back(escaped(note) + '.');
  if (!notes.empty()) page.list(notes);
}

}  // namespace

void write_report(const Folder& folder, const Settings& s, const Forecaster& model,
                  const Prepared& data, const RunMetrics& metrics, const Explanation* explanation) {
  ReportPictures pictures = report_pictures(model, data, read_history(folder), explanation);
  draw(folder / "pictures", pictures.training);
  draw(folder / "pictures", pictures.forecasts);
  draw(folder / "pictures", pictures.attention);

  Names targets;
  for (std::size_t k = 0; k < data.targets.size(); ++k) targets.push_back(data.target_name(k));
  Page page(fmt::format("{}: {} forecast {} step{} ahead", s.model, joined(targets), s.horizon,
                        s.horizon == 1 ? "" : "s"));
  page.paragraph(fmt::format(
      "Table <code>{}</code>, {} rows, {} variables, one step is {}. The model sees {} steps: {}.",
      escaped(data.series.path), data.series.rows(), data.series.names.size(),
      data.series.step_text(), s.lookback, escaped(model.info().line)));
  verdict(page, s.model, metrics);
  page.heading("Beside the baselines");
  comparison(page, s.model, metrics);
  by_target(page, s, model, data);
  page.heading("Forecasts of test windows");
  page.gallery(pictures.forecasts);
  if (explanation) {
    page.heading("What the model looks at");
    what_attention_is(page, *explanation);
    page.gallery(pictures.attention);
  }
  if (!pictures.training.empty()) {
    page.heading("Training");
    for (const Picture& p : pictures.training) page.picture(p);
  }
  page.heading("How it was measured");
  page.list(honesty(s, data));
  page.heading("To repeat it");
  page.paragraph(
      "All settings are in <code>config.json</code>: <code>forecast train --config "
      "config.json --out another</code> gives the same bits.");
  write_file(folder / "report.html", page.text());
}

}  // namespace forecast
