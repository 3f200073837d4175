#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/data/dates.hpp>

namespace axisgrad {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::int64_t seconds_of_day = 86'400;
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What the letters of a pattern stand for.
struct Fields {
  int y = 1970, m = 1, d = 1, hour = 0, minute = 0, second = 0;
  int half = -1;  // 0 AM, 1 PM
};

// Takes a number of `least` to `most` digits off the front.
bool take_number(std::string_view& text, std::size_t least, std::size_t most, int& number) {
  std::size_t n = 0;
  number = 0;
  while (n < most && n < text.size() && is_digit(text[n])) number = 10 * number + (text[n++] - '0');
  text.remove_prefix(n);
  return n >= least;
}

bool take_month(std::string_view& text, int& number) {
  const auto at = std::find(months.begin(), months.end(), text.substr(0, 3));
  if (at == months.end()) return false;
  number = static_cast<int>(at - months.begin()) + 1;
  text.remove_prefix(3);
  return true;
}

bool take_half(std::string_view& text, int& half) {
  if (text.size() < 2 || (text[1] | 32) != 'm' || ((text[0] | 32) != 'a' && (text[0] | 32) != 'p'))
    return false;
  half = (text[0] | 32) == 'p';
  text.remove_prefix(2);
  return true;
}

bool take(std::string_view& text, char letter, Fields& f) {
  switch (letter) {
    case 'Y':
      return take_number(text, 4, 4, f.y);
    case 'y':
      if (!take_number(text, 2, 2, f.y)) return false;
      f.y += f.y < 69 ? 2000 : 1900;
      return true;
    case 'm':
      return take_number(text, 1, 2, f.m);
    case 'b':
      return take_month(text, f.m);
    case 'd':
      return take_number(text, 1, 2, f.d);
    case 'H':
    case 'I':
      return take_number(text, 1, 2, f.hour);
    case 'M':
      return take_number(text, 2, 2, f.minute);
    case 'S':
      return take_number(text, 2, 2, f.second);
    case 'p':
      return take_half(text, f.half);
    default:
      if (text.empty() || text[0] != letter) return false;
      text.remove_prefix(1);
      return true;
  }
}

// The seconds that a cell says by this pattern; none when it does not fit or is no day or time.
std::optional<std::int64_t> read(std::string_view text, std::string_view pattern) {
  Fields f;
  for (const char letter : pattern)
    if (!take(text, letter, f)) return {};
  const year_month_day date{year(f.y), month(static_cast<unsigned>(f.m)),
                            day(static_cast<unsigned>(f.d))};
  if (!text.empty() || !date.ok() || f.minute > 59 || f.second > 59) return {};
  if (f.half >= 0) {
    if (f.hour < 1 || f.hour > 12) return {};
    f.hour = f.hour % 12 + 12 * f.half;
  }
  if (f.hour > 23) return {};
  return sys_days(date).time_since_epoch().count() * seconds_of_day + f.hour * 3600 +
         f.minute * 60 + f.second;
}

// Every pattern there is, those that are more likely first.
const std::vector<std::string>& patterns() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made;
    for (const char* date : {"Y-m-d", "Y/m/d", "d.m.Y", "m/d/Y", "d/m/Y", "d-m-Y", "m-d-Y", "d b Y",
                             "d-b-Y", "b d, Y", "d.m.y", "m/d/y", "d/m/y", "Y-m", "Y/m", "b Y"})
      for (const char* time : {"", " H:M:S", " H:M", "TH:M:S", "TH:M", "TH:M:SZ", "TH:MZ",
                               " H:M:SZ", " I:M p", " I:M:S p", " I:Mp"})
        made.push_back(std::string(date) + time);
    return made;
  }();
  return all;
}

// 20160701, and with a time behind it: here the numbers have no separators between them, so that
// their digits are fixed.
std::string spelled_out(std::string_view cell) {
  const auto digits = std::find_if_not(cell.begin(), cell.end(), is_digit) - cell.begin();
  if (digits != 8) return std::string(cell);
  std::string text(cell);
  return text.insert(6, "-").insert(4, "-");
}

bool rises(const std::vector<std::int64_t>& seconds) {
  return std::adjacent_find(seconds.begin(), seconds.end(), std::greater_equal<>()) ==
         seconds.end();
}

year_month_day date_of(std::int64_t seconds) {
  const auto whole =
      seconds >= 0 ? seconds / seconds_of_day : (seconds - seconds_of_day + 1) / seconds_of_day;
  return sys_days(days(whole));
}
int month_number(const year_month_day& d) {
  return static_cast<int>(d.year()) * 12 + static_cast<int>(static_cast<unsigned>(d.month())) - 1;
}
day last_day(const year_month_day& d) { return (d.year() / d.month() / std::chrono::last).day(); }

