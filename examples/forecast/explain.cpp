#include "explain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/explain/score.hpp>

#include "measures.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

ag::Dataset<float> chosen_windows(const ag::Windows<float>& test, const ExplainOptions& o) {
  check(o, test.samples());
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

// The other test windows, at even distances, for one window to be scrambled with.
std::vector<Size> others_than(Size window, const ag::Windows<float>& test, Size most) {
  std::vector<Size> indices;
  const Size n = std::min(most, test.samples() - 1);
  for (Size i = 0; i < n; ++i) {
    const Size at = i * (test.samples() - 1) / n;
    indices.push_back(at < window ? at : at + 1);
  }
  return indices;
}

std::vector<double> permutation_of(const Forecaster& model, const Prepared& data,
                                   const ag::Dataset<float>& windows, ag::Axis axis,
                                   const ExplainOptions& options) {
  if (!options.window) return permutation_shares(model, windows, axis, options.seed);
  const auto others = others_than(*options.window, data.test, options.windows);
  return permutation_shares_within(model, windows, data.test.gather(others), axis);
}

Profile profile(const std::string& axis, const Forecaster& model, const Prepared& data,
                const ag::Dataset<float>& windows, const Explanation& e,
                const ExplainOptions& options) {
  Profile p{axis, labels_of(axis, data), {}};
  for (const MeanMap& map : e.maps)
    if (map.attended == axis) p.measures.push_back({map.name, attention_profile(map), map.among});
  const ag::Axis number = axis == "time" ? ag::Axis::time : ag::Axis::feature;
  p.measures.push_back({"input gradient", gradient_shares(model, data, windows, number)});
  if (data.test.samples() > 1)
    p.measures.push_back({"permutation", permutation_of(model, data, windows, number, options)});
  return p;
}

// The values at the positions that both measures tell apart.
Profile::Measure among(const Profile::Measure& measure, const std::vector<Size>& positions) {
  if (positions.empty()) return measure;
  Profile::Measure some{measure.name, {}};
  for (const Size k : positions) some.values.push_back(measure.values[static_cast<std::size_t>(k)]);
  return some;
}

ag::Tensor<double> tensor(const Profile::Measure& m) {
  return {{static_cast<Size>(m.values.size())}, m.values};
}

// Each pair but two attention layers: whether these agree says nothing of the model.
void add_agreements(Explanation& e, const Profile& p, std::size_t layers) {
  for (std::size_t i = 0; i < p.measures.size(); ++i)
    for (std::size_t k = std::max(i + 1, layers); k < p.measures.size(); ++k) {
      const auto& over = p.measures[i].among;
      const auto a = among(p.measures[i], over), b = among(p.measures[k], over);
      if (a.values.size() < 2) continue;
      Agreement agreement{p.axis, a.name, b.name};
      if (a.has_order() && b.has_order())
        agreement.value = ag::rank_correlation(tensor(a), tensor(b));
      else
        agreement.flat = a.has_order() ? b.name : a.name;
      e.agreements.push_back(agreement);
    }
}

std::vector<std::string> notes_on(const Forecaster& model, const Prepared& data,
                                  const ag::Dataset<float>& windows) {
  std::vector<std::string> notes;
  const std::vector<bool> never = at_rest_in_training(data);
  const std::vector<Size> rest = windows_at_rest(windows.x);
  for (std::size_t v = 0; v < never.size(); ++v) {
    const std::string& name = data.series.names[v];
    if (never[v])
      notes.push_back(
          "'" + name +
          "' keeps one value in all training rows: the model could learn nothing of it");
    else if (model.normalises() && rest[v] > 0)
      notes.push_back(fmt::format(
          "'{}' keeps one value within {} of the {} windows: its gradient counts as 0 there", name,
          rest[v], windows.samples()));
  }
  if (data.test.samples() == 1)
    notes.push_back(
        "the test part has a single window and none to scramble it with: there is no permutation "
        "importance");
  return notes;
}

}  // namespace

void check(const ExplainOptions& o, Size test_windows) {
  if (o.window && (*o.window < 0 || *o.window >= test_windows))
    ag::fail("forecast", "--window must be one of the ", test_windows, " test windows, 0 to ",
             test_windows - 1, ", got ", *o.window);
  if (o.windows < 2)
    ag::fail("forecast", "--windows must be at least 2, as inputs are scrambled among them, got ",
             o.windows, "; --window N explains a single one");
}

bool Profile::Measure::has_order() const {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low > 1e-6 * *high;
}

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
  Explanation e{windows.samples(),
                options.window,
                mean_maps(model, windows),
                {},
                {},
                notes_on(model, data, windows)};
  for (const char* axis : {"time", "feature"}) {
    const auto layers = std::count_if(e.maps.begin(), e.maps.end(),
                                      [&](const MeanMap& m) { return m.attended == axis; });
    e.profiles.push_back(profile(axis, model, data, windows, e, options));
    add_agreements(e, e.profiles.back(), static_cast<std::size_t>(layers));
  }
  return e;
}

}  // namespace forecast
