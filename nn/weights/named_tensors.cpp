#include <algorithm>
#include <ostream>
#include <sstream>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/named_tensors.hpp>

namespace axisgrad {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const LoadReport& report) {
  out << report.loaded << (report.loaded == 1 ? " array loaded" : " arrays loaded");
  if (!report.unused.empty()) out << "; not used: " << joined(report.unused);
  return out;
}

void NamedTensors::save(const std::filesystem::path& path) const {
  SafetensorsFile file;
  for (const Entry& entry : entries_)
    if (!entry.write(file))
      fail("save", "'", entry.name, "' has no value yet, ", path, " was not written");
  write_safetensors(path, file);
}

LoadReport NamedTensors::load(const std::filesystem::path& path) const {
  const SafetensorsFile file = read_safetensors(path);
  std::vector<std::string> wrong;
  for (const Entry& entry : entries_) {
    std::ostringstream text;
    if (!file.contains(entry.name))
      text << entry.name << " is missing";
    else if (file.at(entry.name).shape != entry.shape)
      text << entry.name << " has the shape " << file.at(entry.name).shape << " instead of "
           << entry.shape;
    if (!text.str().empty()) wrong.push_back(text.str());
  }
  if (!wrong.empty()) fail("load", path, " does not fit, nothing was loaded: ", joined(wrong));

  std::vector<std::function<void()>> set;
  for (const Entry& entry : entries_) set.push_back(entry.read(file));
  for (const auto& one : set) one();
  LoadReport report{static_cast<Size>(set.size())};
  for (const StoredArray& array : file.arrays())
    if (std::none_of(entries_.begin(), entries_.end(),
                     [&](const Entry& e) { return e.name == array.name; }))
      report.unused.push_back(array.name);
  return report;
}

}  // namespace axisgrad
