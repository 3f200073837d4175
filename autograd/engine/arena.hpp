// Memory for the options of a recording's nodes: handed out piece by piece, given back all at once,
// kept for the next recording.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace axisgrad {

class Arena {
 public:
  /// Aligned for every type, at most one chunk; it stays where it is until clear().
  void* take(std::size_t bytes) {
    constexpr std::size_t align = alignof(std::max_align_t);
    bytes = (bytes + align - 1) / align * align;
    if (chunk_ == chunks_.size() || used_ + bytes > size) {
      if (chunk_ < chunks_.size()) ++chunk_;
      if (chunk_ == chunks_.size()) chunks_.push_back(std::make_unique<std::byte[]>(size));
      used_ = 0;
    }
    return chunks_[chunk_].get() + std::exchange(used_, used_ + bytes);
  }
  void clear() { chunk_ = used_ = 0; }

 private:
  static constexpr std::size_t size = std::size_t(64) << 10;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t chunk_ = 0, used_ = 0;
};

}  // namespace axisgrad
