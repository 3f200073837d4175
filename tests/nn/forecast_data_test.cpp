// From a table to forecasts: scalers, windows and baselines, against published figures on ETTh1.
#include <chrono>
#include <cmath>

#include <doctest/doctest.h>

#include <axisgrad/nn/data/baselines.hpp>
#include <axisgrad/nn/data/scaler.hpp>
#include <axisgrad/nn/data/split.hpp>
#include <axisgrad/nn/data/table.hpp>
#include <axisgrad/nn/data/windows.hpp>

using namespace axisgrad;

TEST_CASE("C70: the scaler knows the rows it was fitted on, and no later one") {
  const Tensor<double> series({4, 1}, {1, 2, 3, 5});
  StandardScaler s;
  s.fit(series, {0, 3});
  CHECK(s.mean().item() == 2);
  CHECK(s.deviation().item() == doctest::Approx(0.816496581).epsilon(1e-9));
  CHECK(s.transform(series)(3, 0) == doctest::Approx(3.67423461).epsilon(1e-9));
  CHECK(s.inverse(s.transform(series))(3, 0) == doctest::Approx(5).epsilon(1e-15));
}

TEST_CASE("scalers work by feature on tables and on windows, for some features, and on constants") {
  const Tensor<double> x({3, 2}, {0.1, 1, 0.1, 2, 0.1, 3});
  StandardScaler s;
  s.fit(x);
  const double z = std::sqrt(1.5);
  CHECK(s.deviation()(0) == 1);
  const auto y = s.transform(x);
  for (Size i = 0; i < 3; ++i) {
    CHECK(y(i, 0) == 0);
    CHECK(y(i, 1) == doctest::Approx(z * static_cast<double>(i - 1)).epsilon(1e-15));
  }
  CHECK(same_bits(s.transform(x.reshaped({1, 3, 2})), y.reshaped({1, 3, 2})));
  const auto rounded = s.transform(Tensor<float>(x));
  for (Size i = 0; i < 3; ++i) CHECK(rounded(i, 1) == static_cast<float>(y(i, 1)));
  CHECK(same_bits(s.select({1}).transform(Tensor<double>({1, 1}, {3})),
                  Tensor<double>({1, 1}, {y(2, 1)})));
  int named = 0;
  s.visit([&](std::string_view name, Tensor<double>& t) {
    named += (name == "mean" || name == "deviation") && t.size() == 2;
  });
  CHECK(named == 2);
}

TEST_CASE("C66: min-max scaling of a constant column gives the lower bound") {
  const Tensor<double> x({3, 2}, {5, 1, 5, 2, 5, 3});
  MinMaxScaler s;
  s.fit(x);
  CHECK(same_bits(s.transform(x), Tensor<double>({3, 2}, {0, 0, 0, 0.5, 0, 1})));
  CHECK(same_bits(s.inverse(s.transform(x)), x));
  MinMaxScaler wide({.low = -1, .high = 3});
  wide.fit(x);
  CHECK(same_bits(wide.transform(x), Tensor<double>({3, 2}, {-1, -1, -1, 1, -1, 3})));
  CHECK(same_bits(wide.select({1}).inverse(Tensor<double>({2, 1}, {-1, 1})),
                  Tensor<double>({2, 1}, {1, 2})));
}

TEST_CASE("errors of the scalers") {
  StandardScaler s;
  const Tensor<float> x({2, 2}, {1, 2, 3, 4});
  CHECK_THROWS_WITH((void)s.transform(x), "[scaler] is not fitted yet: call fit()");
  CHECK_THROWS_WITH((void)s.select({0}), "[scaler] is not fitted yet: call fit()");
  CHECK_THROWS_WITH(s.fit(Tensor<float>({2}, {1, 2})),
                    "[scaler] is fitted on a table (rows, features), got the shape (2)");
  CHECK_THROWS_WITH(s.fit(x, {1, 3}), "[scaler] needs rows to fit on: 1 to 3 of a table with 2");
  CHECK_THROWS_WITH(s.fit(x, {1, 1}), "[scaler] needs rows to fit on: 1 to 1 of a table with 2");
  CHECK_THROWS_WITH(s.fit(Tensor<float>({2, 1}, {1, std::nanf("")})),
                    "[scaler] cannot be fitted: the table has nan at (1,0)");
  s.fit(x);
  CHECK_THROWS_WITH((void)s.transform(Tensor<float>({2, 3}, 0)),
                    "[scaler] was fitted on 2 features, got the shape (2,3)");
  CHECK_THROWS_WITH(MinMaxScaler({.low = 1, .high = 1}),
                    "[scaler] the lower bound must be below the upper one, got 1 and 1");
}

namespace {
Tensor<double> count_up(const Shape& shape) {
  Tensor<double> x(shape);
  for (Size i = 0; i < x.size(); ++i) x.mutable_data()[i] = static_cast<double>(i);
  return x;
}
}  // namespace

