// Runs one reference file, in double and in float.
#pragma once
#include <filesystem>
#include <string>

#include <axisgrad/nn/weights/json.hpp>

namespace axisgrad::reference {

struct Verdict {
  bool passed = false;
  std::string text;  // how near the tolerance it came, or what is wrong
};

/// Never throws: whatever is wrong with the file, its entry or the block is the verdict.
[[nodiscard]] Verdict run_file(const std::filesystem::path& directory, const std::string& name,
                               const Json& entry);

}  // namespace axisgrad::reference
