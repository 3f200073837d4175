// What examples/forecast says of a model whose answer is known, also where there is none.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <axisgrad/nn/data/baselines.hpp>

#include "../../examples/forecast/explain.hpp"
#include "../../examples/forecast/measures.hpp"
#include "../../examples/forecast/picture.hpp"
#include "../temporary_folder.hpp"
#include "forecast_fixture.hpp"

using namespace forecast;
namespace ag = axisgrad;

namespace {

// waves() and two columns more: one that never moves, one that rests but for 4 rows in 40.
Series waves_and_rests(Size rows) {
  Series s = waves(rows);
  ag::Tensor<double> v({rows, 5});
  double* to = v.mutable_data();
  for (Size t = 0; t < rows; ++t) {
    for (Size c = 0; c < 3; ++c) *to++ = s.values(t, c);
    *to++ = 7;
    *to++ = t % 40 < 4 ? double(1 + t % 3) : 0.;
  }
  return {"waves", {"a", "b", "c", "flat", "rain"}, v};
}

const Profile::Measure& measure(const Explanation& e, const char* axis, const char* name) {
  for (const Profile& p : e.profiles)
    for (const auto& m : p.measures)
      if (p.axis == axis && m.name == name) return m;
  FAIL("no measure " << name);
  return e.profiles[0].measures[0];
}

void zero(const Forecaster& model) {
  for (auto* p : model.parameters()) p->set_value(ag::Tensor<float>(p->shape(), 0.f));
}

}  // namespace

TEST_CASE("forecast: explanations of a model whose answer is known") {
  // The linear model looks at the targets' own past and at nothing else.
  Settings s = small_settings();
  s.model = "linear", s.target = {"b"};
  const Trained t(waves(200), s);
  const Explanation e = explain_model(t.model, t.data, {.windows = 20});
  CHECK(e.maps.empty());
  REQUIRE(e.agreements.size() == 2);  // gradient and permutation, over time and over variables
  CHECK(*e.agreements[1].value == 1);
  REQUIRE(e.profiles.size() == 2);
  const Profile& features = e.profiles[1];
  CHECK(features.labels == Names{"a", "b", "c"});
  for (const auto& m : features.measures) CHECK(m.values == std::vector<double>{0, 1, 0});
  // Its gradient by a step: the mean row of the matrix, less the mean's share.
  const ag::LeastSquares direct(t.data.train, {.ridge = s.ridge});
  std::vector<double> expected(12);
  double total = 0;
  for (Size i = 0; i < 12; ++i) {
    double g = 1. / 12;
    for (Size h = 0; h < 3; ++h) {
      g += direct.matrix()(i, h) / 3;
      for (Size j = 0; j < 12; ++j) g -= direct.matrix()(j, h) / 36;
    }
    total += expected[static_cast<std::size_t>(i)] = std::abs(g);
  }
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(e.profiles[0].measures[0].values[i] ==
          doctest::Approx(expected[i] / total).epsilon(1e-3));
}

TEST_CASE("forecast: a column that rests has no part in the gradients, in any model") {
  for (const ModelInfo& info : models())
    for (const bool norm : {true, false}) {
      if (is_rule(info) || (!norm && info.kind == Kind::normalising)) continue;
      CAPTURE(std::string(info.name));
      CAPTURE(norm);
      Settings s = small_settings(info.name, {"b"});
      s.instance_norm = norm;
      const Trained t(waves_and_rests(200), s);
      const Explanation e = explain_model(t.model, t.data, {.windows = 30});
      const auto& by_variable = measure(e, "feature", "input gradient").values;
      CHECK(std::accumulate(by_variable.begin(), by_variable.end(), 0.) == doctest::Approx(1));
      CHECK(by_variable[3] < 1e-6);
      CHECK(measure(e, "feature", "permutation").values[3] < 1e-6);
      // rain rests in most windows, where it was divided by sqrt(1e-5) and led with .99.
      CHECK(measure(e, "feature", "input gradient").values[4] < .5);
      REQUIRE(!e.notes.empty());
      CHECK(e.notes[0] ==
            "'flat' keeps one value in all training rows: the model could learn nothing of it");
      CHECK(e.notes.size() == (norm ? 2 : 1));
      if (norm) CHECK(e.notes[1].find("'rain' keeps one value within ") == 0);
    }
}

TEST_CASE("forecast: in a window where a column rests its gradient counts as 0 there alone") {
  const Settings s = small_settings("mha-feature", {"b"});
  const Trained t(waves_and_rests(200), s);
  // Test windows begin to forecast at row 160 and look back on 12 rows: 165..176 and 155..166.
  const auto share = [&](Size window) {
    return measure(explain_model(t.model, t.data, {.windows = 8, .window = window}), "feature",
                   "input gradient")
        .values[4];
  };
  CHECK(share(17) < 1e-6);
  CHECK(share(7) > .01);
  CHECK(windows_at_rest(t.data.test.take(17, 18).x) == std::vector<Size>{0, 0, 0, 1, 1});
  CHECK(windows_at_rest(t.data.test.take(7, 8).x) == std::vector<Size>{0, 0, 0, 1, 0});
}

