// NumPy's files: .npy and .npz.
#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>
#include <xtensor/xnpy.hpp>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/xt.hpp>
#include <axisgrad/nn/weights/npy.hpp>
#include <axisgrad/nn/weights/npz.hpp>

#include "../temporary_folder.hpp"

namespace ag = axisgrad;
using ag::Shape;
using ag::Tensor;

namespace {

const std::filesystem::path numpy = std::filesystem::path(AXISGRAD_SOURCE_DIR) / "tests/nn/numpy";

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
std::string header(const std::string& descr, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }";
}
const std::vector<float> column_major{1, 4, 2, 5, 3, 6};
const Tensor<float> two_by_three({2, 3}, {1, 2, 3, 4, 5, 6});

Tensor<double> loaded(const std::string& bytes) {
  const TemporaryFolder folder;
  write_text(folder / "x.npy", bytes);
  return ag::load_npy<double>(folder / "x.npy");
}

// The message of an error, without the path of the folder.
template <class F>
std::string error_of(const TemporaryFolder& folder, const F& f) {
  try {
    f();
  } catch (const ag::Error& e) {
    std::string text = e.what();
    const std::string path = (folder.path() / "").string();
    if (const auto at = text.find(path); at != std::string::npos) text.erase(at, path.size());
    return text;
  }
  return "no error";
}
std::string npz_error(const std::string& bytes) {
  const TemporaryFolder folder;
  write_text(folder / "w.npz", bytes);
  return error_of(folder, [&] { (void)ag::read_npz(folder / "w.npz"); });
}

}  // namespace

TEST_CASE("C58: a .npy file in Fortran order, loaded and saved") {
  const TemporaryFolder folder;
  write_text(folder / "f.npy",
             npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", column_major));
  CHECK(same_bits(ag::load_npy<float>(folder / "f.npy"), two_by_three));
  CHECK(same_bits(ag::load_npy<double>(folder / "f.npy"), Tensor<double>(two_by_three)));
  // A transposed view, saved: its own values in its own shape, in C order.
  const xt::xarray<float> a{{1, 4}, {2, 5}, {3, 6}};
  ag::save_npy(folder / "t.npy", ag::adapt_in(xt::transpose(a)));
  CHECK(read_text(folder / "t.npy") ==
        npy(header("'<f4'", "(2, 3)"), std::vector<float>{1, 2, 3, 4, 5, 6}));
  CHECK(same_bits(ag::load_npy<float>(folder / "t.npy"), two_by_three));
}

TEST_CASE("save_npy and load_npy keep every bit, of every rank") {
  const TemporaryFolder folder;
  const double values[] = {0.1, -0.0, 1e-310, INFINITY, NAN, 1 / 3.};
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{1, 3, 1, 2}}) {
    const Tensor<double> x(shape, values);
    ag::save_npy(folder / "x.npy", x);
    CHECK(same_bits(ag::load_npy<double>(folder / "x.npy"), x));
    const xt::xarray<double> oracle = xt::load_npy<double>((folder / "x.npy").string());
    CHECK(oracle.dimension() == static_cast<std::size_t>(shape.rank()));
    CHECK(same_bits(ag::adapt_in(oracle), x));
  }
  for (const Tensor<float>& x : {Tensor<float>(Shape{}, {2.5f}), Tensor<float>({0, 3})}) {
    ag::save_npy(folder / "x.npy", x);
    CHECK(same_bits(ag::load_npy<float>(folder / "x.npy"), x));
  }
}

TEST_CASE("load_npy: integers, bool, both byte orders, a header of another order") {
  CHECK(same_bits(loaded(npy(header("'<i8'", "(3,)"), std::vector<std::int64_t>{1, -2, 3})),
                  Tensor<double>({3}, {1, -2, 3})));
  CHECK(same_bits(loaded(npy(header("'|u1'", "(2,)"), std::vector<std::uint8_t>{255, 0})),
                  Tensor<double>({2}, {255, 0})));
  CHECK(same_bits(loaded(npy(header("'|b1'", "(2,)"), std::vector<std::uint8_t>{1, 0})),
                  Tensor<double>({2}, {1, 0})));
  CHECK(same_bits(loaded(npy(header("'>u2'", "(2,)"), std::vector<std::uint8_t>{1, 2, 0, 3})),
                  Tensor<double>({2}, {258, 3})));
  CHECK(same_bits(loaded(npy("{\"shape\":(2,),\"descr\":\"<f8\",\"fortran_order\":False}",
                             std::vector<double>{5, 6})),
                  Tensor<double>({2}, {5, 6})));
  CHECK(same_bits(ag::load_npy<double>(numpy / "version_2.npy"), Tensor<double>({2}, {1.5, -2.5})));
}

