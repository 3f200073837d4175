// Every model of examples/forecast, and its way through training, folder and explanation.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/data/baselines.hpp>

#include "../../examples/forecast/files.hpp"
#include "../../examples/forecast/training.hpp"
#include "../temporary_folder.hpp"
#include "forecast_fixture.hpp"

using namespace forecast;
namespace ag = axisgrad;

namespace {

ag::Tensor<float> batch_of(const Prepared& data) { return data.test.take(0, 5).x; }

double furthest(const ag::Tensor<float>& a, const ag::Tensor<float>& b) {
  REQUIRE(a.shape() == b.shape());
  double d = 0;
  for (Size i = 0; i < a.size(); ++i) d = std::max(d, std::abs(double{a.data()[i]} - b.data()[i]));
  return d;
}

}  // namespace

TEST_CASE("forecast: an unknown model is told the known ones") {
  CHECK_THROWS_WITH_AS(
      (void)find_model("lst"),
      doctest::Contains("[forecast] there is no model 'lst'; there are: repeat, seasonal, linear"),
      ag::Error);
}

TEST_CASE("forecast: what a model cannot do is said") {
  Settings s = small_settings();
  s.model = "da-rnn";
  CHECK_THROWS_WITH_AS(
      Trained(waves(200), s),
      doctest::Contains("give --horizon 1 and one --target, got a horizon of 3 and "
                        "3 of 3 variables"),
      ag::Error);
  s.model = "mha-time", s.heads = 3;
  CHECK_THROWS_WITH_AS(Trained(waves(200), s),
                       doctest::Contains("--units must be a multiple of --heads, got 8 and 3"),
                       ag::Error);
}

TEST_CASE("forecast: every model gives (batch, horizon, targets), and weights that sum to 1") {
  for (const ModelInfo& info : models())
    for (const Names& target : {Names{"all"}, Names{"c"}, Names{"c", "a"}}) {
      CAPTURE(info.name);
      CAPTURE(target.size());
      const Settings s = small_settings(info.name, target);
      const Trained t(waves(200), s);
      const auto x = ag::constant(batch_of(t.data));
      const Size width = s.target == Names{"all"} ? 3 : static_cast<Size>(s.target.size());
      CHECK(t.model(x).shape() == ag::Shape{5, s.horizon, width});
      const auto maps = t.model.attention(x);
      CHECK(maps.empty() == (std::string(info.attends) == "-"));
      for (const AttentionMap& map : maps) {
        CHECK(map.weights.rank() == static_cast<int>(map.axes.size()) + 1);
        const auto last = std::find(map.axes.rbegin(), map.axes.rend(), map.attended);
        REQUIRE(last != map.axes.rend());
        const int axis = static_cast<int>(map.axes.rend() - last);
        const auto sums = sum(map.weights, axis).value();
        for (const float one : sums) CHECK(one == doctest::Approx(1).epsilon(1e-5));
        CHECK(std::string(info.attends).find(map.attended) != std::string::npos);
      }
    }
}

TEST_CASE("forecast: instance norm makes a model follow the size and level of a window") {
  for (const ModelInfo& info : models()) {
    if (is_rule(info)) continue;
    CAPTURE(info.name);
    Settings s = small_settings(info.name);
    const Trained t(waves(200), s);
    const auto x = ag::constant(batch_of(t.data));
    const auto moved = t.model(x * 3.f + 5.f).value(), kept = (t.model(x) * 3.f + 5.f).value();
    CHECK(furthest(moved, kept) < 2e-3);
    s.instance_norm = false;
    if (info.kind == Kind::normalising) {
      CHECK_THROWS_WITH_AS(Trained(waves(200), s),
                           doctest::Contains("--no-instance-norm is not for it"), ag::Error);
      continue;
    }
    const Trained without(waves(200), s);
    CHECK(furthest(without.model(x * 3.f + 5.f).value(), (without.model(x) * 3.f + 5.f).value()) >
          .1);
  }
}

TEST_CASE("forecast: with --residual a model of zeros repeats the last value") {
  Settings s = small_settings();
  s.model = "dlinear", s.residual = true, s.target = {"b", "a"};
  const Trained t(waves(200), s);
  for (auto* p : t.model.parameters()) p->set_value(ag::Tensor<float>(p->shape(), 0.f));
  const auto x = batch_of(t.data);
  CHECK(furthest(t.model(ag::constant(x)).value(), ag::repeat_last(x, 3, {1, 0})) < 1e-5);
}