TEST_CASE("forecast: gradients are told in the window's own deviation") {
  // y = mean + deviation * network(z): with weights of 0, the mean, which each step moves alike.
  Settings s = small_settings("dlinear", {"a", "c"});
  const Trained t(waves(200), s);
  zero(t.model);
  const auto window = t.data.test.take(3, 4);
  const auto by_variable = gradient_shares(t.model, t.data, window, ag::Axis::feature);
  double deviation[3];
  for (Size v = 0; v < 3; ++v) {
    double mean = 0, square = 0;
    for (Size i = 0; i < 12; ++i) mean += window.x(0, i, v) / 12;
    for (Size i = 0; i < 12; ++i) square += (window.x(0, i, v) - mean) * (window.x(0, i, v) - mean);
    deviation[v] = std::sqrt(square / 12);
  }
  CHECK(by_variable[0] == doctest::Approx(deviation[0] / (deviation[0] + deviation[2])));
  CHECK(by_variable[1] == 0);
  for (const double v : gradient_shares(t.model, t.data, window, ag::Axis::time))
    CHECK(v == doctest::Approx(1. / 12));
}

TEST_CASE("forecast: every pair of measures is compared, attention with each and each other") {
  const Trained t(waves(200), small_settings("both-blocks"));
  const Explanation e = explain_model(t.model, t.data, {.windows = 8});
  std::vector<std::string> pairs;
  for (const Agreement& a : e.agreements) {
    pairs.push_back(a.axis + ": " + a.first + ", " + a.second);
    REQUIRE(a.value);
    CHECK(std::abs(*a.value) <= 1);
  }
  CHECK(pairs ==
        std::vector<std::string>{
            "time: time weights, input gradient", "time: time weights, permutation",
            "time: input gradient, permutation", "feature: feature weights, input gradient",
            "feature: feature weights, permutation", "feature: input gradient, permutation"});
  // Two layers of attention are not compared with each other.
  Settings s = small_settings("itransformer");
  s.layers = 2;
  const Trained two(waves(200), s);
  CHECK(explain_model(two.model, two.data, {.windows = 8}).agreements.size() == 1 + 5);
}

TEST_CASE("forecast: where a measure ranks nothing there is no correlation, and words say why") {
  Settings s = small_settings("time-block");
  s.instance_norm = false;
  const Trained t(waves(200), s);
  zero(t.model);  // even attention, and a forecast of 0 whatever is seen
  const Explanation e = explain_model(t.model, t.data, {.windows = 8});
  CHECK_FALSE(measure(e, "time", "time block").has_order());
  CHECK_FALSE(measure(e, "time", "permutation").has_order());
  REQUIRE(e.agreements.size() == 4);
  for (const Agreement& a : e.agreements) CHECK_FALSE(a.value);
  CHECK(agreement_text(e.agreements[0]) ==
        "none, as time block is the same everywhere and ranks nothing");
  CHECK(agreement_text({"time", "a", "b", .125}) == "0.12");

  const TemporaryFolder folder;
  write_explanation(folder.path(), e, t.data);
  const Json json = Json::parse(read_text(folder / "explain/profiles.json"));
  CHECK(json.at("agreement").at(0) == Json{{"axis", "time"},
                                           {"first", "time block"},
                                           {"second", "input gradient"},
                                           {"rank_correlation", nullptr}});
  CHECK(read_text(folder / "explain/agreement.csv").find("time,time block,input gradient,\n") !=
        std::string::npos);
}

TEST_CASE("forecast: shares, and whether they rank anything") {
  CHECK(shares({1, 3, -5}) == std::vector<double>{.25, .75, 0});
  CHECK(shares({-1, 0}) == std::vector<double>{0, 0});
  const auto has_order = [](std::vector<double> v) {
    return Profile::Measure{"m", std::move(v)}.has_order();
  };
  CHECK(has_order({.5, .25, .25}));
  CHECK_FALSE(has_order({0, 0, 0}));
  CHECK_FALSE(has_order({1. / 3, 1. / 3 + 1e-9, 1. / 3}));
}

TEST_CASE("forecast: an explanation as files") {
  const TemporaryFolder folder;
  Settings s = small_settings();
  s.model = "both-blocks";
  const Trained t(waves(200), s);
  const Explanation e = explain_model(t.model, t.data, {.windows = 8});
  CHECK(e.windows == 8);
  REQUIRE(e.maps.size() == 2);
  write_explanation(folder.path(), e, t.data);
  const std::string map = read_text(folder / "explain/time_weights.csv");
  CHECK(map.rfind("time,feature,weight\n-12,a,", 0) == 0);
  CHECK(std::count(map.begin(), map.end(), '\n') == 1 + 12 * 3);
  CHECK(std::filesystem::exists(folder / "explain/maps.npz"));
  for (const Profile& p : e.profiles)
    for (const auto& m : p.measures)
      CHECK(std::accumulate(m.values.begin(), m.values.end(), 0.) == doctest::Approx(1));
  const Json json = Json::parse(read_text(folder / "explain/profiles.json"));
  CHECK(json.at("windows") == 8);
  CHECK(json.at("window").is_null());
  CHECK(json.at("profiles").at("feature").at("positions") == Json{"a", "b", "c"});
  CHECK(json.at("profiles").at("time").at("measures").at("permutation").size() == 12);
}