TEST_CASE("a .npy file that is not what it says is refused") {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& bytes, const std::string& expected) {
    write_text(folder / "w.npy", bytes);
    CHECK(error_of(folder, [&] { (void)ag::load_npy<float>(folder / "w.npy"); }) ==
          "[load_npy] cannot read 'w.npy': " + expected);
  };
  const std::string right = npy(header("'<f4'", "(2, 3)"), column_major);
  error(right.substr(0, right.size() - 8), "its header says 24 bytes of data, it has 16");
  error(right + "1234", "its header says 24 bytes of data, it has 28");
  error(right.substr(0, 60), "it ends within its header");
  error(right.substr(0, 7), "it ends within its header");
  error("PK\x03\x04 an archive", "it is no .npy file");
  error("\x93NUMPY\x04" + std::string(100, '\0'),
        "its format version is 4.0; 1.0, 2.0 and 3.0 are read");
  error(npy(header("'<f2'", "(6,)"), std::vector<std::int16_t>(6)),
        "it holds '<f2'; float32, float64, integers and bool are read");
  error(npy(header("'f4'", "(6,)"), column_major),
        "it holds 'f4'; float32, float64, integers and bool are read");
  error(npy(header("[('a', '<f4')]", "(6,)"), column_major),
        "it holds records, one array for each is needed");
  error(npy(header("'<u8'", "(1,)"), std::vector<std::uint64_t>{1ull << 63}),
        "it holds 9223372036854775808, above the largest I64");
  error(npy(header("'|b1'", "(1,)"), std::vector<std::uint8_t>{2}),
        "a bool in it is 2, neither 0 nor 1");
  error(npy("{'descr': '<f4', 'shape': (6,), }", column_major),
        "its header has no 'fortran_order'");
  error(npy("{'shape': (6,), 'shape': (6,), }", column_major), "its header gives 'shape' twice");
  error(npy("{'order': 'C', }", column_major), "its header has the unknown key 'order'");
  error(npy(header("'<f4'", "(4294967296, 4294967296, 6)"), column_major),
        "[shape] too many elements in (4294967296,4294967296,6)");
  const auto odd = [&](const std::string& text, const std::string& expected) {
    write_text(folder / "w.npy", npy(text, column_major));
    const auto got = error_of(folder, [&] { (void)ag::load_npy<float>(folder / "w.npy"); });
    const std::string start =
        "[load_npy] cannot read 'w.npy': its header is not one that NumPy writes: expected ";
    CHECK(got.substr(0, start.size() + expected.size()) == start + expected);
  };
  odd(header("'<f4'", "(-2, 3)"), "a size at byte");
  odd(header("'<f4'", "(2 3)"), "',' at byte");
  odd("{'descr': '<f4", "a closing quote at byte");
  odd("{'descr': '<f4', 'fortran_order': true, 'shape': (6,), }", "True or False at byte");
  odd(header("'<f4'", "(6,)") + " extra", "its end at byte");
  CHECK_THROWS_WITH((void)ag::load_npy<float>("no/such.npy"),
                    "[load_npy] there is no file 'no/such.npy'");
  CHECK_THROWS_WITH(ag::save_npy("no/such.npy", two_by_three),
                    "[save_npy] cannot write 'no/such.npy'");
  CHECK_THROWS_WITH(ag::save_npy("x.npy", Tensor<float>()),
                    "[save_npy] an empty tensor has no values to write to 'x.npy'");
  write_text(folder / "w.npy", npy(header("'<f8'", "(1,)"), std::vector<double>{1e300}));
  CHECK(error_of(folder, [&] { (void)ag::load_npy<float>(folder / "w.npy"); }) ==
        "[load_npy] 'w.npy': element 0 is 1e+300, which float cannot hold");
}

TEST_CASE("npz: what NumPy wrote, stored and deflated, is read") {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    CAPTURE(name);
    const ag::ArrayFile file = ag::read_npz(numpy / name);
    std::vector<std::string> names;
    for (const auto& array : file.arrays()) names.push_back(array.name);
    CHECK(names == std::vector<std::string>{"kernel", "bias", "steps", "order", "use", "scalar",
                                            "nothing", "a/b:0"});
    CHECK(same_bits(file.tensor<double>("kernel"), Tensor<double>(two_by_three)));
    CHECK(same_bits(file.tensor<float>("bias"), Tensor<float>({2}, {.1f, -2.f})));
    CHECK(file.integers("steps") == std::vector<std::int64_t>{1, -2, 3, 4});
    CHECK(file.integers("order") == std::vector<std::int64_t>{7, std::int64_t(1) << 40});
    CHECK(file.integers("use") == std::vector<std::int64_t>{1, 0});
    CHECK(file.at("use").dtype == ag::Dtype::boolean);
    CHECK(file.tensor<double>("scalar").item() == 2.5);
    CHECK(file.at("nothing").shape == Shape{0, 4});
    const auto cube = file.tensor<double>("a/b:0");
    REQUIRE(cube.shape() == Shape{2, 3, 4});
    for (ag::Size i = 0; i < 24; ++i) CHECK(cube.data()[i] == static_cast<double>(i));
  }
  CHECK(error_of(TemporaryFolder(), [] { (void)ag::read_npz(numpy / "half.npz"); })
            .ends_with("half.npz', member 'x.npy': it holds '<f2'; float32, float64, integers and "
                       "bool are read"));
}

