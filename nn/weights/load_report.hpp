// What a load of named arrays found, and whether that will do.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include <axisgrad/nn/weights/array_file.hpp>

namespace axisgrad {

/// An array of the right name with another shape than was asked for.
struct WrongShape {
  std::string name;
  Shape found, expected;
};

/// How a file compares with what was asked for, and how many tensors were set.
struct LoadReport {
  Size loaded = 0;
  std::vector<std::string> missing{};     // asked for, not in the file
  std::vector<std::string> unexpected{};  // in the file, not asked for
  std::vector<WrongShape> wrong_shape{};
};
/// "12 arrays loaded; unexpected: extra.kernel"
std::ostream& operator<<(std::ostream& out, const LoadReport& report);

/// Which differences are no error. A wrong shape always is one.
struct LoadOptions {
  bool allow_missing = false;    // parameters that the file lacks keep their values
  bool allow_unexpected = true;  // arrays that nobody asked for are only reported
};

namespace detail {

using NameAndShape = std::pair<std::string, Shape>;
/// Compares names and shapes; nothing is loaded yet.
[[nodiscard]] LoadReport compare(const ArrayFile& file, const std::vector<NameAndShape>& expected);
/// Error that names every difference, unless the options allow what there is.
void require_fit(const LoadReport& report, const std::filesystem::path& path,
                 const LoadOptions& options);

}  // namespace detail
}  // namespace axisgrad
