#include "options.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include <axisgrad/autograd/error.hpp>

namespace axisgrad::reference {
namespace {

bool whole(const Json& j) { return j.is_number_integer(); }
bool count(const Json& j) {
  return whole(j) && j >= 0 && j.get<std::uint64_t>() <= (std::uint64_t(1) << 62);
}
bool small(const Json& j) { return whole(j) && j >= -max_rank && j < max_rank; }
bool number(const Json& j) { return j.is_number(); }
bool boolean(const Json& j) { return j.is_boolean(); }
bool string(const Json& j) { return j.is_string(); }

}  // namespace

const Json* Options::find(const std::string& name) {
  read_.insert(name);
  const auto found = options_->find(name);
  return found == options_->end() || found->is_null() ? nullptr : &*found;
}

void Options::refuse(const std::string& name, const std::string& expected) const {
  fail("golden", "option ", name, " is ", options_->at(name), ", expected ", expected);
}

template <class V>
V Options::get(const std::string& name, const std::optional<V>& otherwise,
               bool (*fits)(const Json&), const char* expected) {
  const Json* given = find(name);
  if (!given && otherwise) return *otherwise;
  if (!given) fail("golden", "option ", name, " is missing");
  if (!fits(*given)) refuse(name, expected);
  return given->get<V>();
}

Size Options::size(const std::string& name, std::optional<Size> otherwise) {
  return get(name, otherwise, &count, "a whole number >= 0");
}
int Options::axis(const std::string& name, std::optional<int> otherwise) {
  return get(name, otherwise, &small, "an axis from -8 to 7");
}
Axes Options::axes(const std::string& name, std::optional<Axes> otherwise) {
  const Json* given = find(name);
  if (!given && otherwise) return *otherwise;
  if (!given || !given->is_array()) return axis(name);
  if (!std::all_of(given->begin(), given->end(), small) || given->size() > max_rank)
    refuse(name, "axes from -8 to 7");
  return Axes(std::span<const int>(given->get<std::vector<int>>()));
}
double Options::number(const std::string& name, std::optional<double> otherwise) {
  return get(name, otherwise, &reference::number, "a number");
}
bool Options::flag(const std::string& name, std::optional<bool> otherwise) {
  return get(name, otherwise, &boolean, "true or false");
}
std::string Options::text(const std::string& name, std::optional<std::string> otherwise) {
  return get(name, otherwise, &string, "a string");
}

void Options::require_all_read() const {
  std::string unknown;
  for (const auto& [name, value] : options_->items())
    if (!read_.contains(name)) unknown += (unknown.empty() ? "" : ", ") + name;
  if (!unknown.empty()) fail("golden", "option ", unknown, " is not known to this block");
}

}  // namespace axisgrad::reference
