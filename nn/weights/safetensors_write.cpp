#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/json.hpp>
#include <axisgrad/nn/weights/safetensors.hpp>

namespace axisgrad {
namespace {

// Wide elements first: every array then begins at a multiple of its element's size, and a reader
// may map the file instead of copying it.
std::vector<const StoredArray*> in_file_order(const ArrayFile& file) {
  std::vector<const StoredArray*> order;
  for (const StoredArray& a : file.arrays()) order.push_back(&a);
  std::stable_sort(order.begin(), order.end(),
                   [](auto* a, auto* b) { return size_of(a->dtype) > size_of(b->dtype); });
  return order;
}

std::string header_text(const ArrayFile& file, const std::vector<const StoredArray*>& order) {
  Json header = Json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::size_t end = 0;
  for (const StoredArray* a : order) {
    if (a->name == "__metadata__") fail("safetensors", "'__metadata__' cannot name an array");
    const std::size_t begin = end;
    end += a->bytes.size();
    header[a->name] = {{"dtype", name_of(a->dtype)},
                       {"shape", std::vector<Size>(a->shape.begin(), a->shape.end())},
                       {"data_offsets", {begin, end}}};
  }
  try {
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
  } catch (const Json::type_error&) {
    fail("safetensors", "a name or a piece of metadata is not UTF-8");
  }
}

// A file that is deleted unless it was renamed into place.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& target) : target_(target.string()) {
    static std::atomic<unsigned> count{0};
    name_ = target_ + "." + std::to_string(getpid()) + "." + std::to_string(count++) + ".partial";
    file_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) refuse();
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (file_ >= 0) close(file_);
    if (!name_.empty()) unlink(name_.c_str());
  }

  void write(const void* data, std::size_t bytes) {
    for (auto* from = static_cast<const char*>(data); bytes > 0;) {
      const ssize_t done = ::write(file_, from, bytes);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) refuse();
      from += done, bytes -= static_cast<std::size_t>(done);
    }
  }
  // The data reaches the disk before the new name does.
  void finish() {
    if (fsync(file_) != 0) refuse();
    if (close(std::exchange(file_, -1)) != 0) refuse();
    if (std::rename(name_.c_str(), target_.c_str()) != 0) refuse();
    name_.clear();
  }

 private:
  [[noreturn]] void refuse() {
    fail("safetensors", "'", target_, "' cannot be written: ", std::strerror(errno));
  }

  std::string target_, name_;
  int file_ = -1;
};

}  // namespace

void write_safetensors(const std::filesystem::path& path, const ArrayFile& file) {
  const auto order = in_file_order(file);
  const std::string header = header_text(file, order);
  const std::uint64_t length = header.size();
  Temporary out(path);
  out.write(&length, 8);
  out.write(header.data(), header.size());
  for (const StoredArray* a : order) out.write(a->bytes.data(), a->bytes.size());
  out.finish();
}

}  // namespace axisgrad
