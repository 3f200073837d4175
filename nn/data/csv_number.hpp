// Numbers as tables write them.
#pragma once
#include <string>
#include <string_view>
#include <system_error>

namespace axisgrad {

/// Reads numbers with a decimal point or comma, and a sign between thousands or none.
class NumberReader {
 public:
  NumberReader() = default;
  /// Error for a pair of signs that makes no sense.
  NumberReader(char decimal, char thousands);

  /// errc() and the number, result_out_of_range, or invalid_argument: the whole cell has to be a
  /// number. Groups between thousands signs must have three digits, so that no other convention is
  /// taken for this one.
  std::errc operator()(std::string_view cell, double& x);

 private:
  bool to_plain(std::string_view cell);  // into plain_, with a decimal point and nothing else

  char decimal_ = '.', thousands_ = '\0';
  std::string plain_;
};

}  // namespace axisgrad
