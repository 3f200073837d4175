// NumPy's .npz format: a zip archive with a .npy file NAME.npy for each array NAME.
#pragma once
#include <filesystem>

#include <axisgrad/nn/weights/array_file.hpp>

namespace axisgrad {

struct NpzOptions {
  bool compress = false;  // as numpy.savez_compressed: deflated
};

/// Reads all arrays that numpy.savez or savez_compressed wrote, in their order; integers of any
/// width become I64. Error naming the file, and where there is one the member: no zip archive or
/// one cut short, a member with a wrong checksum, one that is no .npy file, a name given twice.
[[nodiscard]] ArrayFile read_npz(const std::filesystem::path& path);

/// Writes an archive for numpy.load, the same bytes for the same arrays. A reader, also after a
/// crash, finds the old file or the new one. Error with the reason; the old file is then untouched.
/// Metadata are refused: the format has no place for them.
void write_npz(const std::filesystem::path& path, const ArrayFile& file,
               const NpzOptions& options = {});

}  // namespace axisgrad
