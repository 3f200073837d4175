// Weight files in the safetensors format: 8 bytes N (little-endian), a JSON header of N bytes that
// gives each array's dtype, shape and place, then the arrays, row-major, one after the other
// without a gap. It holds numbers only: reading one runs no code, whoever made it.
#pragma once
#include <axisgrad/nn/weights/array_file.hpp>

namespace axisgrad {

/// Reads a whole file, the arrays in the order of its header, or throws an Error that names the
/// file and what is wrong with it: missing, shorter or longer than its header says (both byte
/// counts), a header that is not what the format asks for, arrays that overlap, leave a gap or do
/// not fit their shape, a name given twice.
[[nodiscard]] ArrayFile read_safetensors(const std::filesystem::path& path);

/// Writes to a temporary file beside `path` and renames it when it is complete: a reader, also
/// after a crash, finds the old file or the new one. Error with the system's reason, or for a name
/// that the format cannot hold; the old file is then untouched.
void write_safetensors(const std::filesystem::path& path, const ArrayFile& file);

}  // namespace axisgrad
