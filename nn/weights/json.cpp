#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/json.hpp>

namespace axisgrad {

Json parse_json(std::string_view text, std::string_view where, const std::string& what) {
  std::vector<std::set<std::string>> open;  // the names met so far in each object not yet closed
  std::string twice;
  auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && twice.empty())
      if (std::string name = value; !open.back().insert(name).second) twice = std::move(name);
    return true;
  };
  Json json;
  try {
    json = Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::parse_error& e) {
    fail(where, what, " is not valid JSON, at byte ", e.byte, " of ", text.size());
  }
  if (!twice.empty()) fail(where, what, " gives the name '", twice, "' twice");
  return json;
}

}  // namespace axisgrad
