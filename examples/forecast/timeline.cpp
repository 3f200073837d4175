#include "timeline.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <axisgrad/autograd/error.hpp>

namespace forecast {
namespace {

constexpr std::int64_t day = 86'400;
constexpr std::int64_t first_clock = 100'000'000;  // in March 1973

std::map<std::int64_t, std::int64_t> differences(const std::vector<std::int64_t>& seconds) {
  std::map<std::int64_t, std::int64_t> counts;
  for (std::size_t i = 1; i < seconds.size(); ++i) ++counts[seconds[i] - seconds[i - 1]];
  return counts;
}

// The cells as whole numbers; none when one is not.
std::vector<std::int64_t> whole_numbers(const std::vector<std::string>& cells) {
  std::vector<std::int64_t> numbers;
  for (const std::string& cell : cells) {
    const char* end = cell.data() + cell.size();
    const auto [rest, error] = std::from_chars(cell.data(), end, numbers.emplace_back());
    if (error != std::errc() || rest != end) return {};
  }
  return numbers;
}

void require_forward(const std::vector<std::int64_t>& seconds,
                     const std::vector<std::string>& cells, const std::string& column) {
  const auto back = std::is_sorted_until(seconds.begin(), seconds.end());
  if (back == seconds.end()) return;
  const auto row = static_cast<std::size_t>(back - seconds.begin());
  axisgrad::fail("forecast", "column '", column, "', row ", row + 1, ": '", cells[row],
                 "' lies before the row above, '", cells[row - 1], "': sort the table by time");
}

}  // namespace

std::string Timeline::step_text() const {
  const auto with = [](std::int64_t n, const char* unit) {
    return std::to_string(n) + ' ' + unit + (n == 1 ? "" : "s");
  };
  if (numbers && dates.seconds[0] < first_clock) return with(step.seconds, "count");
  if (step.months > 0)
    return step.months % 12 ? with(step.months, "month") : with(step.months / 12, "year");
  if (step.seconds % day == 0) return with(step.seconds / day, "day");
  if (step.seconds % 3600 == 0) return with(step.seconds / 3600, "hour");
  return step.seconds % 60 ? with(step.seconds, "second") : with(step.seconds / 60, "minute");
}

std::int64_t Timeline::season() const {
  if (numbers && dates.seconds[0] < first_clock) return 1;
  if (step.months > 0) return 12 % step.months ? 1 : 12 / step.months;
  if (step.seconds <= 0) return 1;
  if (step.seconds < day) return day % step.seconds ? 1 : day / step.seconds;
  return step.seconds == day ? 7 : 1;
}

std::vector<std::string> Timeline::next(std::int64_t rows) const {
  if (!numbers) return axisgrad::continued(dates, step, rows);
  std::vector<std::string> next;
  for (std::int64_t k = 1; k <= rows; ++k)
    next.push_back(std::to_string(dates.seconds.back() + k * step.seconds));
  return next;
}

Timeline read_timeline(const std::vector<std::string>& cells, const std::string& column) {
  Timeline t{column, {}, {}};
  // 20160701 is a date.
  if (!axisgrad::looks_like_date(cells.at(0))) t.dates.seconds = whole_numbers(cells);
  t.numbers = !t.dates.seconds.empty();
  if (!t.numbers) t.dates = axisgrad::read_dates(cells, column);
  const std::vector<std::int64_t>& seconds = t.dates.seconds;
  require_forward(seconds, cells, column);
  const auto counts = differences(seconds);
  if (counts.size() == 1 && counts.begin()->first > 0) {
    t.step.seconds = counts.begin()->first;
    if (t.step.seconds < 28 * day) return t;
  }
  // Months differ in length; what else has unequal steps is an error of regular_step.
  try {
    t.step = axisgrad::regular_step(t.dates, column);
  } catch (const axisgrad::Error&) {
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    if (most == counts.end()) return t;  // a single row
    t.step = {.seconds = most->first};
    const auto all = static_cast<std::int64_t>(seconds.size()) - 1;
    t.notes.push_back(std::to_string(all - most->second) + " of " + std::to_string(all) +
                      " steps between dates are not " + t.step_text() +
                      ": windows reach across these gaps as if there were none");
  }
  return t;
}

}  // namespace forecast
