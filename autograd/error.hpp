// The one exception of the library. Every message begins with the op or part that refuses, in
// brackets, and names what it got:
//   [matmul] inner sizes differ: got (2,3) and (4,5)
#pragma once
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace axisgrad {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is written for x: a NaN without its sign, which says nothing and differs between
/// processors.
template <class X>
[[nodiscard]] decltype(auto) printable(const X& x) {
  if constexpr (std::is_floating_point_v<X>)
    return x == x ? x : std::numeric_limits<X>::quiet_NaN();
  else
    return (x);
}

/// The parts one after the other, written with <<.
template <class... Parts>
[[nodiscard]] std::string text_of(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << printable(parts));
  return text.str();
}

/// Throws Error("[where] parts...").
template <class... Parts>
[[noreturn]] void fail(std::string_view where, const Parts&... parts) {
  throw Error(text_of('[', where, "] ", parts...));
}

}  // namespace axisgrad
