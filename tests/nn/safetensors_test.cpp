// Weight files: what is written is read back bit by bit, and each way in which a file can be wrong
// is refused in words that name the file and the numbers.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <limits>
#include <string>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/safetensors.hpp>

#include "../temporary_folder.hpp"

namespace ag = axisgrad;
using ag::Tensor;

namespace {

std::string with_length(const std::string& header) {
  std::string text(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(text.data(), &length, 8);
  return text + header;
}

// One array described by these three fields.
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"w":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

// The message with which a file of these bytes is refused, without the path of the folder.
std::string refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  write_text(folder / "w.safetensors", bytes);
  try {
    (void)ag::read_safetensors(folder / "w.safetensors");
  } catch (const ag::Error& e) {
    std::string text = e.what();
    const std::string path = (folder.path() / "").string();
    if (const auto at = text.find(path); at != std::string::npos) text.erase(at, path.size());
    return text;
  }
  return "no error";
}
std::string refusal(const std::string& header, std::size_t data) {
  return refusal(with_length(header) + std::string(data, '\0'));
}

ag::ArrayFile read_back(const ag::ArrayFile& file) {
  const TemporaryFolder folder;
  ag::write_safetensors(folder / "w.safetensors", file);
  return ag::read_safetensors(folder / "w.safetensors");
}

}  // namespace

TEST_CASE("safetensors: what is written is read back") {
  ag::ArrayFile file;
  file.metadata = {{"made by", "a test"}, {"quote", "\" and \\"}};
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor<double> w({2, 3}, {1, -0.0, inf, 1e-310, .1, 3});
  const Tensor<float> b({3}, {1.f, .1f, -2.f});
  const std::vector<std::int64_t> order{5, -7, std::numeric_limits<std::int64_t>::max()};
  file.add("b", b);
  file.add("lstm.kernel", w);
  file.add("order", {3}, order);
  file.add("scalar", Tensor<float>(ag::Shape{}, 7.f));
  file.add("nothing", Tensor<double>(ag::Shape{0, 4}));

  const ag::ArrayFile back = read_back(file);
  CHECK(back.arrays().size() == 5);
  CHECK(ag::same_bits(back.tensor<double>("lstm.kernel"), w));
  CHECK(ag::same_bits(back.tensor<float>("b"), b));
  CHECK(back.integers("order") == order);
  CHECK(back.tensor<float>("scalar").item() == 7.f);
  CHECK(back.at("scalar").shape == ag::Shape{});
  CHECK(back.at("nothing").shape == ag::Shape{0, 4});
  CHECK(back.metadata == file.metadata);
  CHECK(ag::name_of(back.at("b").dtype) == "F32");
}

TEST_CASE("safetensors: arrays begin at multiples of 8 bytes of the file") {
  const TemporaryFolder folder;
  ag::ArrayFile file;
  file.add("a", Tensor<float>({3}, 1.f));
  file.add("b", Tensor<double>({1}, 2.));
  ag::write_safetensors(folder / "w", file);
  const std::string text = read_text(folder / "w");
  CHECK(static_cast<unsigned char>(text[0]) % 8 == 0);
  double b = 0;
  std::memcpy(&b, text.data() + text.size() - 20, 8);  // the wide array first: 8 bytes, then 12
  CHECK(b == 2.);
}

TEST_CASE("safetensors: conversions are exact or refused") {
  const TemporaryFolder folder;
  ag::ArrayFile file;
  file.add("large", Tensor<double>({2}, {1, 1e300}));
  file.add("odd", {1}, std::vector<std::int64_t>{(std::int64_t(1) << 53) + 1});
  file.add("even", {2}, std::vector<std::int64_t>{1 << 24, -3});
  file.add("tenth", Tensor<double>({1}, .1));
  ag::write_safetensors(folder / "w", file);
  const auto back = ag::read_safetensors(folder / "w");
  const std::string path = "'" + (folder / "w").string() + "'";
  CHECK(back.tensor<float>("even")(1) == -3.f);
  CHECK(back.tensor<float>("tenth")(0) == .1f);  // rounded: that is what float is for
  CHECK_THROWS_WITH(
      (void)back.tensor<float>("large"),
      ("[safetensors] " + path + ", array 'large': element 1 is 1e+300, which float cannot hold")
          .c_str());
  CHECK_THROWS_WITH((void)back.tensor<double>("odd"),
                    ("[safetensors] " + path +
                     ", array 'odd': element 0 is 9007199254740993, which double cannot hold")
                        .c_str());
  CHECK_THROWS_WITH(
      (void)back.integers("tenth"),
      ("[safetensors] " + path + ", array 'tenth': expected I64 or BOOL, got F64").c_str());
  CHECK_THROWS_WITH((void)back.tensor<float>("kernel"),
                    ("[safetensors] " + path + " has no array 'kernel'").c_str());
}

