// The time axis of a table: its dates, how far apart its rows are, and what comes next.
#pragma once
#include <string>
#include <vector>

#include <axisgrad/nn/data/dates.hpp>

namespace forecast {

struct Timeline {
  std::string column;
  axisgrad::Dates dates;  // of a column of numbers: these, without their decimal point
  axisgrad::DateStep step;
  std::vector<std::string> notes{};
  bool numbers = false;  // the column holds numbers
  double unit = 0;       // microseconds in one of them; 0: they count rows
  int decimals = 0;      // of the numbers

  /// "15 minutes", "1 hour", "1 day", "1 month"
  [[nodiscard]] std::string step_text() const;
  /// Rows in a day (of steps below a day), a week (of days) or a year (of months); 1 when unclear.
  [[nodiscard]] std::int64_t season() const;
  /// The dates of the next rows, as they are written in the table.
  [[nodiscard]] std::vector<std::string> next(std::int64_t rows) const;

 private:
  [[nodiscard]] std::int64_t micros() const;  // of a step
};

/// Reads a column of dates, or of numbers: from 100,000,000 on they are seconds since 1970, each
/// thousand times as much milliseconds, microseconds and nanoseconds; below that numbers of rows.
/// Where the steps are not all equal the most common one is taken, and notes name the first of
/// those that are longer or shorter, of dates that occur twice, and of hours in which clocks were
/// put back. Error for a cell that is no date, one that lies before the row above, and for dates of
/// which most occur more than once.
[[nodiscard]] Timeline read_timeline(const std::vector<std::string>& cells,
                                     const std::string& column,
                                     const axisgrad::DateOptions& options = {});

}  // namespace forecast
