// One date and time as tables write them, by a pattern.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace axisgrad {

constexpr std::int64_t micros_of_second = 1'000'000;
constexpr std::int64_t micros_of_day = 86'400 * micros_of_second;

/// What a cell says: microseconds since 1970-01-01 00:00 on the clock that it was written by, and
/// how far this clock is ahead of UTC, in microseconds; 0 without an offset.
struct DateCell {
  std::int64_t at = 0, offset = 0;
  std::string_view offset_text{};  // as it is written: +02:00, Z
  int fraction = 0;                // digits behind the seconds
  bool bare_day = false;           // a day or month of one digit: 7/1/2016
  bool bare_hour = false;          // an hour of one digit
  bool padded_hour = false;        // an hour that begins with 0
};

/// What a pattern leaves open when a date is written.
struct DateStyle {
  int fraction = 0;  // digits behind the seconds
  bool bare_days = false, bare_hours = false;
  std::string offset{};
};

/// A pattern. Y is a year of four digits, y one of two (2000..2068, 1969..1999), m d H M S numbers
/// of one or two, q a quarter, b and B a month's English name, short and full, a and A the same of
/// a day of the week, I and p an hour of twelve with AM or PM, f the digits behind the seconds or
/// nothing, z an offset from UTC; all else stands for itself.
class DateForm {
 public:
  explicit DateForm(std::string pattern);

  [[nodiscard]] const std::string& pattern() const { return pattern_; }
  /// None when the cell does not fit, or is no day or time. A day alone is its first moment even
  /// where the pattern has a time; 24:00 is the first moment of the next day.
  [[nodiscard]] std::optional<DateCell> read(std::string_view cell) const;
  [[nodiscard]] std::string write(std::int64_t at, const DateStyle& style = {}) const;
  /// "dmy", "mdy" or "ymd" where the pattern has three numbers whose order another pattern could
  /// take otherwise; else nothing.
  [[nodiscard]] std::string order() const;

 private:
  std::string pattern_;
  std::size_t time_;  // where the time begins in the pattern, with the sign in front of it
};

/// Every form that the cell fits, those that are more likely first.
[[nodiscard]] std::vector<DateForm> date_forms(std::string_view cell);

}  // namespace axisgrad
