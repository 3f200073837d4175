#include <memory>
#include <string>
#include <vector>

#include <zip.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/npy.hpp>
#include <axisgrad/nn/weights/npz.hpp>

namespace axisgrad {
namespace {

constexpr std::string_view label = "npz", suffix = ".npy";

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct Close {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
// An archive that is dropped without being written, unless it was closed.
using Archive = std::unique_ptr<zip_t, Discard>;
using Member = std::unique_ptr<zip_file_t, Close>;

Archive open_archive(const std::filesystem::path& path, int flags, const char* failed) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  fail(label, "'", path.string(), failed, reason);
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : file_("'" + path.string() + "'"),
        archive_(open_archive(path, ZIP_RDONLY, "' cannot be read: ")) {}

  zip_uint64_t size() const {
    return static_cast<zip_uint64_t>(zip_get_num_entries(archive_.get(), 0));
  }
  StoredArray array(zip_uint64_t i) {
    const char* entry = zip_get_name(archive_.get(), i, 0);
    const std::string name = entry ? entry : "";
    const std::string member = file_ + ", member '" + name + "'";
    if (name.size() <= suffix.size() || !name.ends_with(suffix))
      fail(label, member, " is no .npy file");
    const std::string bytes = contents(i, member);
    try {
      StoredArray array = detail::parse_npy(bytes);
      array.name = name.substr(0, name.size() - suffix.size());
      return array;
    } catch (const Error& e) {
      fail(label, member, ": ", e.what());
    }
  }

 private:
  // Piece by piece: how large it is follows from the data, not from what the archive claims. At the
  // end libzip compares the checksum.
  std::string contents(zip_uint64_t i, const std::string& name) {
    const Member member(zip_fopen_index(archive_.get(), i, 0));
    if (!member) fail(label, name, " cannot be opened: ", zip_strerror(archive_.get()));
    std::string bytes;
    std::vector<char> piece(1 << 16);
    for (;;) {
      const zip_int64_t n = zip_fread(member.get(), piece.data(), piece.size());
      if (n < 0) fail(label, name, " is damaged: ", zip_file_strerror(member.get()));
      if (n == 0) return bytes;
      bytes.append(piece.data(), static_cast<std::size_t>(n));
    }
  }

  std::string file_;
  Archive archive_;
};

std::string npy_of(const StoredArray& array) {
  std::string bytes = detail::npy_header(array);
  bytes.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return bytes;
}

}  // namespace

ArrayFile read_npz(const std::filesystem::path& path) {
  Reader reader(path);
  std::vector<StoredArray> arrays;
  for (zip_uint64_t i = 0; i < reader.size(); ++i) {
    arrays.push_back(reader.array(i));
    for (std::size_t k = 0; k + 1 < arrays.size(); ++k)
      if (arrays[k].name == arrays.back().name)
        fail(label, "'", path.string(), "' gives the name '", arrays[k].name, "' twice");
  }
  return {label, path, std::move(arrays)};
}

void write_npz(const std::filesystem::path& path, const ArrayFile& file,
               const NpzOptions& options) {
  const auto refuse = [&](const auto&... reason) {
    fail(label, "'", path.string(), "' cannot be written: ", reason...);
  };
  if (file.arrays().empty()) refuse("there are no arrays");
  if (!file.metadata.empty()) refuse("it has no place for metadata");
  Archive archive = open_archive(path, ZIP_CREATE | ZIP_TRUNCATE, "' cannot be written: ");
  std::vector<std::string> members;  // libzip reads them when it writes the archive
  members.reserve(file.arrays().size());
  for (const StoredArray& array : file.arrays()) {
    const std::string& bytes = members.emplace_back(npy_of(array));
    zip_source_t* source = zip_source_buffer(archive.get(), bytes.data(), bytes.size(), 0);
    const zip_int64_t added =
        zip_file_add(archive.get(), (array.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (added < 0) {
      zip_source_free(source);
      refuse("'", array.name, "' is no name for a member: ", zip_strerror(archive.get()));
    }
    const auto i = static_cast<zip_uint64_t>(added);
    constexpr zip_uint16_t first_of_1980 = 1 << 5 | 1;  // zip's first date, so as to have no other
    zip_set_file_compression(archive.get(), i, options.compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive.get(), i, 0, first_of_1980, 0);
  }
  // A new name stands beside the old file until libzip renames it.
  if (zip_close(archive.get()) != 0) refuse(zip_strerror(archive.get()));
  static_cast<void>(archive.release());
}

}  // namespace axisgrad
