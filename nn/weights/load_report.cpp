#include <algorithm>
#include <ostream>
#include <sstream>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/load_report.hpp>

namespace axisgrad {
namespace {

void join(std::ostream& out, const char* title, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) out << (i == 0 ? title : ", ") << names[i];
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const LoadReport& report) {
  out << report.loaded << (report.loaded == 1 ? " array loaded" : " arrays loaded");
  join(out, "; missing: ", report.missing);
  join(out, "; unexpected: ", report.unexpected);
  return out;
}

namespace detail {

LoadReport compare(const ArrayFile& file, const std::vector<NameAndShape>& expected) {
  LoadReport report;
  for (const auto& [name, shape] : expected) {
    if (!file.contains(name))
      report.missing.push_back(name);
    else if (file.at(name).shape != shape)
      report.wrong_shape.push_back({name, file.at(name).shape, shape});
  }
  for (const StoredArray& array : file.arrays())
    if (std::none_of(expected.begin(), expected.end(),
                     [&](const NameAndShape& e) { return e.first == array.name; }))
      report.unexpected.push_back(array.name);
  return report;
}

void require_fit(const LoadReport& report, const std::filesystem::path& path,
                 const LoadOptions& options) {
  if (report.wrong_shape.empty() && (options.allow_missing || report.missing.empty()) &&
      (options.allow_unexpected || report.unexpected.empty()))
    return;
  std::ostringstream text;
  for (const WrongShape& w : report.wrong_shape)
    text << "; " << w.name << " has the shape " << w.found << " instead of " << w.expected;
  join(text, "; missing: ", report.missing);
  join(text, "; unexpected: ", report.unexpected);
  fail("load", path, " does not fit, nothing was loaded: ", text.str().substr(2));
}

}  // namespace detail
}  // namespace axisgrad
