// Dates and times as tables write them: read, checked for a regular step, continued.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <axisgrad/autograd/shape.hpp>

namespace axisgrad {

/// A column of dates: seconds since 1970-01-01 00:00 without time zones or leap seconds, and how
/// they were written, so that they can be continued in the same way. In a pattern Y is a year of
/// four digits, y one of two (2000..2068, 1969..1999), m d H M S numbers of one or two, b a month's
/// English name, I and p an hour of twelve with AM or PM; all else stands for itself.
struct Dates {
  std::vector<std::int64_t> seconds;
  std::string pattern;
};

/// Reads a column whose cells all have one of the common forms: 2016-07-01, 2016/07/01, 20160701,
/// 01.07.2016, 07/01/2016 or 01/07/2016, 01-07-2016, 1 Jul 2016, Jul 1, 2016, two digits for the
/// year, 2016-07 or Jul 2016 for months; alone or with 02:00, 02:00:00 or 2:00 PM behind a space or
/// a T, and a Z. Where day and month could be exchanged, the rows decide: only one order fits them
/// all, or only one makes them rise. Error, with the row, for what no form fits, what is no day of
/// the calendar, and an order that nothing decides.
[[nodiscard]] Dates read_dates(const std::vector<std::string>& cells, std::string_view column);

/// Whether a cell has one of these forms.
[[nodiscard]] bool looks_like_date(std::string_view cell);

/// The time from one row to the next: so many months (of the calendar, from the same day of each or
/// from the last day of each), or so many seconds.
struct DateStep {
  std::int64_t seconds = 0;
  int months = 0;
  bool month_ends = false;
};

/// The step that all rows have. Error naming the first row that does not follow it, for less than
/// two rows, and for a step back.
[[nodiscard]] DateStep regular_step(const Dates& dates, std::string_view column);

/// The next n dates, as they are written.
[[nodiscard]] std::vector<std::string> continued(const Dates& dates, const DateStep& step, Size n);

}  // namespace axisgrad
