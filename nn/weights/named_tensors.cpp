#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/named_tensors.hpp>

namespace axisgrad {

void NamedTensors::save(const std::filesystem::path& path) const {
  ArrayFile file;
  for (const Entry& entry : entries_)
    if (!entry.write(file))
      fail("save", "'", entry.name, "' has no value yet, ", path, " was not written");
  write_arrays(path, file);
}

LoadReport NamedTensors::load(const std::filesystem::path& path, const LoadOptions& options) const {
  const ArrayFile file = read_arrays(path);
  std::vector<detail::NameAndShape> expected;
  for (const Entry& entry : entries_) expected.emplace_back(entry.name, entry.shape);
  LoadReport report = detail::compare(file, expected);
  detail::require_fit(report, path, options);

  std::vector<std::function<void()>> set;
  for (const Entry& entry : entries_)
    if (file.contains(entry.name)) set.push_back(entry.read(file));
  for (const auto& one : set) one();
  report.loaded = static_cast<Size>(set.size());
  return report;
}

}  // namespace axisgrad