TEST_CASE("C68: train and test share no target, and the test context reaches back") {
  const Tensor<double> table = count_up({12, 1});
  const WindowOptions options{.lookback = 3, .horizon = 1};
  const auto rows = split_in_order(12, SplitCounts{.train = 8, .test = 4});
  const Windows<double> train(table, rows.train, options), test(table, rows.test, options);
  CHECK(train.samples() == 5);
  CHECK(test.samples() == 4);
  for (Size i = 0; i < 5; ++i) CHECK(train.start(i) == i);
  for (Size i = 0; i < 4; ++i) CHECK(test.start(i) == 5 + i);
  CHECK(same_bits(train.dataset().y, Tensor<double>({5, 1, 1}, {3, 4, 5, 6, 7})));
  CHECK(same_bits(test.dataset().y, Tensor<double>({4, 1, 1}, {8, 9, 10, 11})));
  CHECK(same_bits(test.take(0, 1).x, Tensor<double>({1, 3, 1}, {5, 6, 7})));
  CHECK(test.target_start(0) == 8);
}

TEST_CASE("windows with several features, chosen targets and a stride") {
  const Tensor<double> table = count_up({10, 3});
  static_assert(DataSource<Windows<double>>);
  const Windows<double> w(table, {0, 10},
                          {.lookback = 2, .horizon = 2, .stride = 3, .targets = {2, 0}});
  CHECK(w.samples() == 3);
  const auto d = w.gather(std::vector<Size>{2, 0});
  CHECK(same_bits(d.x, Tensor<double>({2, 2, 3}, {18, 19, 20, 21, 22, 23, 0, 1, 2, 3, 4, 5})));
  CHECK(same_bits(d.y, Tensor<double>({2, 2, 2}, {26, 24, 29, 27, 8, 6, 11, 9})));
  const Windows<double> all(table, {0, 10}, {.lookback = 2, .horizon = 2});
  CHECK(all.samples() == 7);
  CHECK(same_bits(all.take(6, 7).y, Tensor<double>({1, 2, 3}, {24, 25, 26, 27, 28, 29})));
  CHECK(window_count({0, 10}, {.lookback = 9}) == 1);
  CHECK(window_count({0, 10}, {.lookback = 10}) == 0);
  CHECK(window_count({5, 10}, {.lookback = 5, .horizon = 5}) == 1);
}

TEST_CASE("errors of windows") {
  const Tensor<double> table = count_up({10, 3});
  const auto make = [&](Rows rows, WindowOptions o) {
    return Windows<double>(table, rows, std::move(o));
  };
  CHECK_THROWS_WITH(make({0, 10}, {.lookback = 8, .horizon = 3}),
                    "[windows] too few rows: 8 back and 3 ahead need 11, got 10");
  CHECK_THROWS_WITH(make({6, 8}, {.lookback = 4, .horizon = 3}),
                    "[windows] too few rows: 4 back and 3 ahead need 7, got 6");
  CHECK_THROWS_WITH(make({0, 10}, {.lookback = 0}),
                    "[windows] lookback, horizon and stride must be at least 1, got 0, 1 and 1");
  CHECK_THROWS_WITH(make({5, 3}, {.lookback = 2}), "[windows] rows 5 to 3 are no range");
  CHECK_THROWS_WITH(make({0, 11}, {.lookback = 2}),
                    "[windows] rows 0 to 11 are not within the 10 of the table");
  CHECK_THROWS_WITH(make({0, 10}, {.lookback = 2, .targets = {3}}),
                    "[windows] target 3 is not one of the 3 columns (counted from 0)");
  CHECK_THROWS_WITH(make({0, 10}, {.lookback = 2, .targets = {1, 1}}),
                    "[windows] target 1 is named twice");
  CHECK_THROWS_WITH(Windows<double>(count_up({6}), {0, 6}, {.lookback = 2}),
                    "[windows] needs a table (rows, features), got the shape (6)");
  Tensor<double> hole = table;
  hole.set({4, 1}, std::nan(""));
  CHECK_THROWS_WITH(Windows<double>(hole, {0, 10}, {.lookback = 2}),
                    "[windows] the table of shape (10,3) holds nan at (4,1)");
  const auto w = make({0, 10}, {.lookback = 2});
  CHECK_THROWS_WITH((void)w.gather(std::vector<Size>{8}),
                    "[windows] index 8 is out of range for 8 windows");
  CHECK_THROWS_WITH((void)w.take(0, 9), "[windows] windows 0 to 9 are not within the 8 there are");
}

