// The time axis of a table: its dates, how far apart its rows are, and what comes next.
#pragma once
#include <string>
#include <vector>

#include <axisgrad/nn/data/dates.hpp>

namespace forecast {

struct Timeline {
  std::string column;
  axisgrad::Dates dates;
  axisgrad::DateStep step;
  std::vector<std::string> notes{};
  bool numbers = false;  // the column holds whole numbers

  /// "15 minutes", "1 hour", "1 day", "1 month"
  [[nodiscard]] std::string step_text() const;
  /// Rows in a day (of steps below a day), a week (of days) or a year (of months); 1 when unclear.
  [[nodiscard]] std::int64_t season() const;
  /// The dates of the next rows, as they are written in the table.
  [[nodiscard]] std::vector<std::string> next(std::int64_t rows) const;
};

/// Reads a column of dates, or of whole numbers: seconds since 1970 from 100,000,000 on, else
/// numbers of rows. Where the steps are not all equal the most common one is taken, and a
/// note says how many differ. Error for a cell that is no date, or one that lies before the row
/// above.
[[nodiscard]] Timeline read_timeline(const std::vector<std::string>& cells,
                                     const std::string& column);

}  // namespace forecast