TEST_CASE("safetensors: BOOL gives 0 and 1") {
  const TemporaryFolder folder;
  write_text(folder / "w", with_length(one("\"BOOL\"", "[3]", "[0,3]")) + std::string("\1\0\1", 3));
  const auto file = ag::read_safetensors(folder / "w");
  CHECK(file.integers("w") == std::vector<std::int64_t>{1, 0, 1});
  CHECK(ag::same_bits(file.tensor<float>("w"), Tensor<float>({3}, {1, 0, 1})));
  CHECK(refusal(with_length(one("\"BOOL\"", "[1]", "[0,1]")) + "\2") ==
        "[safetensors] 'w.safetensors', array 'w': a BOOL is 0 or 1, got 2");
}

TEST_CASE("safetensors: a file shorter than its header says is refused (case C60)") {
  const std::string header = one("\"F32\"", "[4]", "[0,16]");
  REQUIRE(header.size() == 55);
  CHECK(refusal(header, 8) ==
        "[safetensors] 'w.safetensors' is cut short: expected 79 bytes, found 71");
  CHECK(refusal(header, 16) == "no error");
  CHECK(refusal(header, 17) ==
        "[safetensors] 'w.safetensors' is too long: expected 79 bytes, found 80");
  const std::string whole = with_length(header);
  CHECK(refusal(whole.substr(0, 40)) ==
        "[safetensors] 'w.safetensors' is cut short in its header: expected 63 bytes, found 40");
  CHECK(refusal(whole.substr(0, 5)) ==
        "[safetensors] 'w.safetensors' is cut short: expected at least 8 bytes, found 5");
  CHECK(refusal("") ==
        "[safetensors] 'w.safetensors' is cut short: expected at least 8 bytes, found 0");
}

TEST_CASE("safetensors: what is no weight file is refused") {
  CHECK(refusal("PK\3\4 an archive") ==
        "[safetensors] 'w.safetensors' is no safetensors file: it begins with a header length of "
        "2336912046786038608 bytes, more than 100000000");
  CHECK(refusal("[1]", 0) == "[safetensors] the header of 'w.safetensors' is not a JSON object");
  CHECK(refusal("{\"w\":", 0) ==
        "[safetensors] the header of 'w.safetensors' is not valid JSON, at byte 6 of 5");
  const TemporaryFolder folder;
  CHECK_THROWS_WITH((void)ag::read_safetensors(folder.path()),
                    ("[safetensors] '" + folder.path().string() + "' is not a file").c_str());
  CHECK_THROWS_WITH(
      (void)ag::read_safetensors(folder / "absent"),
      ("[safetensors] '" + (folder / "absent").string() + "' does not exist").c_str());
}

TEST_CASE("safetensors: a header with an entry that does not fit is refused") {
  const std::string start = "[safetensors] 'w.safetensors', array 'w': ";
  const std::string f32 = "\"F32\"";
  CHECK(refusal(one(f32, "[2,3]", "[0,16]"), 16) ==
        start +
            "shape (2,3) of F32 has 6 elements of 4 bytes, but data_offsets [0,16] hold 16 bytes");
  CHECK(refusal(one(f32, "[4]", "[0,15]"), 15) ==
        start +
            "shape (4) of F32 has 4 elements of 4 bytes, but data_offsets [0,15] hold 15 bytes");
  CHECK(refusal(one("\"BF16\"", "[2]", "[0,4]"), 4) ==
        start + "the dtype is \"BF16\"; F32, F64, I64 and BOOL are read");
  CHECK(refusal(one("7", "[2]", "[0,4]"), 4) ==
        start + "the dtype is 7; F32, F64, I64 and BOOL are read");
  CHECK(refusal(one(f32, "[-1]", "[0,4]"), 4) ==
        start + "the shape is [-1], expected a list of sizes >= 0");
  CHECK(refusal(one(f32, "[1.0]", "[0,4]"), 4) ==
        start + "the shape is [1.0], expected a list of sizes >= 0");
  CHECK(refusal(one(f32, "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4) ==
        start + "the shape [1,1,1,1,1,1,1,1,1] has 9 axes, at most 8 are read");
  CHECK(refusal(one(f32, "[4294967296,4294967296]", "[0,0]"), 0) ==
        start + "the shape [4294967296,4294967296] has more elements than can be counted");
  for (const char* offsets : {"[4,0]", "[0]", "[-4,0]", "[0,18446744073709551615]", "\"0,4\""})
    CHECK(refusal(one(f32, "[1]", offsets), 4) ==
          start + "data_offsets are " + offsets +
              ", expected [begin,end] with 0 <= begin <= end <= 4611686018427387904");
  CHECK(refusal(R"({"w":{"dtype":"F32","shape":[1]}})", 4) == start + "has no data_offsets");
  CHECK(refusal(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"scale":2}})", 4) ==
        start + "has the unknown field 'scale'");
  CHECK(refusal(R"({"w":3})", 4) == start + "is not described by an object");
  CHECK(refusal(R"({"__metadata__":{"epoch":3}})", 0) ==
        "[safetensors] __metadata__ of 'w.safetensors': 'epoch' is no string");
  CHECK(refusal(R"({"__metadata__":[]})", 0) ==
        "[safetensors] __metadata__ of 'w.safetensors' is not an object of strings");
}

