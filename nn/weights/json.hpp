// JSON as this library accepts it: well-formed and without a name given twice, which most readers
// silently resolve in favour of the last.
#pragma once
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace axisgrad {

/// The members of an object in the order of the text. (Declared only: nlohmann/json.hpp costs 1.5 s
/// to compile, so it is included where a member is looked at.)
using Json = nlohmann::ordered_json;

/// Error beginning with `what` when the text is not JSON or gives a name twice.
[[nodiscard]] Json parse_json(std::string_view text, std::string_view where,
                              const std::string& what);

}  // namespace axisgrad
