#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/xt.hpp>

using namespace axisgrad;

namespace {

// A file that goes with the test.
struct File {
  std::string path;
  explicit File(const std::string& name, const std::string& bytes = "") {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    path = (std::filesystem::temp_directory_path() / ("axisgrad_" + std::to_string(now) + name))
               .string();
    if (!bytes.empty()) std::ofstream(path, std::ios::binary) << bytes;
  }
  File(const File&) = delete;
  ~File() { std::filesystem::remove(path); }
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
  }
};

const Tensor<float> two_by_three({2, 3}, {1, 2, 3, 4, 5, 6});

}  // namespace

TEST_CASE("containers, views and expressions come in, whatever their layout") {
  xt::xarray<double> a{{1, 2, 3}, {4, 5, 6}};
  CHECK(same_bits(adapt_in(a), Tensor<double>({2, 3}, {1, 2, 3, 4, 5, 6})));
  CHECK(same_bits(adapt_in(xt::transpose(a)), Tensor<double>({3, 2}, {1, 4, 2, 5, 3, 6})));
  CHECK(same_bits(adapt_in(xt::view(a, xt::all(), xt::range(1, 3))),
                  Tensor<double>({2, 2}, {2, 3, 5, 6})));
  CHECK(same_bits(adapt_in(xt::view(a, 1, xt::all()) * 2. + 1.), Tensor<double>({3}, {9, 11, 13})));
  const xt::xarray<float, xt::layout_type::column_major> f{{1, 2, 3}, {4, 5, 6}};
  CHECK(same_bits(adapt_in(f), two_by_three));
  CHECK(same_bits(adapt_in<float>(a), two_by_three));
  const xt::xarray<int> integers{{1, 2, 3}, {4, 5, 6}};
  CHECK(same_bits(adapt_in<float>(integers), two_by_three));
  CHECK(same_bits(adapt_in(xt::xarray<double>(3.)), Tensor<double>(Shape{}, {3})));
  CHECK(adapt_in(xt::xarray<double>::from_shape({0, 4})).shape() == Shape{0, 4});
  const xt::xarray<double> deep = xt::xarray<double>::from_shape({1, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK_THROWS_WITH((void)adapt_in(deep), "[shape] at most 8 axes, got 9");
}

TEST_CASE("C35: integers are converted before they are summed") {
  const xt::xarray<std::int32_t> large{2147483647, 2147483647};
  CHECK(mean(constant(adapt_in<double>(large))).item() == 2147483647);
  const xt::xarray<std::uint8_t> bytes = xt::ones<std::uint8_t>({5000});
  CHECK(sum(constant(adapt_in<float>(bytes))).item() == 5000);
  const xt::xarray<bool> mask = xt::ones<bool>({5000});
  CHECK(sum(constant(adapt_in<float>(mask))).item() == 5000);
}

TEST_CASE("a tensor goes out as a view of its own elements") {
  const Tensor<double> x({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto view = adapt_out(x);
  CHECK(view.data() == x.data());
  CHECK(view(1, 2) == 6);
  const xt::xarray<double> sums = xt::sum(view, {0});
  CHECK(sums == xt::xarray<double>{5, 7, 9});
  CHECK(same_bits(adapt_in(adapt_out(x)), x));
  static_assert(!std::is_invocable_v<decltype([](auto&& t) -> decltype(adapt_out(
                                                               std::forward<decltype(t)>(t))) {}),
                                     Tensor<double>>);
}

TEST_CASE("CSV files hold the shortest numbers that read back to the same bits") {
  const File file(".csv");
  save_csv(file.path, {"a", "b,c"}, Tensor<double>({2, 2}, {0.1, 1e300, -3, 1 / 3.}));
  CHECK(file.text() == "a,\"b,c\"\n0.1,1e+300\n-3,0.3333333333333333\n");
  save_csv(file.path, {"a"}, Tensor<float>({1, 1}, {0.1f}));
  CHECK(file.text() == "a\n0.1\n");
  CHECK_THROWS_WITH(
      save_csv(file.path, {"a"}, two_by_three),
      "[save_csv] needs a table with a column for each of 1 names, got the shape (2,3)");
  CHECK_THROWS_WITH(save_csv("no/such.csv", {"a", "b", "c"}, two_by_three),
                    "[save_csv] cannot write 'no/such.csv'");
}