TEST_CASE("errors of baselines") {
  const Tensor<double> x = count_up({2, 5, 3});
  CHECK_THROWS_WITH((void)repeat_last(count_up({5, 3}), 1),
                    "[baseline] needs windows (N, lookback, features), got the shape (5,3)");
  CHECK_THROWS_WITH((void)repeat_last(x, 0), "[baseline] the horizon must be at least 1, got 0");
  CHECK_THROWS_WITH((void)repeat_last(x, 1, {3}),
                    "[baseline] target 3 is not one of the 3 columns (counted from 0)");
  CHECK_THROWS_WITH((void)repeat_season(x, 1, 6),
                    "[baseline] a period of 6 steps is not within windows of 5");
  CHECK_THROWS_WITH((void)scores(x, count_up({2, 5})),
                    "[scores] prediction and target must have the same shape and some elements, "
                    "got (2,5,3) and (2,5)");
  const Windows<double> w(count_up({9, 1}), {0, 9}, {.lookback = 2, .horizon = 1});
  CHECK_THROWS_WITH(LeastSquares(w, {.ridge = -1}),
                    "[least_squares] the ridge must not be negative, got -1");
  CHECK_THROWS_WITH(
      LeastSquares(w, {.ridge = 0}),  // deviations from a mean add up to 0
      doctest::Contains("[least_squares] the data does not determine the solution (pivot "));
  CHECK_THROWS_WITH((void)LeastSquares(w).predict(x),
                    "[least_squares] was fitted on windows of 2 steps, got the shape (2,5,3)");
}

TEST_CASE("baselines on small windows") {
  const Tensor<double> x = count_up({2, 4, 2});  // window 0: 0 2 4 6 and 1 3 5 7
  CHECK(same_bits(repeat_last(x, 2, {1}), Tensor<double>({2, 2, 1}, {7, 7, 15, 15})));
  CHECK(same_bits(repeat_season(x, 3, 2),
                  Tensor<double>({2, 3, 2}, {4, 5, 6, 7, 4, 5, 12, 13, 14, 15, 12, 13})));
  const Scores s = scores(Tensor<float>({2}, {1, 2}), Tensor<float>({2}, {1, 5}));
  CHECK(s.mse == 4.5);
  CHECK(s.mae == 1.5);
  // A straight line is one that least squares continues, from any height.
  const Windows<double> w(count_up({40, 1}), {0, 40}, {.lookback = 3, .horizon = 2});
  const auto y = LeastSquares(w).predict(Tensor<double>({1, 3, 1}, {100, 101, 102}));
  CHECK(y(0, 0, 0) == doctest::Approx(103).epsilon(1e-8));
  CHECK(y(0, 1, 0) == doctest::Approx(104).epsilon(1e-8));
}

TEST_CASE("ETTh1, 96 hours to 96: the standard windows and the published baselines") {
  const Table table = read_csv(AXISGRAD_SOURCE_DIR "/examples/data/ETTh1.csv", {.text = {"date"}});
  CHECK(table.rows() == 17420);
  CHECK(table.names ==
        std::vector<std::string>{"HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT"});
  CHECK(table.text("date").front() == "2016-07-01 00:00:00");
  CHECK(table.text("date").back() == "2018-06-26 19:00:00");
  const auto rows = split_in_order(table.rows(), SplitCounts{8640, 2880, 2880});
  StandardScaler scaler;
  scaler.fit(table.values, rows.train);
  const auto scaled = scaler.transform(table.values);
  const WindowOptions options{.lookback = 96, .horizon = 96};
  const Windows<double> train(scaled, rows.train, options),
      validation(scaled, rows.validation, options), test(scaled, rows.test, options);
  CHECK(train.samples() == 8449);
  CHECK(validation.samples() == 2785);
  CHECK(test.samples() == 2785);

  const auto [x, y] = test.dataset();
  const Scores last = scores(repeat_last(x, 96), y), day = scores(repeat_season(x, 96, 24), y);
  CHECK(std::abs(last.mse - 1.2944) < 5e-5);
  CHECK(std::abs(last.mae - 0.7132) < 5e-5);
  CHECK(std::abs(day.mse - 0.5122) < 5e-5);
  CHECK(std::abs(day.mae - 0.4333) < 5e-5);

  const auto begin = std::chrono::steady_clock::now();
  const LeastSquares least_squares(train);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Scores fitted = scores(least_squares.predict(x), y);
  CHECK(std::abs(fitted.mse - 0.3833) < 6e-5);
  CHECK(std::abs(fitted.mae - 0.3917) < 6e-5);
  const Scores firm = scores(LeastSquares(train, {.ridge = 1e3}).predict(x), y);
  CHECK(std::abs(firm.mse - 0.3830) < 6e-5);
  CHECK(std::abs(firm.mae - 0.3919) < 6e-5);
  MESSAGE("least squares: mse ", fitted.mse, ", mae ", fitted.mae, ", fitted in ", seconds, " s");

  // In float, from one variable's point of view: the same forecast but for rounding.
  const Windows<float> single(Tensor<float>(scaled), rows.test,
                              {.lookback = 96, .horizon = 96, .targets = {table.index("OT")}});
  const auto one = single.take(0, 5);
  const auto predicted = least_squares.predict(one.x, {6}),
             among_all = Tensor<float>(least_squares.predict(test.take(0, 5).x));
  CHECK(predicted.shape() == one.y.shape());
  for (Size h = 0; h < 96; ++h)
    CHECK(predicted(4, h, 0) == doctest::Approx(among_all(4, h, 6)).epsilon(1e-4));
}
