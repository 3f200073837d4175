#include <algorithm>
#include <array>
#include <fstream>

#include <nlohmann/json.hpp>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/json.hpp>
#include <axisgrad/nn/weights/safetensors.hpp>

namespace axisgrad {
namespace {

constexpr std::string_view label = "safetensors";
constexpr std::uint64_t longest_header = 100'000'000;  // the limit of the format's own library
constexpr std::uint64_t longest_data = std::uint64_t(1) << 62;

constexpr std::array dtypes{Dtype::f32, Dtype::f64, Dtype::i64, Dtype::boolean};

// Where an array lies behind the header.
struct Place {
  std::uint64_t begin, end;
  std::size_t array;
};

// The header of one file, checked entry by entry.
class Header {
 public:
  Header(std::string file, const std::string& text)
      : file_(std::move(file)), json_(parse_json(text, label, "the header of " + file_)) {
    if (!json_.is_object()) fail(label, "the header of ", file_, " is not a JSON object");
    for (const auto& [name, entry] : json_.items())
      if (name == "__metadata__")
        read_metadata(entry);
      else
        read_entry(name, entry);
    check_places();
  }

  std::map<std::string, std::string> metadata;
  std::vector<StoredArray> arrays;  // bytes still missing
  std::vector<Place> places;        // in the order of the file
  std::uint64_t data_size = 0;

 private:
  template <class... Parts>
  [[noreturn]] void refuse(const std::string& name, const Parts&... parts) const {
    fail(label, file_, ", array '", name, "': ", parts...);
  }

  void read_metadata(const Json& entry) {
    if (!entry.is_object()) fail(label, "__metadata__ of ", file_, " is not an object of strings");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) fail(label, "__metadata__ of ", file_, ": '", key, "' is no string");
      metadata[key] = value.get<std::string>();
    }
  }

  void read_entry(const std::string& name, const Json& entry) {
    if (!entry.is_object()) refuse(name, "is not described by an object");
    for (const char* key : {"dtype", "shape", "data_offsets"})
      if (!entry.contains(key)) refuse(name, "has no ", key);
    for (const auto& [key, value] : entry.items())
      if (key != "dtype" && key != "shape" && key != "data_offsets")
        refuse(name, "has the unknown field '", key, "'");
    const Json &dtype = entry["dtype"], &offsets = entry["data_offsets"];
    const auto* known =
        std::find_if(dtypes.begin(), dtypes.end(), [&](Dtype d) { return dtype == name_of(d); });
    if (known == dtypes.end())
      refuse(name, "the dtype is ", dtype, "; F32, F64, I64 and BOOL are read");
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned() || offsets[0] > offsets[1] || offsets[1] > longest_data)
      refuse(name, "data_offsets are ", offsets,
             ", expected [begin,end] with 0 <= begin <= end <= ", longest_data);

    const Place place{offsets[0], offsets[1], arrays.size()};
    const Shape shape = read_shape(name, entry["shape"]);
    const std::uint64_t bytes = place.end - place.begin;
    const std::size_t width = size_of(*known);
    if (bytes % width != 0 || bytes / width != static_cast<std::uint64_t>(shape.size()))
      refuse(name, "shape ", shape, " of ", name_of(*known), " has ", shape.size(), " elements of ",
             width, " bytes, but data_offsets ", offsets, " hold ", bytes, " bytes");
    arrays.push_back({name, *known, shape, {}});
    places.push_back(place);
  }

  Shape read_shape(const std::string& name, const Json& sizes) const {
    if (!sizes.is_array() || !std::all_of(sizes.begin(), sizes.end(), [](const Json& n) {
          return n.is_number_unsigned() && n.get<std::uint64_t>() <= longest_data;
        }))
      refuse(name, "the shape is ", sizes, ", expected a list of sizes >= 0");
    if (sizes.size() > max_rank)
      refuse(name, "the shape ", sizes, " has ", sizes.size(), " axes, at most ", max_rank,
             " are read");
    const std::vector<Size> list = sizes;
    try {
      return Shape(list.data(), static_cast<int>(list.size()));
    } catch (const Error&) {
      refuse(name, "the shape ", sizes, " has more elements than can be counted");
    }
  }

  // Each byte behind the header belongs to exactly one array.
  void check_places() {
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    for (const Place& p : places) {
      if (p.begin != data_size)
        refuse(arrays[p.array].name, "begins at byte ", p.begin, " of the data, ",
               p.begin < data_size ? "inside" : "behind a gap after",
               " the array before it, which ends at ", data_size);
      data_size = p.end;
    }
  }

  std::string file_;
  Json json_;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : file_("'" + path.string() + "'") {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) fail(label, file_, " does not exist");
    if (!std::filesystem::is_regular_file(status)) fail(label, file_, " is not a file");
    size_ = std::filesystem::file_size(path, error);
    stream_.open(path, std::ios::binary);
    if (error || !stream_) fail(label, file_, " cannot be read");
  }

  const std::string& file() const { return file_; }

  std::string header() {
    if (size_ < 8) fail(label, file_, " is cut short: expected at least 8 bytes, found ", size_);
    std::uint64_t length = 0;
    take(&length, 8);
    if (length > longest_header)
      fail(label, file_, " is no safetensors file: it begins with a header length of ", length,
           " bytes, more than ", longest_header);
    require(8 + length, " in its header");
    std::string text(length, '\0');
    take(text.data(), length);
    begin_ = 8 + length;
    return text;
  }

  void require_data(std::uint64_t bytes) {
    require(begin_ + bytes, "");
    if (size_ != begin_ + bytes)
      fail(label, file_, " is too long: expected ", begin_ + bytes, " bytes, found ", size_);
  }

  void take(void* to, std::uint64_t bytes) {
    stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (static_cast<std::uint64_t>(stream_.gcount()) != bytes)
      fail(label, file_, " ended while it was read: expected ", size_, " bytes");
  }

 private:
  void require(std::uint64_t bytes, const char* place) {
    if (size_ < bytes)
      fail(label, file_, " is cut short", place, ": expected ", bytes, " bytes, found ", size_);
  }

  std::string file_;
  std::ifstream stream_;
  std::uint64_t size_ = 0, begin_ = 0;
};

}  // namespace

ArrayFile read_safetensors(const std::filesystem::path& path) {
  Reader reader(path);
  Header header(reader.file(), reader.header());
  reader.require_data(header.data_size);
  for (const Place& p : header.places) {
    StoredArray& array = header.arrays[p.array];
    array.bytes.resize(p.end - p.begin);
    reader.take(array.bytes.data(), array.bytes.size());
    if (array.dtype == Dtype::boolean)
      for (std::byte b : array.bytes)
        if (std::to_integer<int>(b) > 1)
          fail(label, reader.file(), ", array '", array.name, "': a BOOL is 0 or 1, got ",
               std::to_integer<int>(b));
  }
  ArrayFile file(label, path, std::move(header.arrays));
  file.metadata = std::move(header.metadata);
  return file;
}

}  // namespace axisgrad
