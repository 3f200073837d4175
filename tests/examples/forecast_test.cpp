// The parts of examples/forecast, from settings to scores.
#include <cmath>
#include <limits>
#include <numeric>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/data/baselines.hpp>
#include <axisgrad/nn/weights/npy.hpp>
#include <axisgrad/nn/weights/npz.hpp>

#include "../../examples/forecast/files.hpp"
#include "../../examples/forecast/page.hpp"
#include "../temporary_folder.hpp"
#include "forecast_fixture.hpp"

using namespace forecast;
namespace ag = axisgrad;

TEST_CASE("forecast: lists of names") {
  CHECK(split_list("a, b c ,d") == Names{"a", "b c", "d"});
  CHECK(split_list("\"Last, gesamt\",OT") == Names{"Last, gesamt", "OT"});
  CHECK(csv_cell("Last, gesamt") == "\"Last, gesamt\"");
  CHECK(csv_cell("6\" pipe") == "\"6\"\" pipe\"");
  CHECK(csv_cell("OT") == "OT");
}

TEST_CASE("forecast: settings as JSON, there and back") {
  Settings s;
  s.data = "a.csv", s.target = {"x", "y"}, s.lookback = 7, s.dropout = .25, s.residual = true;
  s.seed = 18446744073709551615u;
  Settings back;
  set_from_json(back, to_json(s), "t");
  CHECK(to_json(back) == to_json(s));
  // What is not named stays; a text or number stands for a list of one.
  set_from_json(back, Json{{"target", "OT"}, {"columns", {1, "b"}}}, "t");
  CHECK(back.target == Names{"OT"});
  CHECK(back.columns == Names{"1", "b"});
  CHECK(back.lookback == 7);
}

TEST_CASE("forecast: settings that are none") {
  Settings s;
  const auto set = [&](const Json& object) { set_from_json(s, object, "f.json"); };
  CHECK_THROWS_WITH(set({{"lokback", 3}}),
                    "[forecast] f.json: there is no setting 'lokback'; 'forecast train --help' "
                    "lists them");
  CHECK_THROWS_WITH(set({{"lookback", "3"}}),
                    "[forecast] f.json: 'lookback' must be a whole number, got string \"3\"");
  CHECK_THROWS_WITH(set({{"lookback", 3.5}}),
                    "[forecast] f.json: 'lookback' must be a whole number, got number 3.5");
  CHECK_THROWS_WITH(set({{"seed", -1}}),
                    "[forecast] f.json: 'seed' must be a whole number, got number -1");
  CHECK_THROWS_WITH(set({{"residual", 1}}),
                    "[forecast] f.json: 'residual' must be true or false, got number 1");
  CHECK_THROWS_WITH(set({{"lr", "fast"}}),
                    "[forecast] f.json: 'lr' must be a number, got string \"fast\"");
  CHECK_THROWS_WITH(set({{"model", 3}}), "[forecast] f.json: 'model' must be a text, got number 3");
  CHECK_THROWS_WITH(set({{"target", {true}}}),
                    "[forecast] f.json: 'target' must be a list of texts, got array [true]");
  CHECK_THROWS_WITH(set(Json::array()), "[forecast] f.json is not a JSON object of settings");
  CHECK(to_json(s) == to_json(Settings{}));
}