std::string written(std::int64_t seconds, std::string_view pattern) {
  const year_month_day d = date_of(seconds);
  const auto rest =
      static_cast<int>(seconds - sys_days(d).time_since_epoch().count() * seconds_of_day);
  const int y = static_cast<int>(d.year()), hour = rest / 3600;
  std::string text;
  const auto number = [&](int n, int digits) {
    std::array<char, 16> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%0*d", digits, n);
    text += buffer.data();
  };
  for (const char letter : pattern) switch (letter) {
      case 'Y':
        number(y, 4);
        break;
      case 'y':
        number(y % 100, 2);
        break;
      case 'm':
        number(static_cast<int>(static_cast<unsigned>(d.month())), 2);
        break;
      case 'b':
        text += months[static_cast<unsigned>(d.month()) - 1];
        break;
      case 'd':
        number(static_cast<int>(static_cast<unsigned>(d.day())), 2);
        break;
      case 'H':
        number(hour, 2);
        break;
      case 'I':
        number((hour + 11) % 12 + 1, 1);
        break;
      case 'M':
        number(rest / 60 % 60, 2);
        break;
      case 'S':
        number(rest % 60, 2);
        break;
      case 'p':
        text += hour < 12 ? "AM" : "PM";
        break;
      default:
        text += letter;
    }
  return text;
}

// The same day so many months on; the last of the month where it has no such day, or ends are
// meant.
std::int64_t months_on(std::int64_t seconds, int count, bool month_ends) {
  const year_month_day d = date_of(seconds);
  const auto time = seconds - sys_days(d).time_since_epoch().count() * seconds_of_day;
  year_month_day next = d + std::chrono::months(count);
  if (month_ends || !next.ok()) next = next.year() / next.month() / last_day(next);
  return sys_days(next).time_since_epoch().count() * seconds_of_day + time;
}

std::int64_t after(std::int64_t seconds, const DateStep& step, Size count) {
  return step.months ? months_on(seconds, step.months * static_cast<int>(count), step.month_ends)
                     : seconds + step.seconds * count;
}

}  // namespace

bool looks_like_date(std::string_view cell) {
  const std::string text = spelled_out(cell);
  return std::any_of(patterns().begin(), patterns().end(),
                     [&](const std::string& p) { return read(text, p).has_value(); });
}

Dates read_dates(const std::vector<std::string>& cells, std::string_view column) {
  if (cells.empty()) fail("dates", "the column '", column, "' has no rows");
  const bool compact = spelled_out(cells[0]) != cells[0];
  std::vector<Dates> fitting;
  std::size_t furthest = 0;
  for (const std::string& pattern : patterns()) {
    Dates dates{{}, pattern};
    for (const std::string& cell : cells) {
      const auto seconds = read(compact ? spelled_out(cell) : cell, pattern);
      if (!seconds) break;
      dates.seconds.push_back(*seconds);
    }
    furthest = std::max(furthest, dates.seconds.size());
    if (dates.seconds.size() == cells.size()) fitting.push_back(std::move(dates));
  }
  if (fitting.empty())
    fail("dates", "the column '", column, "', row ", furthest + 1, ": '", cells[furthest],
         furthest ? "' is not a date in the form of those above it ('" + cells[0] + "')"
                  : "' is not a date in any form known (as 2016-07-01 02:00)");
  const auto rising = [](const Dates& d) { return rises(d.seconds); };
  if (fitting.size() > 1 && std::count_if(fitting.begin(), fitting.end(), rising) == 1)
    return *std::find_if(fitting.begin(), fitting.end(), rising);
  for (const Dates& other : fitting)
    if (other.seconds != fitting[0].seconds)
      fail("dates", "the column '", column, "': is '", cells[0], "' written as ",
           fitting[0].pattern, " or as ", other.pattern,
           " (d day, m month)? No row tells; write 2016-07-01");
  if (compact)  // as it was: 2016-07-01 stands for it
    fitting[0].pattern.erase(
        std::remove(fitting[0].pattern.begin(), fitting[0].pattern.begin() + 5, '-'),
        fitting[0].pattern.begin() + 5);
  return std::move(fitting[0]);
}

DateStep regular_step(const Dates& dates, std::string_view column) {
  const auto& s = dates.seconds;
  if (s.size() < 2) fail("dates", "the column '", column, "' needs two rows to have a step");
  if (s[1] <= s[0])
    fail("dates", "the column '", column, "' must rise, but '", written(s[0], dates.pattern),
         "' is followed by '", written(s[1], dates.pattern), "'");
  // Months first: 2018, 2019 and 2020 are also 365 days apart, and what follows is no leap year's
  // last day.
  const int apart = month_number(date_of(s[1])) - month_number(date_of(s[0]));
  std::vector<DateStep> possible{{.seconds = s[1] - s[0]}};
  if (apart > 0) possible = {{.months = apart}, {.months = apart, .month_ends = true}, possible[0]};
  std::size_t at = 0;  // the first row that none explains
  for (const DateStep& step : possible) {
    const year_month_day first = date_of(s[0]);
    if (step.month_ends && first.day() != last_day(first)) continue;
    std::size_t k = 1;
    while (k < s.size() && s[k] == after(s[0], step, static_cast<Size>(k))) ++k;
    if (k == s.size()) return step;
    at = std::max(at, k);
  }
  fail("dates", "the column '", column, "' has no regular step: row ", at + 1, ", '",
       written(s[at], dates.pattern), "', does not follow '", written(s[at - 1], dates.pattern),
       "' as the rows above do");
}

std::vector<std::string> continued(const Dates& dates, const DateStep& step, Size n) {
  std::vector<std::string> next;
  const bool calendar = step.months != 0;
  const auto rows = static_cast<Size>(dates.seconds.size());
  for (Size k = 1; k <= n; ++k)
    next.push_back(written(calendar ? after(dates.seconds[0], step, rows - 1 + k)
                                    : after(dates.seconds.back(), step, k),
                           dates.pattern));
  return next;
}

}  // namespace axisgrad
