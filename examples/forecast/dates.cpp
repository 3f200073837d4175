#include "dates.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>

#include <axisgrad/autograd/error.hpp>

namespace forecast {
namespace {

constexpr std::array formats{"%Y-%m-%d %H:%M:%S",
                             "%Y-%m-%d %H:%M",
                             "%Y-%m-%d",
                             "%Y-%m-%dT%H:%M:%S",
                             "%Y-%m-%dT%H:%M",
                             "%Y-%m-%dT%H:%M:%SZ",
                             "%Y-%m-%dT%H:%MZ",
                             "%Y/%m/%d %H:%M:%S",
                             "%Y/%m/%d %H:%M",
                             "%Y/%m/%d",
                             "%d.%m.%Y %H:%M:%S",
                             "%d.%m.%Y %H:%M",
                             "%d.%m.%Y",
                             "%d/%m/%Y %H:%M:%S",
                             "%d/%m/%Y %H:%M",
                             "%d/%m/%Y",
                             "%m/%d/%Y %H:%M:%S",
                             "%m/%d/%Y %H:%M",
                             "%m/%d/%Y",
                             "%d-%m-%Y %H:%M:%S",
                             "%d-%m-%Y %H:%M",
                             "%d-%m-%Y",
                             "%d %b %Y",
                             "%b %d, %Y",
                             "%d-%b-%Y",
                             "%Y-%m",
                             "%Y%m%d"};
constexpr Seconds day = 86'400;

std::optional<Seconds> parse(const std::string& text, const char* format) {
  // strptime takes fewer digits and blanks than written; the length of a year it does not.
  std::tm tm{};
  tm.tm_mday = 1;
  const char* rest = ::strptime(text.c_str(), format, &tm);
  if (!rest) return {};
  if (*rest == '.') rest += 1 + std::strspn(rest + 1, "0");  // .000
  if (*rest != '\0' || tm.tm_year < -400) return {};
  const Seconds t = ::timegm(&tm);
  std::tm back{};
  const std::time_t copy = t;
  ::gmtime_r(&copy, &back);
  return back.tm_mday == tm.tm_mday ? std::optional(t) : std::nullopt;  // no 31 April
}

std::tm fields(Seconds t) {
  std::tm tm{};
  const std::time_t copy = t;
  ::gmtime_r(&copy, &tm);
  return tm;
}

Step most_common_step(const std::vector<Seconds>& times) {
  std::map<Seconds, std::size_t> counts;
  bool months = times.size() > 1;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const Seconds d = times[i] - times[i - 1];
    ++counts[d];
    months = months && d >= 28 * day && fields(times[i]).tm_mday == fields(times[0]).tm_mday;
  }
  if (counts.empty()) return {};
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  if (!months) return {most->first, 0};
  const std::tm a = fields(times[0]), b = fields(times[1]);
  return {0, (b.tm_year - a.tm_year) * 12 + b.tm_mon - a.tm_mon};
}

Seconds plus(Seconds from, Step step, std::int64_t k) {
  if (step.months == 0) return from + k * step.seconds;
  std::tm tm = fields(from);
  tm.tm_mon += static_cast<int>(k) * step.months;
  return ::timegm(&tm);
}

std::size_t irregular(const Dates& dates) {
  std::size_t n = 0;
  for (std::size_t i = 1; i < dates.times.size(); ++i)
    n += plus(dates.times[i - 1], dates.step, 1) != dates.times[i];
  return n;
}

std::string written(Seconds t, const std::string& format) {
  std::array<char, 64> text{};
  const std::tm tm = fields(t);
  return {text.data(), std::strftime(text.data(), text.size(), format.c_str(), &tm)};
}

// The times in this form; the row that it does not fit when there is one.
std::optional<Dates> in_form(const std::vector<std::string>& column, const char* format,
                             std::size_t& wrong) {
  Dates dates{{}, format};
  dates.times.reserve(column.size());
  for (wrong = 0; wrong < column.size(); ++wrong) {
    const auto t = parse(column[wrong], format);
    if (!t) return {};
    dates.times.push_back(*t);
  }
  dates.step = most_common_step(dates.times);
  return dates;
}

}  // namespace

std::string Dates::after_last(std::int64_t k) const {
  return written(plus(times.back(), step, k), format);
}

std::string Dates::step_text() const {
  const auto with = [](std::int64_t n, const char* unit) {
    return std::to_string(n) + ' ' + unit + (n == 1 ? "" : "s");
  };
  if (step.months > 0)
    return step.months % 12 ? with(step.months, "month") : with(step.months / 12, "year");
  if (step.seconds % day == 0) return with(step.seconds / day, "day");
  if (step.seconds % 3600 == 0) return with(step.seconds / 3600, "hour");
  return step.seconds % 60 ? with(step.seconds, "second") : with(step.seconds / 60, "minute");
}

std::int64_t Dates::season() const {
  if (step.months > 0) return 12 % step.months ? 1 : 12 / step.months;
  if (step.seconds <= 0) return 1;
  if (step.seconds < day) return day % step.seconds ? 1 : day / step.seconds;
  return step.seconds == day ? 7 : 1;
}

bool is_date(const std::string& text) {
  return std::any_of(formats.begin(), formats.end(),
                     [&](const char* format) { return parse(text, format).has_value(); });
}

Dates read_dates(const std::vector<std::string>& column, const std::string& name) {
  std::vector<Dates> fitting;
  std::size_t furthest = 0, wrong = 0;
  for (const char* format : formats) {
    if (auto dates = in_form(column, format, wrong)) fitting.push_back(std::move(*dates));
    furthest = std::max(furthest, wrong);
  }
  if (fitting.empty())
    axisgrad::fail("forecast", "column '", name, "', row ", furthest + 1, ": '", column[furthest],
                   furthest == 0
                       ? "' is no date in a form that is understood (2016-07-01 00:00:00, "
                         "01.07.2016 00:00, 07/01/2016, ...)"
                       : "' is no date in the form of the rows above");
  const auto regular = std::min_element(
      fitting.begin(), fitting.end(), [](auto& a, auto& b) { return irregular(a) < irregular(b); });
  for (const Dates& other : fitting)
    if (&other != &*regular && irregular(other) == irregular(*regular) &&
        other.times != regular->times)
      axisgrad::fail("forecast", "column '", name, "': '", column[0],
                     "' could be day/month or month/day, and both give steps as even: write the "
                     "dates as 2016-07-01");
  Dates dates = std::move(*regular);
  std::size_t repeated = 0;
  for (std::size_t i = 1; i < dates.times.size(); ++i) {
    repeated += dates.times[i] == dates.times[i - 1];
    if (dates.times[i] < dates.times[i - 1])
      axisgrad::fail("forecast", "column '", name, "', row ", i + 1, ": '", column[i],
                     "' lies before the row above: sort the table by time");
  }
  if (repeated > 0)
    dates.notes.push_back(std::to_string(repeated) + " dates are those of the row above");
  if (const std::size_t n = irregular(dates); n > repeated)
    dates.notes.push_back(std::to_string(n - repeated) + " steps between dates are not " +
                          dates.step_text() +
                          ": windows reach across these gaps as if there were none");
  return dates;
}

}  // namespace forecast
