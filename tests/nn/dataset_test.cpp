#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <axisgrad/autograd/pool.hpp>
#include <axisgrad/nn/data/dataset.hpp>
#include <axisgrad/nn/data/split.hpp>
#include <axisgrad/nn/data/synthetic.hpp>

using namespace axisgrad;

namespace {
// 0, 1, 2, ... in a shape.
Tensor<float> count_up(const Shape& shape) {
  Tensor<float> x(shape);
  for (Size i = 0; i < x.size(); ++i) x.mutable_data()[i] = static_cast<float>(i);
  return x;
}
}  // namespace

TEST_CASE("a dataset gives samples by range and by index") {
  const Dataset data{count_up({4, 2, 1}), count_up({4, 1})};
  static_assert(DataSource<Dataset<float>>);
  CHECK(data.samples() == 4);
  const auto part = data.take(1, 3);
  CHECK(same_bits(part.x, Tensor<float>({2, 2, 1}, {2, 3, 4, 5})));
  CHECK(same_bits(part.y, Tensor<float>({2, 1}, {1, 2})));
  const auto some = data.gather(std::vector<Size>{3, 0, 3});
  CHECK(same_bits(some.x, Tensor<float>({3, 2, 1}, {6, 7, 0, 1, 6, 7})));
  CHECK(same_bits(some.y, Tensor<float>({3, 1}, {3, 0, 3})));
  CHECK(data.take(2, 2).samples() == 0);
}

TEST_CASE("a dataset of several inputs hands them to a function in order") {
  const Dataset<float, 2> data{{count_up({3, 2}), count_up({3})}, count_up({3, 1})};
  const auto some = data.gather(std::vector<Size>{2, 1});
  CHECK(same_bits(some.x[0], Tensor<float>({2, 2}, {4, 5, 2, 3})));
  CHECK(same_bits(some.x[1], Tensor<float>({2}, {2, 1})));
  CHECK(some.with_inputs([](const auto& a, const auto& b) { return a(0, 1) * 10 + b(1); }) == 51);
  CHECK(Dataset{std::array{count_up({3, 2}), count_up({3})}, count_up({3, 1})}.inputs == 2);
}

TEST_CASE("drawing mini-batches allocates nothing once the pool is warm") {
  const Dataset data{count_up({100, 8}), count_up({100, 1})};
  const std::vector<Size> indices{5, 7, 99, 0};
  (void)data.gather(indices);
  const auto before = pool::statistics().system_allocations;
  for (int i = 0; i < 100; ++i) (void)data.gather(indices);
  CHECK(pool::statistics().system_allocations == before);
}

TEST_CASE("errors of a dataset") {
  using D = Dataset<float>;
  CHECK_THROWS_WITH((D{count_up({4, 2}), count_up({3, 1})}),
                    "[dataset] inputs and target must have the same number of samples on axis 0, "
                    "got (4,2) and (3,1)");
  CHECK_THROWS_WITH((D{{}, count_up({3, 1})}), "[dataset] an input is empty: it has no values");
  D data{count_up({4, 2}), count_up({4, 1})};
  CHECK_THROWS_WITH((void)data.gather(std::vector<Size>{0, 4}),
                    "[gather] index 4 at position 1 is out of range for 4 samples");
  CHECK_THROWS_WITH((void)data.gather(std::vector<Size>{-1}),
                    "[gather] index -1 at position 0 is out of range for 4 samples");
  CHECK_THROWS_WITH((void)data.take(3, 5), "[take] rows 3 to 5 are not within the 4 there are");
  CHECK_THROWS_WITH((void)data.take(3, 2), "[take] rows 3 to 2 are not within the 4 there are");
  CHECK_NOTHROW(data.require_finite());
  data.x.set({2, 1}, std::nanf(""));
  CHECK_THROWS_WITH(data.require_finite(), "[dataset] x of shape (4,2) holds nan at (2,1)");
  data.x.set({2, 1}, 0);
  data.y.set({3, 0}, -std::numeric_limits<float>::infinity());
  CHECK_THROWS_WITH(data.require_finite(), "[dataset] y of shape (4,1) holds -inf at (3,0)");
}