TEST_CASE("forecast: the linear model is least squares") {
  Settings s = small_settings();
  s.model = "linear", s.target = {"c", "a"}, s.ridge = .1;
  const Trained t(waves(200), s);
  const ag::LeastSquares direct(t.data.train, {.ridge = .1});
  const auto x = batch_of(t.data);
  CHECK(furthest(t.model(ag::constant(x)).value(), direct.predict(x, {2, 0})) < 1e-4);
}

TEST_CASE("forecast: DLinear's two parts add up to what it was given") {
  Settings s = small_settings();
  s.model = "dlinear", s.instance_norm = false, s.lookback = 12, s.horizon = 12;
  s.split = {"0.5", "0.25", "0.25"};
  const Trained t(waves(200), s);
  // The identity for both parts, no bias.
  for (auto* p : t.model.parameters()) {
    ag::Tensor<float> value(p->shape(), 0.f);
    for (Size i = 0; p->shape().rank() == 2 && i < 12; ++i) value.set({i, i}, 1.f);
    p->set_value(value);
  }
  const auto x = batch_of(t.data);
  CHECK(furthest(t.model(ag::constant(x)).value(), x) < 1e-5);
}

TEST_CASE("forecast: a folder holds what the model needs, and gives it back") {
  const TemporaryFolder folder;
  Settings s = small_settings();
  s.model = "mha-feature";
  Trained t(waves(200), s);
  REQUIRE(train_model(t.model, t.data, s, folder.path(), {.silent = true}));
  const RunMetrics metrics{measure(t.model, t.data), measure_baselines(t.data, s)};
  write_metrics(folder.path(), metrics);
  const RunConfig config = read_config(folder.path());
  CHECK(to_json(config.settings) == to_json(s));
  CHECK(config.series.names == t.data.series.names);
  const Forecaster back = read_model(folder.path(), config);
  const auto x = ag::constant(batch_of(t.data));
  CHECK(ag::same_bits(back(x).value(), t.model(x).value()));
  CHECK(ag::same_bits(read_scaler(folder.path(), 3).mean(), t.data.scaler.mean()));
  CHECK(read_history(folder.path()).size() == 2);

  const Json json = Json::parse(read_text(folder / "metrics.json"));
  CHECK(json.size() == 3);
  for (const char* part : {"validation", "test"})
    for (const char* unit : {"standardised", "original"})
      for (const char* error : {"mse", "mae", "rmse"}) {
        CHECK(json.at(part).at(unit).at(error).get<double>() > 0);
        for (const std::string& name : baselines)
          CHECK(json.at("baselines").at(name).at(part).at(unit).at(error).get<double>() > 0);
      }
  CHECK(to_json(read_metrics(folder.path()).model.test) == to_json(metrics.model.test));
}

TEST_CASE("forecast: folders that hold no run, or half of one") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH((void)read_config(folder.path()), ("[forecast] '" + folder.path().string() +
                                                       "' is no run folder: it has no config.json")
                                                          .c_str());
  const Settings s = small_settings();
  const Trained t(waves(200), s);
  write_config(folder.path(), s, t.data);
  CHECK_THROWS_WITH((void)read_model(folder.path(), read_config(folder.path())),
                    ("[forecast] '" + folder.path().string() +
                     "' has no weights.safetensors: its training did not end; go on with --resume")
                        .c_str());
  write_text(folder / "metrics.json", "{\"test\": 3}");
  CHECK_THROWS_WITH_AS((void)read_metrics(folder.path()),
                       doctest::Contains("metrics.json' is not as this program writes it"),
                       ag::Error);
}

TEST_CASE("forecast: a training that goes on gives the bits of one that never stopped") {
  Settings s = small_settings();
  s.model = "lstm", s.dropout = .2, s.epochs = 5, s.patience = 2, s.schedule = "halve";
  const TemporaryFolder whole, parts;
  Trained a(waves(200), s);
  REQUIRE(train_model(a.model, a.data, s, whole.path(), {.silent = true}));
  for (const int epochs : {1, 3, 5}) {
    s.epochs = epochs;
    Trained b(waves(200), s);  // as a new process would
    REQUIRE(train_model(b.model, b.data, s, parts.path(), {.resume = true, .silent = true}));
  }
  CHECK(read_text(whole / "weights.safetensors") == read_text(parts / "weights.safetensors"));
  CHECK(read_text(whole / "checkpoint.safetensors") == read_text(parts / "checkpoint.safetensors"));
  const auto one = read_history(whole.path()), other = read_history(parts.path());
  REQUIRE(one.size() == other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].loss == other[i].loss);
    CHECK(one[i].validation_loss == other[i].validation_loss);
    CHECK(one[i].learning_rate ==
          doctest::Approx(1e-3 * std::pow(.5, std::max(0., double(i) - 1))));
  }
}
