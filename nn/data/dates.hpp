// Columns of dates: read, checked for a regular step, continued. One date: date_form.hpp.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <axisgrad/autograd/shape.hpp>
#include <axisgrad/nn/data/date_form.hpp>

namespace axisgrad {

/// A column of dates: microseconds since 1970-01-01 00:00, without leap seconds, on the clock that
/// they were written by; and how they were written (DateForm), so that they can be continued in the
/// same way. Where cells have several offsets from UTC it is the clock of the last one.
struct Dates {
  std::vector<std::int64_t> at;
  std::string pattern;
  DateStyle style{};  // most digits behind the seconds; the last offset

  [[nodiscard]] std::string written(std::int64_t moment) const {
    return DateForm(pattern).write(moment, style);
  }
};

struct DateOptions {
  /// "dmy", "mdy" or "ymd": the order of three numbers where a pattern alone does not tell; what
  /// has another order is an error then.
  std::string order = "";
  /// Line of each cell in its file, for errors; none: they count rows.
  const std::vector<Size>* lines = nullptr;
  /// What else can be done where nothing tells the order.
  std::string_view advice = "";
};

/// Reads a column whose cells all have one of the common forms: 2016-07-01, 2016/07/01, 2016.07.01,
/// 20160701, 01.07.2016, 07/01/2016 or 01/07/2016, 01-07-2016, 1 Jul 2016, 1 July 2016, Jul 1,
/// 2016, 01-Jul-2016, 2016-Jul-01, Fri, 1 Jul 2016, two digits for the year (2000..2068,
/// 1969..1999); 2016-07, 201607, 07/2016, Jul 2016, Jul-16 for months and 2016Q3 for quarters.
/// Behind a day, after a space, a T or a comma: 02:00, 02:00:00, 02:00:00.125, 2:00 PM, 2 PM,
/// 02.00, 2; then nothing, Z, UTC, +02:00, +0200 or +02. 2016070102, 201607010200 and 20160701T0200
/// too. A day alone among cells with a time is its first moment.
///
/// Where day and month could be exchanged, `order` decides, or else the rows: only one order fits
/// them all, or only one makes them rise, or only one makes the steps equal. Error, with the place,
/// for what no form fits, what is no day of the calendar, and an order that nothing decides.
[[nodiscard]] Dates read_dates(const std::vector<std::string>& cells, std::string_view column,
                               const DateOptions& options = {});

/// Whether a cell has one of these forms.
[[nodiscard]] bool looks_like_date(std::string_view cell);
/// Whether it is the time of a day alone: 02:00, 2:00:00, 02.00.00, 2 PM.
[[nodiscard]] bool looks_like_time(std::string_view cell);

/// The time from one row to the next: so many months (of the calendar, from the same day of each or
/// from the last day of each), or so many microseconds.
struct DateStep {
  std::int64_t micros = 0;
  int months = 0;
  bool month_ends = false;
};

/// The step that all rows have. Error naming the first row that does not follow it, for less than
/// two rows, and for a step back.
[[nodiscard]] DateStep regular_step(const Dates& dates, std::string_view column);

/// The next n dates, as they are written.
[[nodiscard]] std::vector<std::string> continued(const Dates& dates, const DateStep& step, Size n);

}  // namespace axisgrad
