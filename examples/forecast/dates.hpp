// Dates as people write them, and the dates that come next. All as UTC: a table of local times has
// a gap and a repeated hour in a year, which is said, not guessed at.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace forecast {

using Seconds = std::int64_t;  // since 1970

/// How far apart rows are: whole months, or seconds.
struct Step {
  Seconds seconds = 0;
  int months = 0;
};

struct Dates {
  std::vector<Seconds> times;
  std::string format;  // strftime's
  Step step{};         // the most common one
  std::vector<std::string> notes{};

  /// The date `k` steps behind the last one.
  [[nodiscard]] std::string after_last(std::int64_t k) const;
  /// "15 minutes", "1 hour", "1 day", "1 month"
  [[nodiscard]] std::string step_text() const;
  /// Rows in a day (of hours or less), a week (of days) or a year (of months); 1 when unclear.
  [[nodiscard]] std::int64_t season() const;
};

/// Whether a cell looks like a date in a form that is understood.
[[nodiscard]] bool is_date(const std::string& text);

/// Reads a column in the one form that fits all of it. Where day and month could be exchanged, the
/// form with equal steps is taken. Error naming the row that no form fits, that goes back in time,
/// or when two forms fit equally well.
[[nodiscard]] Dates read_dates(const std::vector<std::string>& column, const std::string& name);

}  // namespace forecast
