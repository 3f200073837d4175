#include "report_pictures.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <axisgrad/autograd/ops.hpp>

namespace forecast {
namespace {

namespace ag = axisgrad;

constexpr std::size_t many_names = 12;  // they stand upright, and take their room

std::string time_text(const Prepared& data) {
  return data.series.dates ? "steps of " + data.series.step_text() + " from the first one forecast"
                           : "rows from the first one forecast";
}

// Short, as it stands along the side of a heat map too.
std::string step_text(const Prepared& data) {
  return data.series.dates ? "step of " + data.series.step_text() : "row";
}

Picture training_curves(const std::vector<EpochLine>& history) {
  Curve train{"training", {}, {}}, validation{"validation", {}, {}};
  for (const EpochLine& l : history) {
    train.x.push_back(l.epoch), train.y.push_back(l.loss);
    validation.x.push_back(l.epoch), validation.y.push_back(l.validation_loss);
  }
  const auto best = std::min_element(validation.y.begin(), validation.y.end());
  const auto epoch = best - validation.y.begin() + 1;
  return {
      "training", "Loss by epoch",
      fmt::format("Mean squared error in units of the deviation. The weights kept are those of "
                  "epoch {}, where the validation loss is smallest.",
                  epoch),
      fmt::format("Two curves over {} epochs. The training loss goes from {:.4f} to {:.4f}, the "
                  "validation loss from {:.4f} to {:.4f}; it is smallest, {:.4f}, in epoch {}.",
                  history.size(), train.y.front(), train.y.back(), validation.y.front(),
                  validation.y.back(), *best, epoch),
      curves_script({train, validation}, {"epoch", "mean squared error"})};
}

// Up to 3 targets, each in the window in the middle of the test part.
Picture forecast_window(const Forecaster& model, const Prepared& data, std::size_t k, Size window) {
  const auto part = data.test.take(window, window + 1);
  const Size column = data.targets[k], lookback = data.test.options().lookback,
             horizon = data.test.options().horizon, width = static_cast<Size>(data.targets.size());
  const ag::StandardScaler scaler = data.scaler.select({column});
  const auto p = model(ag::constant(part.x)).value();
  const auto own = [&](float z) { return z * scaler.deviation()(0) + scaler.mean()(0); };
  Curve past{"seen", {}, {}}, truth{"truth", {}, {}}, forecast{"forecast", {}, {}};
  const Size features = part.x.shape()[2];
  for (Size t = std::max(Size{0}, lookback - 2 * horizon - 24); t < lookback; ++t) {
    past.x.push_back(static_cast<double>(t - lookback));
    past.y.push_back(own(part.x.data()[t * features + column]));
  }
  double error = 0;
  for (Size h = 0; h < horizon; ++h) {
    const Size at = h * width + static_cast<Size>(k);
    for (Curve* c : {&truth, &forecast}) c->x.push_back(static_cast<double>(h));
    truth.y.push_back(own(part.y.data()[at]));
    forecast.y.push_back(own(p.data()[at]));
    error += std::abs(truth.y.back() - forecast.y.back()) / static_cast<double>(horizon);
  }
  const std::string name = data.target_name(k);
  return {fmt::format("forecast_{}_{}", column, window),
          fmt::format("{}, test window {} of {}", name, window, data.test.samples()),
          fmt::format("The forecast begins at row {}. Its mean absolute error here is {:.4g}.",
                      data.test.target_start(window), error),
          fmt::format("Three curves of {}: what the model saw, then {} steps of truth, from {:.4g} "
                      "to {:.4g}, and of forecast, from {:.4g} to {:.4g}.",
                      name, horizon, truth.y.front(), truth.y.back(), forecast.y.front(),
                      forecast.y.back()),
          curves_script({past, truth, forecast}, {time_text(data), name})};
}

// Of short horizons: the first step of consecutive windows, as somebody would have got them.
Picture one_step_forecasts(const Forecaster& model, const Prepared& data, std::size_t k) {
  const Size n = data.test.samples(), shown = std::min(n, Size{150}), first = (n - shown) / 2;
  const auto part = data.test.take(first, first + shown);
  const auto p = model(ag::constant(part.x)).value();
  const ag::StandardScaler scaler = data.scaler.select({data.targets[k]});
  Curve truth{"truth", {}, {}}, forecast{"forecast, one step ahead", {}, {}};
  const Size stride = p.shape()[1] * p.shape()[2];
  double error = 0;
  for (Size i = 0; i < shown; ++i) {
    const Size at = i * stride + static_cast<Size>(k);
    const auto own = [&](float z) { return z * scaler.deviation()(0) + scaler.mean()(0); };
    for (Curve* c : {&truth, &forecast})
      c->x.push_back(static_cast<double>(data.test.target_start(first + i)));
    truth.y.push_back(own(part.y.data()[at])), forecast.y.push_back(own(p.data()[at]));
    error += std::abs(truth.y.back() - forecast.y.back()) / static_cast<double>(shown);
  }
  const std::string name = data.target_name(k);
  return {fmt::format("one_step_{}", data.targets[k]),
          fmt::format("{}, {} test windows in a row", name, shown),
          fmt::format("Each point is forecast from the rows in front of it. Their mean absolute "
                      "error is {:.4g}.",
                      error),
          fmt::format("Two curves of {} over {} rows, the truth and its forecast one step ahead.",
                      name, shown),
          curves_script({truth, forecast}, {"row of the table", name})};
}

std::string largest_text(const Names& labels, const std::vector<double>& values) {
  const auto at = std::max_element(values.begin(), values.end()) - values.begin();
  return fmt::format("{} ({:.3g})", labels[static_cast<std::size_t>(at)],
                     values[static_cast<std::size_t>(at)]);
}

Picture profile_picture(const Profile& p, const Prepared& data) {
  std::vector<Curve> measures;
  std::string largest;
  for (const auto& m : p.measures) {
    measures.push_back({m.name, {}, m.values});
    largest += (largest.empty() ? "" : "; ") + m.name + " at " + largest_text(p.labels, m.values);
  }
  const bool time = p.axis == "time", many = time && p.labels.size() > 30;
  if (many)
    for (Curve& m : measures)
      for (std::size_t i = 0; i < m.y.size(); ++i)
        m.x.push_back(static_cast<double>(i) - static_cast<double>(m.y.size()));
  const AxisTexts axes{time ? time_text(data) : "variable", "share"};
  return {p.axis + "_profile",
          time ? "What counts over time" : "What counts among the variables",
          fmt::format("Each measure adds up to 1; {:.3g} would be even. Largest: {}.",
                      1 / static_cast<double>(p.labels.size()), largest),
          fmt::format("{} of {} measures for {} {}. Largest: {}.", many ? "Curves" : "Bars",
                      measures.size(), p.labels.size(), time ? "steps" : "variables", largest),
          many ? curves_script(measures, axes) : bars_script(p.labels, measures, axes),
          680,
          !time && p.labels.size() > many_names ? 500 : 400};
}

// The end of the colours, one for all heads and their mean: even weights are at most half way, so
// that a map without preference is of one middling tone.
double darkest(const MeanMap& map, std::size_t attended) {
  const std::size_t n = map.among.empty() ? attended : map.among.size();
  return std::max(*std::max_element(map.weights.begin(), map.weights.end()),
                  2 / static_cast<double>(n));
}

// What it tells besides the cells: the sum, the largest, and what was not there to be looked at.
std::string caption_of(const MeanMap& map, const Names& labels, const std::string& largest) {
  std::string text = fmt::format("Mean weights; they add up to 1 over {}. The largest is {}.",
                                 map.attended == "time" ? "time" : "the variables", largest);
  Names apart;
  for (std::size_t k = 0; !map.among.empty() && k < labels.size(); ++k)
    if (std::find(map.among.begin(), map.among.end(), static_cast<Size>(k)) == map.among.end())
      apart.push_back(labels[k]);
  return apart.empty() ? text : text + fmt::format(" Not looked at: {}.", fmt::join(apart, ", "));
}

// (rows, cols) of a map, as it is drawn: variables below each other, time to the right.
Picture heat_map(const std::string& name, const std::string& title, ag::Tensor<double> w,
                 Names axes, const MeanMap& map, const Prepared& data, bool small = false) {
  if (axes[0] == "time" && axes[1] == "feature") {
    w = swap_axes(ag::constant(w), 0, 1).value();
    std::swap(axes[0], axes[1]);
  }
  const bool square = axes[0] == axes[1];
  const auto label = [&](const std::string& axis, const char* role) {
    const std::string text = axis == "time" ? step_text(data) : "variable";
    return square ? text + ' ' + role : text;
  };
  const Names rows = labels_of(axes[0], data), cols = labels_of(axes[1], data);
  const Names attended = labels_of(map.attended, data);
  const auto at = std::max_element(w.begin(), w.end()) - w.begin();
  const Size width = w.shape()[1];
  const std::string largest = fmt::format(
      "{:.3g}, at {} and {}", *std::max_element(w.begin(), w.end()),
      rows[static_cast<std::size_t>(at / width)], cols[static_cast<std::size_t>(at % width)]);
  Picture p{name,
            title,
            caption_of(map, attended, largest),
            fmt::format("Heat map of {} rows by {} columns. The largest weight is {}.", rows.size(),
                        cols.size(), largest),
            "",
            680,
            square ? 580 : 400};
  const bool many = std::max(rows.size(), cols.size()) > many_names;
  if (axes[0] == "feature") p.height = std::max(p.height, 200 + 16 * static_cast<int>(rows.size()));
  if (small && !(axes[1] == "feature" && many))
    p.height = p.height * small_picture / p.width, p.width = small_picture;
  p.script = heat_map_script({{w.begin(), w.end()},
                              rows,
                              cols,
                              {label(axes[1], "looked at"), label(axes[0], "that looks")},
                              "mean weight",
                              darkest(map, attended.size()),
                              p.width});
  return p;
}

void add_heat_maps(std::vector<Picture>& pictures, const MeanMap& map, const Prepared& data) {
  std::string file = map.name;
  std::replace(file.begin(), file.end(), ' ', '_');
  const auto& axes = map.axes;
  if (axes.size() == 2 && axes[0] != "head")
    pictures.push_back(heat_map("map_" + file, map.name, map.weights, axes, map, data));
  if (axes.size() != 3 || axes[0] != "head") return;
  const ag::Var<double> w = ag::constant(map.weights);
  pictures.push_back(heat_map("map_" + file, map.name + ", mean of the heads", mean(w, 0).value(),
                              {axes[1], axes[2]}, map, data));
  for (Size head = 0; head < w.shape()[0]; ++head)
    pictures.push_back(heat_map(
        fmt::format("map_{}_head_{}", file, head), fmt::format("{}, head {}", map.name, head),
        squeeze(slice(w, {.axis = 0, .begin = head, .end = head + 1}), 0).value(),
        {axes[1], axes[2]}, map, data, true));
}

}  // namespace

ReportPictures report_pictures(const Forecaster& model, const Prepared& data,
                               const std::vector<EpochLine>& history,
                               const Explanation* explanation) {
  ReportPictures pictures;
  if (history.size() > 1) pictures.training.push_back(training_curves(history));
  const Size n = data.test.samples();
  const bool brief = data.test.options().horizon < 4;
  for (std::size_t k = 0; k < std::min<std::size_t>(data.targets.size(), 7); ++k)
    pictures.forecasts.push_back(brief ? one_step_forecasts(model, data, k)
                                       : forecast_window(model, data, k, n / 2));
  if (data.targets.size() > 2)
    for (Picture& p : pictures.forecasts) p.width = small_picture, p.height = small_picture * 3 / 4;
  if (data.targets.size() == 1 && !brief)
    for (const Size window : {n / 6, n * 5 / 6})
      pictures.forecasts.push_back(forecast_window(model, data, 0, window));
  if (!explanation) return pictures;
  for (const Profile& p : explanation->profiles)
    pictures.attention.push_back(profile_picture(p, data));
  for (const MeanMap& map : explanation->maps) add_heat_maps(pictures.attention, map, data);
  return pictures;
}

}  // namespace forecast
