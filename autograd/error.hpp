// The one exception of the library. Every message begins with the op or part that refuses, in
// brackets, and names what it got:
//   [matmul] inner sizes differ: got (2,3) and (4,5)
#pragma once
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace axisgrad {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Error("[where] parts..."), the parts written with <<.
template <class... Parts>
[[noreturn]] void fail(std::string_view where, const Parts&... parts) {
  std::ostringstream text;
  text << '[' << where << "] ";
  (text << ... << parts);
  throw Error(text.str());
}

}  // namespace axisgrad