TEST_CASE("forecast: settings out of range are named") {
  const auto error = [](auto change) -> std::string {
    Settings s;
    change(s);
    try {
      check(s);
    } catch (const ag::Error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(error([](Settings&) {}) == "");
  CHECK(error([](Settings& s) { s.lookback = 0; }) ==
        "[forecast] --lookback must be at least 1, got 0");
  CHECK(error([](Settings& s) { s.dropout = 1; }) ==
        "[forecast] --dropout must be within [0, 1), got 1");
  CHECK(error([](Settings& s) { s.lr = NAN; }) == "[forecast] --lr must be above 0, got nan");
  CHECK(error([](Settings& s) {
          s.split = {"1", "2"};
        }) == "[forecast] --split must be three numbers: train,validation,test, got 2");
  CHECK(error([](Settings& s) { s.missing = "skip"; }) ==
        "[forecast] --missing must be error, ffill, interpolate-past or drop, got skip");
  CHECK(error([](Settings& s) { s.schedule = "x"; }) ==
        "[forecast] --schedule must be constant or halve, got x");
}

TEST_CASE("forecast: the split, by shares and by rows") {
  Settings s;
  CHECK(split_rows(s, 100).test == ag::Rows{80, 100});
  s.split = {"60", "20", "10"};
  CHECK(split_rows(s, 100).test == ag::Rows{80, 90});
  s.split = {"0.5", "20", "10"};
  CHECK_THROWS_WITH((void)split_rows(s, 100),
                    "[forecast] --split mixes shares and numbers of rows: 0.5");
  s.split = {"nan", "1e300", "10"};
  CHECK_THROWS_WITH((void)split_rows(s, 100),
                    "[forecast] --split mixes shares and numbers of rows: nan");
  s.split = {"a", "20", "10"};
  CHECK_THROWS_WITH((void)split_rows(s, 100), "[forecast] --split takes numbers, got 'a'");
}

TEST_CASE("forecast: steps, seasons and what comes next") {
  const Timeline hours = read_timeline({"2016-12-31 22:00", "2016-12-31 23:00"}, "t");
  CHECK(hours.step_text() == "1 hour");
  CHECK(hours.season() == 24);
  CHECK(hours.next(2) == Names{"2017-01-01 00:00", "2017-01-01 01:00"});
  const Timeline quarters = read_timeline({"01.07.2016 00:00", "01.07.2016 00:15"}, "t");
  CHECK(quarters.step_text() == "15 minutes");
  CHECK(quarters.season() == 96);
  CHECK(read_timeline({"2016-02-27", "2016-02-28"}, "t").season() == 7);
  const Timeline months = read_timeline({"2016-11", "2016-12", "2017-01"}, "t");
  CHECK(months.step_text() == "1 month");
  CHECK(months.season() == 12);
  CHECK(months.next(1) == Names{"2017-02"});
}

TEST_CASE("forecast: clocks that are numbers") {
  const Timeline unix_time = read_timeline({"1700000000", "1700003600", "1700007200"}, "ts");
  CHECK(unix_time.step_text() == "1 hour");
  CHECK(unix_time.season() == 24);
  CHECK(unix_time.next(2) == Names{"1700010800", "1700014400"});
  const Timeline count = read_timeline({"5", "10", "15"}, "n");
  CHECK(count.step_text() == "5 counts");
  CHECK(count.season() == 1);
  CHECK(count.next(1) == Names{"20"});
  CHECK_THROWS_WITH((void)read_timeline({"5", "10", "9"}, "n"),
                    "[forecast] column 'n', row 3: '9' lies before the row above, '10': sort the "
                    "table by time");
  const Timeline dates = read_timeline({"20160701", "20160702"}, "d");
  CHECK(dates.step_text() == "1 day");
  CHECK(dates.next(1) == Names{"20160703"});
}

TEST_CASE("forecast: columns that are no measurements are noted") {
  const TemporaryFolder folder;
  std::string text = "n,k,a\n";
  for (int i = 0; i < 9; ++i)
    text += std::to_string(1700000000 + 60 * i) + ",4," + std::to_string(i * i) + "\n";
  write_text(folder / "t.csv", text);
  const Series series = read_series((folder / "t.csv").string(), {});
  CHECK(series.notes == Names{"column 'n' rises by the same step in every row: if it is a clock, "
                              "give it as --date-column, or leave it out by --columns",
                              "column 'k' is constant: it tells nothing, and counts as 0 when "
                              "scaled"});
  Settings s;
  s.date_column = {"n"};
  const Series dated = read_series((folder / "t.csv").string(), s);
  CHECK(dated.names == Names{"k", "a"});
  CHECK(dated.step_text() == "1 minute");
}

TEST_CASE("forecast: gaps are told, a step back is an error") {
  const Timeline gap =
      read_timeline({"2016-01-01", "2016-01-02", "2016-01-03", "2016-01-08", "2016-01-09"}, "d");
  CHECK(gap.step_text() == "1 day");
  CHECK(gap.notes == Names{"1 of 4 steps between dates is longer than 1 day, the first in row 4 "
                           "('2016-01-08' after '2016-01-03'): windows reach across these gaps as "
                           "if there were none"});
  CHECK_THROWS_WITH((void)read_timeline({"2016-01-02", "2016-01-03", "2016-01-01"}, "d"),
                    "[forecast] column 'd', row 3: '2016-01-01' lies before the row above, "
                    "'2016-01-03': sort the table by time");
}

TEST_CASE("forecast: nothing of later rows reaches the scaler, nothing is shared") {
  const Settings s = small_settings();
  Series series = waves(200);
  const Prepared before = prepare(series, s);
  double* v = series.values.mutable_data();
  for (Size i = before.rows.train.end * 3; i < 600; ++i) v[i] *= 1000;
  const Prepared after = prepare(series, s);
  CHECK(ag::same_bits(before.scaler.mean(), after.scaler.mean()));
  CHECK(ag::same_bits(before.scaler.deviation(), after.scaler.deviation()));
  // The rows forecast in a part lie within it, and the first looked back on may lie in front of it.
  CHECK(before.train.target_start(before.train.samples() - 1) + s.horizon == before.rows.train.end);
  CHECK(before.validation.target_start(0) == before.rows.validation.begin);
  CHECK(before.test.target_start(0) == before.rows.test.begin);
  CHECK(before.test.target_start(before.test.samples() - 1) + s.horizon == before.rows.test.end);
}

TEST_CASE("forecast: too few rows are told with numbers") {
  Settings s = small_settings();
  s.horizon = 30;
  CHECK_THROWS_WITH((void)prepare(waves(200), s),
                    "[forecast] too few rows to validate on: its rows 140 to 160 of 200 hold no "
                    "window of 12 back and 30 ahead; give more rows, another --split or a smaller "
                    "--lookback or --horizon");
}

TEST_CASE("forecast: the forecast of a window does not see the rows that it forecasts") {
  Series series = waves(200);
  for (const ModelInfo& info : models()) {
    CAPTURE(info.name);
    const Settings s = small_settings(info.name);
    Trained a(series, s), b(series, s);
    // The first test window of a, and of a table whose rows from its first target on are others.
    Series changed = series;
    double* v = changed.values.mutable_data();
    for (Size i = a.data.test.target_start(0) * 3; i < 600; ++i) v[i] = -v[i] + 7;
    const Prepared other = prepare(changed, s);
    const auto y = a.model(ag::constant(a.data.test.take(0, 1).x)).value();
    CHECK(ag::same_bits(y, a.model(ag::constant(other.test.take(0, 1).x)).value()));
  }
}

TEST_CASE("forecast: with --current the other variables are seen one row further, and it is said") {
  Settings s = small_settings();
  s.target = {"b"}, s.current = true;
  const Series series = waves(200);
  const Prepared data = prepare(series, s);
  CHECK(data.series.rows() == 199);
  REQUIRE(data.series.notes.size() == 1);
  CHECK(data.series.notes[0].find("known in advance") != std::string::npos);
  const auto window = data.scaler.inverse(ag::Tensor<double>(data.test.take(0, 1).x));
  const Size first = data.test.target_start(0);
  CHECK(window(0, 11, 0) == doctest::Approx(series.values(first, 0)).epsilon(1e-4));
  CHECK(window(0, 11, 1) == doctest::Approx(series.values(first - 1, 1)).epsilon(1e-4));
  s.target = {"all"};
  CHECK_THROWS_WITH((void)prepare(series, s),
                    "[forecast] --current is for variables that are not forecast, and all are");
}

TEST_CASE("forecast: scores are the plain sums") {
  Settings s = small_settings();
  s.model = "repeat", s.target = {"a", "c"};
  const Trained t(waves(200), s);
  const double d[2] = {t.data.scaler.deviation()(0), t.data.scaler.deviation()(2)};
  const ag::Tensor<double>& v = t.data.series.values;
  double mse = 0, mae = 0, mse_scaled = 0;
  int n = 0;
  for (Size first = 160; first + 3 <= 200; ++first)
    for (Size h = 0; h < 3; ++h)
      for (int k = 0; k < 2; ++k, ++n) {
        const double e = v(first - 1, 2 * k) - v(first + h, 2 * k);
        mse += e * e, mae += std::abs(e), mse_scaled += e * e / (d[k] * d[k]);
      }
  const Score score = measure(t.model, t.data).test;
  CHECK(score.original.mse == doctest::Approx(mse / n).epsilon(1e-5));
  CHECK(score.original.mae == doctest::Approx(mae / n).epsilon(1e-5));
  CHECK(score.original.rmse() == doctest::Approx(std::sqrt(mse / n)).epsilon(1e-5));
  CHECK(score.standardised.mse == doctest::Approx(mse_scaled / n).epsilon(1e-5));
}

TEST_CASE("C62: scores that are no numbers are written as JSON, and read back") {
  const double inf = std::numeric_limits<double>::infinity();
  Metrics odd{};
  odd.test.standardised = {NAN, inf}, odd.test.original = {inf, -inf};
  const std::string name = "quotes \" backslash \\ tab \t and \x01";
  const TemporaryFolder folder;
  write_metrics(folder.path(), {odd, {{name, odd}}});
  const std::string text = read_file(folder / "metrics.json");
  CHECK(Json::accept(text));  // strict: neither NaN nor Infinity stands bare in it
  const RunMetrics back = read_metrics(folder.path());
  CHECK(back.baselines.at(0).first == name);
  for (const Metrics& m : {back.model, back.baselines.at(0).second}) {
    CHECK(std::isnan(m.test.standardised.mse));
    CHECK(m.test.standardised.mae == inf);
    CHECK(m.test.original.mae == -inf);
    CHECK(m.validation.original.mse == 0);
  }
}

TEST_CASE("forecast: the score is the mean of the targets'") {
  Settings s = small_settings();
  s.model = "repeat";
  const Trained t(waves(200), s);
  const auto by_target = scores_by_target(t.model, t.data.test, t.data.deviations());
  REQUIRE(by_target.size() == 3);
  const Score all = score(t.model, t.data.test, t.data.deviations());
  double mse = 0, mae = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    s.target = {t.data.series.names[k]};
    const Trained alone(waves(200), s);
    const Score one = score(alone.model, alone.data.test, alone.data.deviations());
    CHECK(one.original.mse == doctest::Approx(by_target[k].original.mse));
    mse += one.standardised.mse / 3, mae += one.original.mae / 3;
  }
  CHECK(all.standardised.mse == doctest::Approx(mse));
  CHECK(all.original.mae == doctest::Approx(mae));
}

TEST_CASE("forecast: which baselines a model beats") {
  const auto with = [](double mse) {
    Metrics m{};
    m.test.standardised.mse = mse;
    return m;
  };
  const RunMetrics metrics{with(2),
                           {{"repeat", with(3)}, {"seasonal", with(2)}, {"linear", with(1)}}};
  CHECK(metrics.not_beaten("lstm") == Names{"seasonal", "linear"});
  CHECK(metrics.not_beaten("linear") == Names{"seasonal"});
}

TEST_CASE("forecast: a page escapes what comes from a table and names every drawing") {
  CHECK(escaped("<b>&\"") == "&lt;b&gt;&amp;&quot;");
  Page page("a<b");
  Picture p{"pic", "T", "C", "what \"it\" shows", ""};
  p.svg = "<?xml?><svg viewBox='0 0 1 1'><g id='gnuplot_canvas'/></svg>";
  page.picture(p);
  const std::string text = page.text();
  CHECK(text.find("<title>a&lt;b</title>") != text.npos);
  CHECK(text.find("role=\"img\" aria-label=\"what &quot;it&quot; shows\"") != text.npos);
  CHECK(text.find("id='pic_gnuplot_canvas'") != text.npos);
  CHECK(text.find("<?xml") == text.npos);
}

TEST_CASE("forecast: files are whole, or an error says why not") {
  const TemporaryFolder folder;
  write_file(folder / "a", "one");
  write_file(folder / "a", "two");
  CHECK(read_file(folder / "a") == "two");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  CHECK_THROWS_WITH(
      write_file(folder / "none/a", "x"),
      ("[forecast] cannot write '" + (folder / "none/a").string() + "': No such file or directory")
          .c_str());
  CHECK_THROWS_WITH((void)read_file(folder / "b"),
                    ("[forecast] there is no file '" + (folder / "b").string() + "'").c_str());
}

TEST_CASE("forecast: tables from NumPy's files") {
  const TemporaryFolder folder;
  const ag::Tensor<double> two({3, 2}, {1, 2, 3, 4, 5, 6}), one({3}, {7, 8, 9});
  ag::save_npy(folder / "a.npy", two);
  Settings s;
  const Series npy = read_series((folder / "a.npy").string(), s);
  CHECK(npy.names == Names{"0", "1"});
  CHECK(ag::same_bits(npy.values, two));
  CHECK(npy.step_text() == "1 row");

  ag::ArrayFile file;
  file.add("load", one), file.add("wind", two);
  ag::write_npz(folder / "a.npz", file);
  const Series npz = read_series((folder / "a.npz").string(), s);
  CHECK(npz.names == Names{"load", "wind.0", "wind.1"});
  CHECK(ag::same_bits(npz.values, ag::Tensor<double>({3, 3}, {7, 1, 2, 8, 3, 4, 9, 5, 6})));
  s.columns = {"wind.1", "load"};
  CHECK(ag::same_bits(read_series((folder / "a.npz").string(), s).values,
                      ag::Tensor<double>({3, 2}, {2, 7, 4, 8, 6, 9})));
}

TEST_CASE("forecast: NumPy's files that are no tables") {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& file, const Settings& s = {}) -> std::string {
    try {
      (void)read_series((folder / file).string(), s);
    } catch (const ag::Error& e) {
      const std::string text = e.what();
      return text.substr(text.find(file));
    }
    return "";
  };
  ag::save_npy(folder / "a.npy", ag::Tensor<double>({2, 2, 2}, 1.));
  CHECK(error("a.npy") == "a.npy' must hold (rows) or (rows, variables), got (2,2,2)");
  ag::save_npy(folder / "b.npy", ag::Tensor<double>({2, 2}, {1, 2, NAN, 4}));
  CHECK(error("b.npy") == "b.npy', row 1, column '0': a value is missing (nan)");
  Settings s;
  s.date_column = {"t"};
  ag::save_npy(folder / "c.npy", ag::Tensor<double>({2, 2}, 1.));
  CHECK(error("c.npy", s) == "c.npy' has no dates: --date-column is for CSV files");
  ag::ArrayFile file;
  file.add("x", ag::Tensor<double>({3}, 1.)), file.add("y", ag::Tensor<double>({4}, 1.));
  ag::write_npz(folder / "d.npz", file);
  CHECK(error("d.npz") == "d.npz': 'y' has 4 rows, but 'x' 3");
}
