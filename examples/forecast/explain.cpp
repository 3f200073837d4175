#include "explain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/explain/importance.hpp>
#include <axisgrad/nn/explain/score.hpp>
#include <axisgrad/nn/weights/npz.hpp>

#include "files.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

ag::Dataset<float> chosen_windows(const ag::Windows<float>& test, const ExplainOptions& o) {
  if (o.window && (*o.window < 0 || *o.window >= test.samples()))
    ag::fail("forecast", "--window ", *o.window, " is not one of the ", test.samples(),
             " test windows, counted from 0");
  if (o.windows < 1) ag::fail("forecast", "--windows must be at least 1, got ", o.windows);
  std::vector<Size> indices;
  const Size n = std::min(o.windows, test.samples());
  for (Size i = 0; i < n; ++i) indices.push_back(i * test.samples() / n);
  return test.gather(o.window ? std::vector<Size>{*o.window} : indices);
}

std::vector<MeanMap> mean_maps(const Forecaster& model, const ag::Dataset<float>& data) {
  constexpr Size batch = 16;  // a map of 720 steps by 720 for each head is not small
  std::vector<MeanMap> means;
  for (Size begin = 0; begin < data.samples(); begin += batch) {
    const auto part = data.take(begin, std::min(data.samples(), begin + batch));
    const auto maps = model.attention(ag::constant(part.x));
    for (std::size_t k = 0; k < maps.size(); ++k) {
      const auto sum =
          ag::sum(ag::constant(ag::Tensor<double>(maps[k].weights.value())), 0).value();
      if (begin == 0)
        means.push_back({maps[k].name, maps[k].axes, maps[k].attended, maps[k].queries,
                         maps[k].among, ag::Tensor<double>(sum.shape(), 0.)});
      double* to = means[k].weights.mutable_data();
      for (Size i = 0; i < sum.size(); ++i) to[i] += sum.data()[i];
    }
  }
  for (MeanMap& m : means) {
    double* w = m.weights.mutable_data();
    for (Size i = 0; i < m.weights.size(); ++i) w[i] /= static_cast<double>(data.samples());
  }
  return means;
}

std::vector<double> shares(std::vector<double> values) {
  for (double& v : values) v = std::max(v, 0.);  // what scrambling improves counts for nothing
  const double total = std::accumulate(values.begin(), values.end(), 0.);
  if (total > 0)
    for (double& v : values) v /= total;
  return values;
}

// The map's mean over all but the attended axis; of what looks, only what reaches the forecast.
std::vector<double> attention_profile(const MeanMap& map) {
  ag::Var<double> w = ag::constant(map.weights);
  const int last = w.rank() - 1;
  const bool square = last >= 1 && map.axes[static_cast<std::size_t>(last)] ==
                                       map.axes[static_cast<std::size_t>(last) - 1];
  if (square && !map.queries.empty()) w = take(w, map.queries, last - 1);
  int attended = last;  // the last axis of that name is what is looked at
  while (map.axes[static_cast<std::size_t>(attended)] != map.attended) --attended;
  for (int axis = w.rank() - 1; axis >= 0; --axis)
    if (axis != attended) {
      w = mean(w, axis);
      attended -= axis < attended;
    }
  return shares({w.value().begin(), w.value().end()});
}

// Rows are targets: their sum.
std::vector<double> over_targets(const ag::Tensor<double>& importance) {
  const auto sum = ag::sum(ag::constant(importance), 0).value();
  return shares({sum.begin(), sum.end()});
}

Profile profile(const std::string& axis, const Forecaster& model, const Prepared& data,
                const ag::Dataset<float>& windows, const Explanation& e, std::uint64_t seed) {
  Profile p{axis, labels_of(axis, data), {}};
  for (const MeanMap& map : e.maps)
    if (map.attended == axis)
      p.measures.push_back({map.name, attention_profile(map), true, map.among});
  const ag::Axis number = axis == "time" ? ag::Axis::time : ag::Axis::feature;
  const auto mean_forecast = [&](const Var<float>& x) {
    return mean(model(x), ag::Axis::time);  // (B, targets)
  };
  p.measures.push_back(
      {"input gradient", over_targets(ag::input_gradients(mean_forecast, windows,
                                                          {.axis = number, .batch_size = 64}))});
  if (windows.samples() > 1)
    p.measures.push_back({"permutation", over_targets(ag::permutation_importance(
                                             [&](const Var<float>& x) { return model(x); }, windows,
                                             {.axis = number, .seed = seed, .batch_size = 64}))});
  return p;
}

