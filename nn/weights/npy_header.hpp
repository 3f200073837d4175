// The header of a .npy file as it is written there.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/shape.hpp>

namespace axisgrad::detail {

struct NpyHeader {
  std::string type;  // NumPy's descr, '<f4': byte order, kind, bytes
  bool fortran_order = false;
  Shape shape;
  std::size_t data_begin = 0;  // in the file
};

/// Error with a sentence about "it".
[[nodiscard]] NpyHeader parse_npy_header(std::string_view bytes);

template <class... Parts>
[[noreturn]] void refuse_npy(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw Error(text.str());
}

}  // namespace axisgrad::detail
