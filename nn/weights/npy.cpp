#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/npy.hpp>
#include <axisgrad/nn/weights/npy_header.hpp>

namespace axisgrad {
namespace detail {
namespace {

// Appends the element of type `From` at `from`, widened to To.
template <class From, class To>
void widen(const char* from, bool swapped, std::vector<std::byte>& bytes) {
  std::array<char, sizeof(From)> raw;
  std::copy_n(from, sizeof(From), raw.begin());
  if (swapped) std::reverse(raw.begin(), raw.end());
  From x;
  std::memcpy(&x, raw.data(), sizeof(From));
  if constexpr (std::is_same_v<From, std::uint64_t>)
    if (x > std::uint64_t(std::numeric_limits<std::int64_t>::max()))
      refuse_npy("it holds ", x, ", above the largest I64");
  if constexpr (std::is_same_v<From, std::uint8_t> && std::is_same_v<To, bool>)
    if (x > 1) refuse_npy("a bool in it is ", int{x}, ", neither 0 nor 1");
  const To wide = static_cast<To>(x);
  const auto* begin = reinterpret_cast<const std::byte*>(&wide);
  bytes.insert(bytes.end(), begin, begin + sizeof(To));
}

struct ElementType {
  std::string_view code;  // NumPy's kind and number of bytes
  std::size_t bytes;
  Dtype dtype;
  void (*append)(const char* from, bool swapped, std::vector<std::byte>& bytes);
};
using I64 = std::int64_t;
constexpr std::array<ElementType, 11> element_types{{
    {"f4", 4, Dtype::f32, widen<float, float>},
    {"f8", 8, Dtype::f64, widen<double, double>},
    {"b1", 1, Dtype::boolean, widen<std::uint8_t, bool>},
    {"i1", 1, Dtype::i64, widen<std::int8_t, I64>},
    {"i2", 2, Dtype::i64, widen<std::int16_t, I64>},
    {"i4", 4, Dtype::i64, widen<std::int32_t, I64>},
    {"i8", 8, Dtype::i64, widen<I64, I64>},
    {"u1", 1, Dtype::i64, widen<std::uint8_t, I64>},
    {"u2", 2, Dtype::i64, widen<std::uint16_t, I64>},
    {"u4", 4, Dtype::i64, widen<std::uint32_t, I64>},
    {"u8", 8, Dtype::i64, widen<std::uint64_t, I64>},
}};

const ElementType& element_type(const std::string& descr) {
  const bool ordered = !descr.empty() && std::string_view("<>|=").find(descr[0]) != descr.npos;
  for (const ElementType& type : element_types)
    if (ordered && std::string_view(descr).substr(1) == type.code) return type;
  refuse_npy("it holds '", descr, "'; float32, float64, integers and bool are read");
}

// Where in the file each element of the row-major array stands: in Fortran order the first axis is
// the fastest.
class Places {
 public:
  explicit Places(const NpyHeader& header) : shape_(header.shape) {
    Size stride = 1;
    for (int i = 0; i < shape_.rank(); ++i) {
      const int axis = header.fortran_order ? i : shape_.rank() - 1 - i;
      strides_[static_cast<unsigned>(axis)] = stride;
      stride *= shape_[axis];
    }
  }
  std::size_t next() {
    const Size here = place_;
    for (int axis = shape_.rank() - 1; axis >= 0; --axis) {
      const auto a = static_cast<unsigned>(axis);
      place_ += strides_[a];
      if (++index_[a] < shape_[axis]) break;
      place_ -= strides_[a] * index_[a];
      index_[a] = 0;
    }
    return static_cast<std::size_t>(here);
  }

 private:
  Shape shape_;
  Size place_ = 0;
  std::array<Size, max_rank> strides_{}, index_{};
};

}  // namespace

StoredArray parse_npy(std::string_view bytes) {
  const NpyHeader header = parse_npy_header(bytes);
  const ElementType& type = element_type(header.type);
  const std::string_view data = bytes.substr(header.data_begin);
  const auto n = static_cast<std::size_t>(header.shape.size());
  if (data.size() != n * type.bytes)
    refuse_npy("its header says ", n * type.bytes, " bytes of data, it has ", data.size());
  StoredArray array{"", type.dtype, header.shape, {}};
  // Nothing to convert: floats and I64 in the order of this machine.
  const bool in_order = !header.fortran_order || header.shape.rank() < 2;
  const bool as_stored = type.code == "f4" || type.code == "f8" || type.code == "i8";
  if (in_order && as_stored && header.type[0] != '>') {
    const auto* begin = reinterpret_cast<const std::byte*>(data.data());
    array.bytes.assign(begin, begin + data.size());
    return array;
  }
  array.bytes.reserve(n * size_of(type.dtype));
  Places places(header);
  for (std::size_t i = 0; i < n; ++i)
    type.append(data.data() + places.next() * type.bytes, header.type[0] == '>', array.bytes);
  return array;
}

std::string npy_header(const StoredArray& array) {
  constexpr std::array codes{"<f4", "<f8", "<i8", "|b1"};
  std::string shape;
  for (const Size n : array.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(n);
  if (array.shape.rank() == 1) shape += ',';
  std::string text = std::string("{'descr': '") + codes[static_cast<std::size_t>(array.dtype)] +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data begin at a multiple of 64 bytes; a newline ends the header.
  text.resize((10 + text.size() + 64) / 64 * 64 - 11, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 255), header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace detail

template <Scalar T>
Tensor<T> load_npy(const std::filesystem::path& path) {
  const std::string name = "'" + path.string() + "'";
  if (!std::filesystem::is_regular_file(path)) fail("load_npy", "there is no file ", name);
  std::string bytes(std::filesystem::file_size(path), '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    fail("load_npy", "cannot read ", name);
  StoredArray array;
  try {
    array = detail::parse_npy(bytes);
  } catch (const Error& e) {
    fail("load_npy", "cannot read ", name, ": ", e.what());
  }
  return to_tensor<T>(array, "load_npy", name);
}

template <Scalar T>
void save_npy(const std::filesystem::path& path, const Tensor<T>& x) {
  const std::string name = "'" + path.string() + "'";
  if (x.empty()) fail("save_npy", "an empty tensor has no values to write to ", name);
  const Dtype dtype = sizeof(T) == 4 ? Dtype::f32 : Dtype::f64;
  std::ofstream file(path, std::ios::binary);
  file << detail::npy_header({"", dtype, x.shape(), {}});
  const auto bytes = std::as_bytes(x.values());
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) fail("save_npy", "cannot write ", name);
}

template Tensor<float> load_npy(const std::filesystem::path&);
template Tensor<double> load_npy(const std::filesystem::path&);
template void save_npy(const std::filesystem::path&, const Tensor<float>&);
template void save_npy(const std::filesystem::path&, const Tensor<double>&);

}  // namespace axisgrad
