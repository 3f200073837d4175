// NumPy's .npy format: a magic word, a version, a header that is a Python dictionary of the type,
// the order and the shape, then the elements. Arrays come in C or Fortran order; here they are
// always row-major (C).
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <axisgrad/nn/weights/array_file.hpp>

namespace axisgrad {

/// Reads a file as numpy.save writes it, in either order and byte order, and converts it to T:
/// float32, float64, integers of any width, bool (0 and 1). Error naming the file when there is
/// none, when it is of another kind or type, holds more or fewer bytes than its header says, or an
/// element that T cannot hold.
template <Scalar T>
[[nodiscard]] Tensor<T> load_npy(const std::filesystem::path& path);

/// Writes a file for numpy.load, in the precision of the tensor. Error when it cannot be written.
template <Scalar T>
void save_npy(const std::filesystem::path& path, const Tensor<T>& x);

namespace detail {

/// The array that these bytes of a .npy file hold, without a name; integers become I64. Error with
/// a sentence that begins with "it" or "its" and names no file: the caller knows which it is.
[[nodiscard]] StoredArray parse_npy(std::string_view bytes);
/// The header of a .npy file, version 1.0; the array's bytes follow it.
[[nodiscard]] std::string npy_header(const StoredArray& array);

}  // namespace detail
}  // namespace axisgrad
