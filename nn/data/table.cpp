#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <axisgrad/nn/data/table.hpp>

namespace axisgrad {
namespace {

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "'" : ", '") + n + "'";
  return all;
}

Size find(const std::vector<std::string>& names, std::string_view name, std::string_view kind) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    fail("table", "there is no ", kind, " '", name, "'; there are: ", listed(names));
  return at - names.begin();
}

}  // namespace

Size Table::index(std::string_view name) const { return find(names, name, "column"); }

std::vector<Size> Table::indices(const std::vector<std::string>& selected) const {
  std::vector<Size> all;
  for (const std::string& name : selected) {
    all.push_back(index(name));
    if (std::count(all.begin(), all.end(), all.back()) > 1)
      fail("table", "column '", name, "' is named twice");
  }
  return all;
}

Table Table::select(const std::vector<std::string>& selected) const {
  const std::vector<Size> from = indices(selected);
  Table t{selected, Tensor<double>({rows(), static_cast<Size>(from.size())}), text_names, texts};
  double* to = t.values.mutable_data();
  for (Size r = 0; r < rows(); ++r)
    for (Size c : from) *to++ = values.data()[r * columns() + c];
  return t;
}

Table Table::take(Rows range) const {
  Table t{names, take_rows(values, range), text_names, {}};
  for (const auto& column : texts)
    t.texts.emplace_back(column.begin() + range.begin, column.begin() + range.end);
  return t;
}

const std::vector<std::string>& Table::text(std::string_view name) const& {
  return texts[static_cast<std::size_t>(find(text_names, name, "column of text"))];
}

namespace {

// A file as memory: of a large table nothing is copied but the numbers. What is no plain file (a
// pipe, as in read_csv("/dev/stdin")) is read to its end.
class FileText {
 public:
  explicit FileText(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) fail("read_csv", "cannot read '", path, "'");
    if (!S_ISREG(status.st_mode)) {
      std::ifstream in(path, std::ios::binary);
      copy_.assign(std::istreambuf_iterator<char>(in), {});
    } else if (status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_, 0);
      if (data == MAP_FAILED) {
        ::close(file_);
        fail("read_csv", "cannot read '", path, "'");
      }
      ::madvise(data, size, MADV_SEQUENTIAL);
      mapped_ = {static_cast<const char*>(data), size};
    }
  }
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;
  ~FileText() {
    if (!mapped_.empty()) ::munmap(const_cast<char*>(mapped_.data()), mapped_.size());
    ::close(file_);
  }
  std::string_view text() const { return mapped_.empty() ? std::string_view(copy_) : mapped_; }

 private:
  int file_;
  std::string_view mapped_;
  std::string copy_;
};

}  // namespace

Table read_csv(const std::string& path, const CsvOptions& options) {
  if (!std::filesystem::exists(path)) fail("read_csv", "there is no file '", path, "'");
  if (std::filesystem::is_directory(path)) fail("read_csv", "'", path, "' is a folder, not a file");
  const FileText file(path);
  return parse_csv(file.text(), options, path);
}

}  // namespace axisgrad