TEST_CASE("npz: what is written is read back, stored and deflated, the same bytes each time") {
  const TemporaryFolder folder;
  ag::ArrayFile file;
  file.add("lstm.kernel", Tensor<double>({40, 30}, 1 / 3.));
  file.add("b", Tensor<float>({3}, {1.f, .1f, -2.f}));
  file.add("order", {2}, std::vector<std::int64_t>{5, -7});
  file.add("scalar", Tensor<float>(Shape{}, 7.f));
  file.add("nothing", Tensor<double>(Shape{0, 4}));
  std::string stored;
  for (const bool compress : {false, true}) {
    ag::write_npz(folder / "w.npz", file, {.compress = compress});
    const std::string bytes = read_text(folder / "w.npz");
    ag::write_npz(folder / "w.npz", file, {.compress = compress});
    CHECK(read_text(folder / "w.npz") == bytes);
    CHECK((compress ? bytes.size() < stored.size() / 4 : bytes.size() > 9600));
    stored = bytes;
    const ag::ArrayFile back = ag::read_arrays(folder / "w.npz");
    REQUIRE(back.arrays().size() == file.arrays().size());
    for (std::size_t i = 0; i < 5; ++i) {
      const auto &a = back.arrays()[i], &b = file.arrays()[i];
      CHECK(a.name == b.name);
      CHECK(a.dtype == b.dtype);
      CHECK(a.shape == b.shape);
      CHECK(a.bytes == b.bytes);
    }
  }
}

TEST_CASE("C60: an archive that is cut short, damaged or something else is refused") {
  const TemporaryFolder folder;
  const std::string whole = read_text(numpy / "stored.npz");
  // Within the data, within the central directory, within the record that ends it.
  for (const std::size_t size : {std::size_t(700), whole.size() - 300, whole.size() - 5})
    CHECK(npz_error(whole.substr(0, size)) == "[npz] 'w.npz' cannot be read: Not a zip archive");
  CHECK(npz_error("") == "[npz] 'w.npz' cannot be read: Not a zip archive");
  std::string flipped = whole;
  const double six = 6;
  flipped[whole.find(std::string(reinterpret_cast<const char*>(&six), 8))] ^= 1;
  CHECK(npz_error(flipped) == "[npz] 'w.npz', member 'kernel.npy' is damaged: CRC error");
  CHECK(error_of(folder, [&] { (void)ag::read_npz(folder / "absent.npz"); }) ==
        "[npz] 'absent.npz' cannot be read: No such file");
  // Another name of the same length in both places where it stands.
  const auto renamed = [&](const std::string& from, const std::string& to) {
    std::string bytes = whole;
    for (auto at = bytes.find(from); at != bytes.npos; at = bytes.find(from, at + 1))
      bytes.replace(at, from.size(), to);
    return npz_error(bytes);
  };
  CHECK(renamed("bias.npy", "bias.txt") == "[npz] 'w.npz', member 'bias.txt' is no .npy file");
  CHECK(renamed("order.npy", "steps.npy") == "[npz] 'w.npz' gives the name 'steps' twice");
  std::string method = whole;  // of compression, of the first member, in both places: 97
  method[method.find("PK\3\4") + 8] = 97;
  method[method.find("PK\1\2") + 10] = 97;
  CHECK(npz_error(method) ==
        "[npz] 'w.npz', member 'kernel.npy' cannot be opened: Compression method not supported");
}

TEST_CASE("npz: what cannot be written is refused, and the old file stays") {
  const TemporaryFolder folder;
  ag::ArrayFile file;
  file.add("w", Tensor<float>({1}, 1.f));
  ag::write_npz(folder / "w.npz", file);
  const std::string before = read_text(folder / "w.npz");
  const auto error = [&](const ag::ArrayFile& f, const std::string& name) {
    return error_of(folder, [&] { ag::write_npz(folder / name, f); });
  };
  CHECK(error({}, "w.npz") == "[npz] 'w.npz' cannot be written: there are no arrays");
  ag::ArrayFile with_metadata = file;
  with_metadata.metadata["by"] = "a test";
  CHECK(error(with_metadata, "w.npz") ==
        "[npz] 'w.npz' cannot be written: it has no place for metadata");
  ag::ArrayFile latin = file;
  latin.add("\xff", Tensor<float>({1}, 1.f));
  CHECK(error(latin, "w.npz") ==
        "[npz] 'w.npz' cannot be written: '\xff' is no name for a member: Invalid argument");
  CHECK(read_text(folder / "w.npz") == before);
  const auto entries = std::filesystem::directory_iterator(folder.path());
  CHECK(std::distance(begin(entries), end(entries)) == 1);
  CHECK(error(file, "no/w.npz").starts_with("[npz] 'no/w.npz' cannot be written: "));
}
