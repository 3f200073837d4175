// A false alarm of g++ 12 in its own <regex>, which xnpy uses, when it builds with sanitizers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <xtensor/xmath.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xview.hpp>

#include <axisgrad/autograd/error.hpp>
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

// A .npy file as NumPy writes it: magic, version 1.0, header padded to 64 bytes, data.
template <class T>
std::string npy(std::string header, const std::vector<T>& data) {
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size()), bytes += '\0';
  return bytes + header +
         std::string(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(T));
}
const std::vector<float> column_major{1, 4, 2, 5, 3, 6};
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

TEST_CASE("C58: a .npy file in Fortran order, loaded and saved") {
  const File fortran(
      ".npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", column_major));
  CHECK(same_bits(load_npy<float>(fortran.path), two_by_three));
  CHECK(same_bits(load_npy<double>(fortran.path), Tensor<double>(two_by_three)));
  // A transposed view, saved: its own values in its own shape, in C order.
  const xt::xarray<float> a{{1, 4}, {2, 5}, {3, 6}};
  const File saved("t.npy");
  save_npy(saved.path, adapt_in(xt::transpose(a)));
  CHECK(saved.text() == npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                            std::vector<float>{1, 2, 3, 4, 5, 6}));
  CHECK(same_bits(load_npy<float>(saved.path), two_by_three));
}

TEST_CASE("save_npy and load_npy keep every bit, of every rank") {
  const double values[] = {0.1, -0.0, 1e-310, INFINITY, NAN, 1 / 3.};
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{1, 3, 1, 2}}) {
    const File file(".npy");
    const Tensor<double> x(shape, values);
    save_npy(file.path, x);
    CHECK(same_bits(load_npy<double>(file.path), x));
    const xt::xarray<double> oracle = xt::load_npy<double>(file.path);
    CHECK(oracle.dimension() == static_cast<std::size_t>(shape.rank()));
    CHECK(same_bits(adapt_in(oracle), x));
  }
  for (const Tensor<float>& x : {Tensor<float>(Shape{}, {2.5f}), Tensor<float>({0, 3})}) {
    const File file(".npy");
    save_npy(file.path, x);
    CHECK(same_bits(load_npy<float>(file.path), x));
  }
}

TEST_CASE("a .npy file that is not what it says is refused") {
  const auto error = [](const std::string& bytes, const std::string& expected) {
    const File file(".npy", bytes);
    CHECK_THROWS_WITH((void)load_npy<float>(file.path),
                      ("[load_npy] cannot read '" + file.path + "': " + expected).c_str());
  };
  const std::string right =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", column_major);
  error(right.substr(0, right.size() - 8), "its header says 24 bytes of data, it has 16");
  error(right + "1234", "its header says 24 bytes of data, it has 28");
  error(right.substr(0, 60), "it ends within its header");
  error("PK\x03\x04 an archive", "this file do not have a valid npy format.");
  error("\x93NUMPY\x03" + std::string(100, '\0'), "its format version is not 1.0 or 2.0");
  error(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }",
            std::vector<std::int64_t>{1, 2, 3}),
        "it holds '<i8', not float32 or float64 of this machine's byte order");
  error(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (6,), }", column_major),
        "it holds '>f4', not float32 or float64 of this machine's byte order");
  error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }", column_major),
        "the shape in its header is not one");
  error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': }", column_major),
        "its header names no shape");
  error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 6), }",
            column_major),
        "[shape] too many elements in (4294967296,4294967296,6)");
  CHECK_THROWS_WITH((void)load_npy<float>("no/such.npy"),
                    "[load_npy] there is no file 'no/such.npy'");
  CHECK_THROWS_WITH(save_npy("no/such.npy", two_by_three), "[save_npy] cannot write 'no/such.npy'");
  CHECK_THROWS_WITH(save_npy("x.npy", Tensor<float>()),
                    "[save_npy] an empty tensor has no values to write to 'x.npy'");
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
