// Weight files in the safetensors format: 8 bytes N (little-endian), a JSON header of N bytes that
// gives each array's dtype, shape and place, then the arrays, row-major, one after the other
// without a gap. It holds numbers only: reading one runs no code, whoever made it.
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

/// As the format spells it: F32, F64, I64, BOOL.
[[nodiscard]] std::string_view name_of(Dtype dtype);

/// An array as it stands in the file.
struct StoredArray {
  std::string name;
  Dtype dtype;
  Shape shape;
  std::vector<std::byte> bytes;
};

/// The named arrays of one file and its metadata; what read_safetensors() gives and
/// write_safetensors() takes.
class SafetensorsFile {
 public:
  SafetensorsFile() = default;

  /// In the order of the header.
  const std::vector<StoredArray>& arrays() const& { return arrays_; }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Error naming the file and the array when there is none of this name.
  const StoredArray& at(std::string_view name) const&;
  // Of a file about to go, what these refer to goes too.
  void arrays() && = delete;
  void at(std::string_view) && = delete;

  /// The array in the precision asked for; BOOL gives 0 and 1. Error when the other precision
  /// cannot hold an element: a finite F64 becomes infinite, an I64 is rounded.
  template <Scalar T>
  [[nodiscard]] Tensor<T> tensor(std::string_view name) const;
  /// The elements of an I64 or BOOL array; Error for another dtype.
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;

  /// Appends an array, F32 or F64 as T is. Error when the name is taken, empty or __metadata__.
  template <Scalar T>
  void add(const std::string& name, const Tensor<T>& x);
  /// Appends an I64 array; Error also when the number of values is not the shape's.
  void add(const std::string& name, const Shape& shape, std::span<const std::int64_t> values);

  /// Free text by name, such as who wrote the file.
  std::map<std::string, std::string> metadata;

 private:
  friend SafetensorsFile read_safetensors(const std::filesystem::path& path);
  const StoredArray* find(std::string_view name) const;
  void append(StoredArray array);

  std::string source_ = "the arrays";  // what errors call it: the path, quoted, once it has one
  std::vector<StoredArray> arrays_;
};

/// Reads a whole file, or throws an Error that names the file and what is wrong with it: missing,
/// shorter or longer than its header says (both byte counts), a header that is not what the format
/// asks for, arrays that overlap, leave a gap or do not fit their shape, a name given twice.
[[nodiscard]] SafetensorsFile read_safetensors(const std::filesystem::path& path);

/// Writes to a temporary file beside `path` and renames it when it is complete: a reader, also
/// after a crash, finds the old file or the new one. Error with the system's reason; the old file
/// is then untouched.
void write_safetensors(const std::filesystem::path& path, const SafetensorsFile& file);

}  // namespace axisgrad
