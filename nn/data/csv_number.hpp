// Numbers as tables write them.
#pragma once
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

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

/// The two signs of a way to write numbers, and an example that shows them: 1.234,5 or 1234.5.
struct NumberForm {
  char decimal = '.', thousands = '\0';
  friend bool operator==(const NumberForm&, const NumberForm&) = default;
};
[[nodiscard]] std::string example(NumberForm form);
/// The signs of an example. Error when it is none: one thousand two hundred and thirty-four and a
/// half is asked for.
[[nodiscard]] NumberForm number_form(std::string_view example);

/// Whether a first row names columns: a cell is neither a number nor a date nor a word for a
/// missing one; or they are 0, 1, 2, ... or 1, 2, 3, ..., as data frames without names are written.
[[nodiscard]] bool holds_names(const std::vector<std::string>& row, NumberReader& number);

}  // namespace axisgrad