TEST_CASE("splits are in order and do not overlap, by counts and by fractions") {
  const auto c = split_in_order(17420, SplitCounts{8640, 2880, 2880});
  CHECK(c.train == Rows{0, 8640});
  CHECK(c.validation == Rows{8640, 11520});
  CHECK(c.test == Rows{11520, 14400});
  const auto f = split_in_order(10, SplitFractions{.7, .1, .2});
  CHECK(f.train == Rows{0, 7});
  CHECK(f.validation == Rows{7, 8});
  CHECK(f.test == Rows{8, 10});
  CHECK(split_in_order(7, SplitFractions{.5, .25, .25}).test == Rows{5, 7});
  const auto parts =
      split_in_order(Dataset{count_up({5, 2}), count_up({5, 1})}, SplitCounts{3, 0, 2});
  CHECK(parts.train.samples() == 3);
  CHECK(parts.validation.samples() == 0);
  CHECK(parts.test.y(0, 0) == 3);
  CHECK_THROWS_WITH((void)split_in_order(10, SplitCounts{5, 5, 1}),
                    "[split] 5 + 5 + 1 rows asked for, but there are only 10");
  CHECK_THROWS_WITH((void)split_in_order(10, SplitCounts{5, -5}),
                    "[split] numbers of rows must not be negative, got 5, -5 and 0");
  CHECK_THROWS_WITH((void)split_in_order(10, SplitFractions{.8, .3}),
                    "[split] the shares 0.8, 0.3 and 0 add up to more than 1");
  CHECK_THROWS_WITH((void)split_in_order(3, SplitFractions{.7, .1, .2}),
                    "[split] a share of 0.1 of 3 rows is not even one row");
  CHECK_THROWS_WITH((void)split_in_order(10, SplitFractions{1.5}),
                    "[split] a share must be within 0 and 1, got 1.5");
}

namespace {
// Mean of what is not planted; and whether every planted value is the target.
template <class D, class Planted>
void check_planted(const D& data, Planted planted) {
  double sum = 0, squares = 0, ones = 0, n = 0;
  bool right = true;
  const Shape s = data.x.shape();
  for (Size i = 0; i < s[0]; ++i) {
    ones += data.y(i, 0);
    right = right && (data.y(i, 0) == 0 || data.y(i, 0) == 1);
    for (Size t = 0; t < s[1]; ++t)
      for (Size f = 0; f < s[2]; ++f) {
        const double v = data.x(i, t, f);
        if (planted(t, f))
          right = right && v == data.y(i, 0);
        else
          sum += v, squares += v * v, ++n;
      }
  }
  CHECK(right);
  CHECK(std::abs(sum / n) < 4 / std::sqrt(n));
  CHECK(std::abs(squares / n - 1) < 4 * std::sqrt(2 / n));
  const auto samples = static_cast<double>(s[0]);
  CHECK(std::abs(ones - samples / 2) < 2 * std::sqrt(samples));
}
}  // namespace

TEST_CASE("attention_column plants the target in a time step, its twin in a feature") {
  const auto data = attention_column<float>(
      {.samples = 4000, .time_steps = 20, .features = 2, .column = 10, .seed = 7});
  CHECK(data.x.shape() == Shape{4000, 20, 2});
  CHECK(data.y.shape() == Shape{4000, 1});
  check_planted(data, [](Size t, Size) { return t == 10; });
  const auto twin = attention_feature<double>(
      {.samples = 4000, .time_steps = 10, .features = 8, .column = 3, .seed = 7});
  CHECK(twin.x.shape() == Shape{4000, 10, 8});
  check_planted(twin, [](Size, Size f) { return f == 3; });
}

TEST_CASE("synthetic samples depend on seed and number only, and float is double rounded") {
  const auto long_one = attention_column<double>({.samples = 100, .seed = 7});
  const auto short_one = attention_column<double>({.samples = 10, .seed = 7});
  CHECK(same_bits(long_one.take(0, 10).x, short_one.x));
  CHECK(same_bits(long_one.take(0, 10).y, short_one.y));
  CHECK(
      same_bits(attention_column<float>({.samples = 10, .seed = 7}).x, Tensor<float>(short_one.x)));
  CHECK_FALSE(same_bits(attention_column<double>({.samples = 10, .seed = 8}).x, short_one.x));
}

TEST_CASE("errors of the synthetic data") {
  CHECK_THROWS_WITH(
      (void)attention_column<float>({.samples = 5, .time_steps = 10, .column = 10}),
      "[attention_column] column 10 is not one of the 10 time steps (counted from 0)");
  CHECK_THROWS_WITH((void)attention_feature<float>({.features = 2, .column = -1}),
                    "[attention_feature] column -1 is not one of the 2 features (counted from 0)");
  CHECK_THROWS_WITH(
      (void)attention_column<float>({.samples = 0}),
      "[attention_column] samples, time_steps and features must be at least 1, got 0, 20 and 2");
}