TEST_CASE("forecast: a single window is scrambled with the others") {
  Settings s = small_settings();
  s.model = "linear", s.target = {"b"};
  const Trained t(waves(200), s);
  const Explanation one = explain_model(t.model, t.data, {.windows = 16, .window = 3});
  CHECK(one.windows == 1);
  CHECK(*one.window == 3);
  CHECK(measure(one, "feature", "permutation").values == std::vector<double>{0, 1, 0});
  // By hand: the error of the window with step p of each of the others, less its own.
  const auto window = t.data.test.take(3, 4), others = t.data.test.gather(std::vector<Size>{0, 9});
  const auto by_step = permutation_shares_within(t.model, window, others, ag::Axis::time);
  const auto error = [&](const ag::Tensor<float>& x) {
    const auto p = t.model(ag::constant(x)).value();
    double sum = 0;
    for (Size i = 0; i < 3; ++i) sum += std::pow(p.data()[i] - window.y.data()[i], 2) / 3;
    return sum;
  };
  std::vector<double> grown(12, -error(window.x));
  for (Size p = 0; p < 12; ++p)
    for (Size k = 0; k < 2; ++k) {
      ag::Tensor<float> x = window.x;
      for (Size v = 0; v < 3; ++v) x.set({0, p, v}, others.x(k, p, v));
      grown[static_cast<std::size_t>(p)] += error(x) / 2;
    }
  grown = shares(grown);
  for (std::size_t p = 0; p < 12; ++p) CHECK(by_step[p] == doctest::Approx(grown[p]).epsilon(1e-3));
}

TEST_CASE("forecast: what gnuplot would take for its own is written so that it does not") {
  const std::string bars = bars_script({"it's", "100 %"}, {{"m", {}, {0, 0}}}, {"x", "it's"});
  CHECK(bars.find("set xtics ('it''s' 0, '100 %%' 1) noenhanced") != std::string::npos);
  CHECK(bars.find("set ylabel 'it''s' noenhanced") != std::string::npos);
  CHECK(bars.find("set yrange [0:1]") != std::string::npos);  // nothing but zeros
  const std::string flat = curves_script({{"c", {3}, {-2}}}, {"x", "y"});
  CHECK(flat.find("set xrange [2.85:3.15]\nset yrange [-2.1:-1.9]") != std::string::npos);
  const std::string map = heat_map_script({{0, 0, 0, 0}, {"a", "b"}, {"c", "d"}, {"x", "y"}});
  CHECK(map.find("set cbrange [0:1]") != std::string::npos);
  // Of many steps some are written, the last one always; of names all, aslant where they are long.
  Names steps, names;
  for (int t = -96; t < 0; ++t) steps.push_back(std::to_string(t));
  for (int k = 0; k < 20; ++k) names.push_back("temperature of pump " + std::to_string(k));
  const std::string labels =
      bars_script(steps, {{"m", {}, std::vector<double>(96, 1)}}, {"x", "y"});
  CHECK(labels.find("('-96' 0, '-88' 8, ") != std::string::npos);
  CHECK(labels.find(", '-8' 88, '-1' 95)") != std::string::npos);
  const std::string aslant =
      bars_script(names, {{"m", {}, std::vector<double>(20, 1)}}, {"x", "y"});
  CHECK(aslant.find("set xtics rotate by -90 ('temperatu…f pump 0' 0, 'temperatu…f pump 1' 1,") !=
        std::string::npos);
}

TEST_CASE("forecast: windows that there are not") {
  const Trained t(waves(200), small_settings("linear"));
  const auto explain = [&](ExplainOptions options) {
    (void)explain_model(t.model, t.data, options);
  };
  for (const Size window : {38, -1})
    CHECK_THROWS_WITH(explain({.window = window}),
                      ("[forecast] --window must be one of the 38 test windows, 0 to 37, got " +
                       std::to_string(window))
                          .c_str());
  CHECK_THROWS_WITH(explain({.windows = 1}),
                    "[forecast] --windows must be at least 2, as inputs are scrambled among them, "
                    "got 1; --window N explains a single one");
  Settings s = small_settings("linear");
  s.split = {"140", "20", "3"};
  const Trained single(waves(200), s);
  const Explanation e = explain_model(single.model, single.data, {});
  CHECK(e.windows == 1);
  CHECK(e.profiles[0].measures.size() == 1);
  REQUIRE(e.notes.size() == 1);
  CHECK(e.notes[0].find("the test part has a single window") == 0);
}