// The values at the positions that the attention is over.
ag::Tensor<double> compared(const Profile::Measure& measure, const Profile::Measure& attention) {
  std::vector<double> v = measure.values;
  if (!attention.among.empty()) {
    v.clear();
    for (const Size k : attention.among) v.push_back(measure.values[static_cast<std::size_t>(k)]);
  }
  return {{static_cast<Size>(v.size())}, v};
}

void add_agreements(Explanation& e, const Profile& p) {
  for (const auto& a : p.measures)
    for (const auto& b : p.measures)
      if (const auto values = compared(a, a); a.attention && !b.attention && values.size() > 1)
        e.agreements.push_back(
            {p.axis, a.name, b.name, ag::rank_correlation(values, compared(b, a))});
}

// One line for each element, after the labels of its place.
std::string long_form(const MeanMap& map, const Prepared& data) {
  std::string text;
  std::vector<Names> labels;
  for (std::size_t a = 0; a < map.axes.size(); ++a) {
    const bool looks = a + 1 < map.axes.size() && map.axes[a] == map.axes[a + 1];
    text += map.axes[a] + (looks ? " that looks," : ",");
    labels.push_back(labels_of(map.axes[a], data));
  }
  text += "weight\n";
  const ag::Shape& shape = map.weights.shape();
  for (Size i = 0; i < map.weights.size(); ++i) {
    Size inner = map.weights.size(), rest = i;
    for (int a = 0; a < shape.rank(); ++a) {
      inner /= shape[a];
      const auto at = static_cast<std::size_t>(rest / inner);
      rest %= inner;
      const Names& names = labels[static_cast<std::size_t>(a)];
      text += (at < names.size() ? csv_cell(names[at]) : std::to_string(at)) + ',';
    }
    text += fmt::format("{:.9g}\n", map.weights.data()[i]);
  }
  return text;
}

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

Names labels_of(const std::string& axis, const Prepared& data) {
  if (axis == "feature") return data.series.names;
  Names labels;
  const Size lookback = data.test.options().lookback;
  if (axis == "time")
    for (Size t = -lookback; t < 0; ++t) labels.push_back(std::to_string(t));
  return labels;  // of heads: numbers
}

Explanation explain_model(const Forecaster& model, const Prepared& data,
                          const ExplainOptions& options) {
  const ag::Dataset<float> windows = chosen_windows(data.test, options);
  Explanation e{windows.samples(), options.window, mean_maps(model, windows), {}, {}};
  for (const char* axis : {"time", "feature"}) {
    e.profiles.push_back(profile(axis, model, data, windows, e, options.seed));
    add_agreements(e, e.profiles.back());
  }
  return e;
}

void write_explanation(const Folder& folder, const Explanation& e, const Prepared& data) {
  const Folder to = folder / "explain";
  make_folder(to);
  ag::ArrayFile arrays;
  for (const MeanMap& map : e.maps) {
    write_file(to / (file_name(map.name) + ".csv"), long_form(map, data));
    arrays.add(file_name(map.name), map.weights);
  }
  for (const Profile& p : e.profiles) {
    std::string text = p.axis;
    for (const auto& m : p.measures) {
      text += ',' + m.name;
      arrays.add(p.axis + "_profile." + file_name(m.name),
                 ag::Tensor<double>({static_cast<Size>(m.values.size())}, m.values));
    }
    for (std::size_t i = 0; i < p.labels.size(); ++i) {
      text += '\n' + csv_cell(p.labels[i]);
      for (const auto& m : p.measures) text += fmt::format(",{:.9g}", m.values[i]);
    }
    write_file(to / (p.axis + "_profile.csv"), text + '\n');
  }
  ag::write_npz(to / "maps.npz", arrays);
  std::string text = "axis,attention,with,rank_correlation\n";
  for (const Agreement& a : e.agreements)
    text += fmt::format("{},{},{},{:.6f}\n", a.axis, a.attention, a.with, a.value);
  write_file(to / "agreement.csv", text);
}

void print_explanation(const Explanation& e) {
  if (e.window)
    fmt::print("Test window {}\n", *e.window);
  else
    fmt::print("Mean over {} test windows\n", e.windows);
  for (const Profile& p : e.profiles)
    for (const auto& m : p.measures) {
      std::vector<std::size_t> order(m.values.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](auto a, auto b) { return m.values[a] > m.values[b]; });
      fmt::print("{:<8} {:<16}", p.axis, m.name);
      for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 5); ++i)
        fmt::print("  {} {:.3f}", p.labels[order[i]], m.values[order[i]]);
      fmt::print("  (uniform {:.3f})\n",
                 1 / static_cast<double>(m.among.empty() ? order.size() : m.among.size()));
    }
  for (const Agreement& a : e.agreements)
    fmt::print("rank correlation over {}: {} and {}: {:.2f}\n", a.axis, a.attention, a.with,
               a.value);
}

}  // namespace forecast