TEST_CASE("safetensors: arrays that overlap, leave a gap or share a name are refused") {
  auto two = [](const char* second, const char* begin, const char* end) {
    return R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},")" + std::string(second) +
           R"(":{"dtype":"F64","shape":[1],"data_offsets":[)" + begin + "," + end + "]}}";
  };
  CHECK(refusal(two("b", "8", "16"), 16) == "no error");
  CHECK(refusal(two("b", "4", "12"), 12) ==
        "[safetensors] 'w.safetensors', array 'b': begins at byte 4 of the data, inside the array "
        "before it, which ends at 8");
  CHECK(
      refusal(two("b", "9", "17"), 17) ==
      "[safetensors] 'w.safetensors', array 'b': begins at byte 9 of the data, behind a gap after "
      "the array before it, which ends at 8");
  CHECK(refusal(two("a", "8", "16"), 16) ==
        "[safetensors] the header of 'w.safetensors' gives the name 'a' twice");
  // Empty arrays share a place with others and overlap nothing.
  CHECK(refusal(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                R"("e":{"dtype":"F64","shape":[0,3],"data_offsets":[0,0]}})",
                8) == "no error");
}

TEST_CASE("safetensors: names that cannot be written are refused") {
  ag::ArrayFile file;
  file.add("w", Tensor<float>({1}, 0.f));
  CHECK_THROWS_WITH(file.add("w", Tensor<float>({1}, 0.f)),
                    "[arrays] the list already has an array 'w'");
  CHECK_THROWS_WITH(file.add("", Tensor<float>({1}, 0.f)), "[arrays] an array needs a name");
  CHECK_THROWS_WITH(file.add("e", Tensor<float>()),
                    "[arrays] the tensor 'e' is empty: it has no shape to write");
  CHECK_THROWS_WITH(file.add("i", {3}, std::vector<std::int64_t>{1}),
                    "[arrays] array 'i': shape (3) has 3 elements, got 1");
  file.add("\xff", Tensor<float>({1}, 0.f));
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(ag::write_safetensors(folder / "w", file),
                    "[safetensors] a name or a piece of metadata is not UTF-8");
  ag::ArrayFile reserved;
  reserved.add("__metadata__", Tensor<float>({1}, 0.f));
  CHECK_THROWS_WITH(ag::write_safetensors(folder / "w", reserved),
                    "[safetensors] '__metadata__' cannot name an array");
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("safetensors: a write that fails leaves the old file and nothing else") {
  const TemporaryFolder folder;
  ag::ArrayFile small, large;
  small.add("w", Tensor<double>({4}, 1.));
  large.add("w", Tensor<double>({40'000}, 2.));
  ag::write_safetensors(folder / "w", small);
  const std::string before = read_text(folder / "w");

  // A limit on the size of files stands for a full disk.
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit tight{100'000, old.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  std::string message = "no error";
  try {
    ag::write_safetensors(folder / "w", large);
  } catch (const ag::Error& e) {
    message = e.what();
  }
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);

  CHECK(message ==
        "[safetensors] '" + (folder / "w").string() + "' cannot be written: File too large");
  CHECK(read_text(folder / "w") == before);
  const auto entries = std::filesystem::directory_iterator(folder.path());
  CHECK(std::distance(begin(entries), end(entries)) == 1);

  ag::write_safetensors(folder / "w", large);
  CHECK(ag::read_safetensors(folder / "w").tensor<double>("w").shape() == ag::Shape{40'000});
  CHECK_THROWS_WITH(ag::write_safetensors(folder / "no/w", small),
                    ("[safetensors] '" + (folder / "no/w").string() +
                     "' cannot be written: No such file or directory")
                        .c_str());
}
