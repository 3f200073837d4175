// The contents of a file of named arrays, whatever its format: what read_safetensors() and
// read_npz() give and write_safetensors() and write_npz() take.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <axisgrad/autograd/tensor.hpp>

namespace axisgrad {

/// How the elements of a stored array are written.
enum class Dtype { f32, f64, i64, boolean };

/// As safetensors spells it: F32, F64, I64, BOOL.
[[nodiscard]] std::string_view name_of(Dtype dtype);
/// Bytes of one element.
[[nodiscard]] std::size_t size_of(Dtype dtype);

/// An array as it stands in a file: row-major, of this machine's byte order.
struct StoredArray {
  std::string name;
  Dtype dtype;
  Shape shape;
  std::vector<std::byte> bytes;
};

/// The elements in the precision asked for; BOOL gives 0 and 1. Error, beginning with `what`, when
/// that precision cannot hold an element: a finite F64 would become infinite, an I64 be rounded.
template <Scalar T>
[[nodiscard]] Tensor<T> to_tensor(const StoredArray& array, std::string_view where,
                                  const std::string& what);

/// Named arrays in the order of the file, and its metadata.
class ArrayFile {
 public:
  ArrayFile() = default;
  /// What was read from `path`, under the name of its format.
  ArrayFile(std::string_view format, const std::filesystem::path& path,
            std::vector<StoredArray> arrays);

  const std::vector<StoredArray>& arrays() const& { return arrays_; }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Error naming the file and the array when there is none of this name.
  const StoredArray& at(std::string_view name) const&;
  // Of a file about to go, what these refer to goes too.
  void arrays() && = delete;
  void at(std::string_view) && = delete;

  /// The array in the precision asked for, see to_tensor().
  template <Scalar T>
  [[nodiscard]] Tensor<T> tensor(std::string_view name) const;
  /// The elements of an I64 or BOOL array; Error for another dtype.
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;

  /// Appends an array, F32 or F64 as T is. Error when the name is taken or empty.
  template <Scalar T>
  void add(const std::string& name, const Tensor<T>& x);
  /// Appends an I64 array; Error also when the number of values is not the shape's.
  void add(const std::string& name, const Shape& shape, std::span<const std::int64_t> values);

  /// What errors begin with, and what they call the file: its path, quoted, once it has one.
  const std::string& format() const { return format_; }
  const std::string& source() const { return source_; }

  /// Free text by name, such as who wrote the file; .npz has no place for it.
  std::map<std::string, std::string> metadata{};

 private:
  const StoredArray* find(std::string_view name) const;
  void append(StoredArray array);

  std::string format_ = "arrays", source_ = "the list";
  std::vector<StoredArray> arrays_;
};

/// A .npz file when the path ends so, else a safetensors file.
[[nodiscard]] ArrayFile read_arrays(const std::filesystem::path& path);
void write_arrays(const std::filesystem::path& path, const ArrayFile& file);

}  // namespace axisgrad
