#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/array_file.hpp>
#include <axisgrad/nn/weights/npz.hpp>
#include <axisgrad/nn/weights/safetensors.hpp>

namespace axisgrad {
namespace {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian");

struct DtypeInfo {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<DtypeInfo, 4> dtypes{{{"F32", 4}, {"F64", 8}, {"I64", 8}, {"BOOL", 1}}};

template <class E>
E element(const StoredArray& array, std::size_t i) {
  E x;
  std::memcpy(&x, array.bytes.data() + i * sizeof(E), sizeof(E));
  return x;
}

bool is_npz(const std::filesystem::path& path) { return path.extension() == ".npz"; }

}  // namespace

std::string_view name_of(Dtype dtype) { return dtypes[static_cast<std::size_t>(dtype)].name; }
std::size_t size_of(Dtype dtype) { return dtypes[static_cast<std::size_t>(dtype)].bytes; }

template <Scalar T>
Tensor<T> to_tensor(const StoredArray& array, std::string_view where, const std::string& what) {
  Tensor<T> x(array.shape);
  T* to = x.mutable_data();
  const auto n = static_cast<std::size_t>(x.size());
  auto refuse = [&](std::size_t i, auto value) {
    fail(where, what, ": element ", i, " is ", value, ", which ",
         sizeof(T) == 4 ? "float" : "double", " cannot hold");
  };
  for (std::size_t i = 0; i < n; ++i) switch (array.dtype) {
      case Dtype::f32:
        to[i] = static_cast<T>(element<float>(array, i));
        break;
      case Dtype::f64: {
        const double value = element<double>(array, i);
        to[i] = static_cast<T>(value);
        if (std::isfinite(value) && !std::isfinite(to[i])) refuse(i, value);
        break;
      }
      case Dtype::i64: {
        // Up to 2^digits every whole number is exact.
        const auto value = element<std::int64_t>(array, i);
        constexpr std::int64_t limit = std::int64_t(1) << std::numeric_limits<T>::digits;
        if (value < -limit || value > limit) refuse(i, value);
        to[i] = static_cast<T>(value);
        break;
      }
      case Dtype::boolean:
        to[i] = static_cast<T>(element<std::uint8_t>(array, i));
    }
  return x;
}

ArrayFile::ArrayFile(std::string_view format, const std::filesystem::path& path,
                     std::vector<StoredArray> arrays)
    : format_(format), source_("'" + path.string() + "'"), arrays_(std::move(arrays)) {}

const StoredArray* ArrayFile::find(std::string_view name) const {
  for (const StoredArray& a : arrays_)
    if (a.name == name) return &a;
  return nullptr;
}

const StoredArray& ArrayFile::at(std::string_view name) const& {
  if (const StoredArray* array = find(name)) return *array;
  fail(format_, source_, " has no array '", name, "'");
}

template <Scalar T>
Tensor<T> ArrayFile::tensor(std::string_view name) const {
  return to_tensor<T>(at(name), format_, source_ + ", array '" + std::string(name) + "'");
}

std::vector<std::int64_t> ArrayFile::integers(std::string_view name) const {
  const StoredArray& array = at(name);
  if (array.dtype != Dtype::i64 && array.dtype != Dtype::boolean)
    fail(format_, source_, ", array '", name, "': expected I64 or BOOL, got ",
         name_of(array.dtype));
  std::vector<std::int64_t> values(static_cast<std::size_t>(array.shape.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = array.dtype == Dtype::i64 ? element<std::int64_t>(array, i)
                                          : element<std::uint8_t>(array, i);
  return values;
}

void ArrayFile::append(StoredArray array) {
  if (array.name.empty()) fail(format_, "an array needs a name");
  if (contains(array.name)) fail(format_, source_, " already has an array '", array.name, "'");
  arrays_.push_back(std::move(array));
}

template <Scalar T>
void ArrayFile::add(const std::string& name, const Tensor<T>& x) {
  if (x.empty()) fail(format_, "the tensor '", name, "' is empty: it has no shape to write");
  const auto bytes = std::as_bytes(x.values());
  append({name, sizeof(T) == 4 ? Dtype::f32 : Dtype::f64, x.shape(), {bytes.begin(), bytes.end()}});
}

void ArrayFile::add(const std::string& name, const Shape& shape,
                    std::span<const std::int64_t> values) {
  if (static_cast<Size>(values.size()) != shape.size())
    fail(format_, "array '", name, "': shape ", shape, " has ", shape.size(), " elements, got ",
         values.size());
  const auto bytes = std::as_bytes(values);
  append({name, Dtype::i64, shape, {bytes.begin(), bytes.end()}});
}

ArrayFile read_arrays(const std::filesystem::path& path) {
  return is_npz(path) ? read_npz(path) : read_safetensors(path);
}

void write_arrays(const std::filesystem::path& path, const ArrayFile& file) {
  if (!is_npz(path) && path.extension() != ".safetensors")
    fail("save", "the name of a weights file must end in .safetensors or .npz, got '",
         path.filename().string(), "'");
  is_npz(path) ? write_npz(path, file) : write_safetensors(path, file);
}

template Tensor<float> to_tensor(const StoredArray&, std::string_view, const std::string&);
template Tensor<double> to_tensor(const StoredArray&, std::string_view, const std::string&);
template Tensor<float> ArrayFile::tensor<float>(std::string_view) const;
template Tensor<double> ArrayFile::tensor<double>(std::string_view) const;
template void ArrayFile::add<float>(const std::string&, const Tensor<float>&);
template void ArrayFile::add<double>(const std::string&, const Tensor<double>&);

}  // namespace axisgrad
