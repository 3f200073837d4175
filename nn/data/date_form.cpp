#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include <axisgrad/nn/data/date_form.hpp>

namespace axisgrad {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::size_t short_name = 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// What the letters of a pattern stand for.
struct Fields {
  int y = 1970, m = 1, d = 1, hour = 0, minute = 0, second = 0, quarter = 0;
  int half = -1;    // 0 AM, 1 PM
  int ignored = 0;  // the day of the week
  int micros = 0;
  DateCell cell{};
};

// Takes a number of `least` to `most` digits off the front; `bare` becomes true if it has fewer.
bool take_number(std::string_view& text, std::size_t least, std::size_t most, int& number,
                 bool* bare = nullptr) {
  std::size_t n = 0;
  number = 0;
  while (n < most && n < text.size() && is_digit(text[n])) number = 10 * number + (text[n++] - '0');
  text.remove_prefix(n);
  if (bare && n < most) *bare = true;
  return n >= least;
}

// A name, or its first letters; number is from 1 on.
template <std::size_t N>
bool take_name(std::string_view& text, const std::array<std::string_view, N>& names,
               std::size_t most, int& number) {
  for (std::size_t i = 0; i < N; ++i) {
    const std::string_view name = names[i].substr(0, most);
    if (!same_letters(text.substr(0, name.size()), name)) continue;
    number = static_cast<int>(i) + 1;
    text.remove_prefix(name.size());
    return true;
  }
  return false;
}

bool take_half(std::string_view& text, int& half) {
  if (text.size() < 2 || lower(text[1]) != 'm' || (lower(text[0]) != 'a' && lower(text[0]) != 'p'))
    return false;
  half = lower(text[0]) == 'p';
  text.remove_prefix(2);
  return true;
}

// ".5" or ",5"; nothing is zero. What a microsecond does not hold is not taken.
bool take_fraction(std::string_view& text, Fields& f) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !is_digit(text[1])) return true;
  text.remove_prefix(1);
  int digits = 0;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1), ++digits) {
    if (digits < 6)
      f.micros = 10 * f.micros + (text[0] - '0');
    else if (text[0] != '0')
      return false;
  }
  f.cell.fraction = std::min(digits, 6);
  for (; digits < 6; ++digits) f.micros *= 10;
  return true;
}

// Z, +02:00, +0200 or +02
bool take_offset(std::string_view& text, DateCell& cell) {
  const std::string_view begin = text;
  if (text.empty()) return false;
  const char sign = text[0];
  text.remove_prefix(1);
  if (lower(sign) != 'z') {
    int hours = 0, minutes = 0;
    if ((sign != '+' && sign != '-') || !take_number(text, 2, 2, hours)) return false;
    const bool colon = !text.empty() && text[0] == ':';
    if (colon) text.remove_prefix(1);
    if ((colon || !text.empty()) && !take_number(text, 2, 2, minutes)) return false;
    if (hours > 14 || minutes > 59) return false;
    cell.offset = (sign == '-' ? -60 : 60) * (60 * hours + minutes) * micros_of_second;
  }
  cell.offset_text = begin.substr(0, begin.size() - text.size());
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
      return take_number(text, 1, 2, f.m, &f.cell.bare_day);
    case 'q':
      return take_number(text, 1, 1, f.quarter) && f.quarter >= 1 && f.quarter <= 4;
    case 'b':
      return take_name(text, months, short_name, f.m);
    case 'B':
      return take_name(text, months, std::string_view::npos, f.m);
    case 'a':
      return take_name(text, weekdays, short_name, f.ignored);
    case 'A':
      return take_name(text, weekdays, std::string_view::npos, f.ignored);
    case 'd':
      return take_number(text, 1, 2, f.d, &f.cell.bare_day);
    case 'H':
    case 'I':
      f.cell.padded_hour = text.size() > 1 && text[0] == '0' && is_digit(text[1]);
      return take_number(text, 1, 2, f.hour, &f.cell.bare_hour);
    case 'M':
      return take_number(text, 2, 2, f.minute);
    case 'S':
      return take_number(text, 2, 2, f.second);
    case 'f':
      return take_fraction(text, f);
    case 'p':
      return take_half(text, f.half);
    case 'z':
      return take_offset(text, f.cell);
    default:
      if (text.empty() || text[0] != letter) return false;
      text.remove_prefix(1);
      return true;
  }
}

bool has(std::string_view pattern, char letter) { return pattern.find(letter) != pattern.npos; }

// Digits without separators have fixed places: two by two, and a year of our time, since other
// numbers are as long.
bool fits_compact(std::string_view cell, std::ptrdiff_t least) {
  const auto digits = std::find_if_not(cell.begin(), cell.end(), is_digit) - cell.begin();
  return digits >= least && digits <= 14 && digits % 2 == 0 && cell.substr(0, 2) >= "19" &&
         cell.substr(0, 4) <= "2100";
}

// What most cells of a table are: told at once.
bool is_plain_number(std::string_view cell) {
  if (cell[0] == '-' || cell[0] == '+') return true;
  const auto digits = std::count_if(cell.begin(), cell.end(), is_digit);
  const auto signs = std::count(cell.begin(), cell.end(), '.') + (cell[0] == '.');
  return digits == 0 || (signs == 1 && digits + 1 == static_cast<std::ptrdiff_t>(cell.size()));
}

std::size_t time_of(std::string_view pattern) {
  std::size_t at = pattern.find_first_of("HI");
  if (at == pattern.npos) return pattern.size();
  while (at > 0 && std::string_view(" ,T").find(pattern[at - 1]) != std::string_view::npos) --at;
  return at;
}

std::string padded(int n, int digits = 2) {
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%0*d", digits, n);
  return buffer.data();
}

constexpr std::array date_parts{
    "Y-m-d",     "Y/m/d", "Y.m.d", "Ymd",   "Ym",     "d.m.Y",  "m/d/Y", "d/m/Y", "d-m-Y",
    "m-d-Y",     "d b Y", "d B Y", "d-b-Y", "b d, Y", "B d, Y", "b d Y", "B d Y", "Y-b-d",
    "a, d b Y",  "d.m.y", "m/d/y", "d/m/y", "y/m/d",  "d-m-y",  "m-d-y", "y-m-d", "d-b-y",
    "A, B d, Y", "Y m d", "Y-m",   "Y/m",   "m/Y",    "Y m",    "b Y",   "B Y",   "b-Y",
    "b-y",       "YQq",   "Y-Qq",  "Y Qq",  "Qq Y"};

const std::vector<std::string>& time_parts() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made{""};
    for (const std::string separator : {" ", "T", ", "})
      for (const std::string time : {"H:M:Sf", "H:M"})
        for (const std::string zone : {"", "z", " z", " UTC"})
          made.emplace_back(separator).append(time).append(zone);
    for (const std::string separator : {" ", ", "})
      for (const std::string time : {"I:M p", "I:M:S p", "I:Mp", "I:M:Sp", "I p", "Ip"})
        made.push_back(separator + time);
    for (const char* time :
         {" H", " HM", " HMS", " H.M", " H.M.S", "THMSf", "THM", "THMSfz", "THMz"})
      made.emplace_back(time);
    return made;
  }();
  return all;
}

}  // namespace

DateForm::DateForm(std::string pattern) : pattern_(std::move(pattern)), time_(time_of(pattern_)) {}

std::optional<DateCell> DateForm::read(std::string_view text) const {
  if (pattern_.starts_with("Ym") && !fits_compact(text, pattern_ == "Ym" ? 6 : 8)) return {};
  Fields f;
  for (std::size_t i = 0; i < pattern_.size(); ++i) {
    if (text.empty() && i == time_) break;
    if (!take(text, pattern_[i], f)) return {};
  }
  if (f.quarter > 0) f.m = 3 * f.quarter - 2;
  const year_month_day date{year(f.y), month(static_cast<unsigned>(f.m)),
                            day(static_cast<unsigned>(f.d))};
  if (!text.empty() || !date.ok() || f.minute > 59 || f.second > 59) return {};
  if (f.half >= 0) {
    if (f.hour < 1 || f.hour > 12) return {};
    f.hour = f.hour % 12 + 12 * f.half;
  }
  if (f.hour > 24 || (f.hour == 24 && (f.minute || f.second || f.micros))) return {};
  f.cell.at = sys_days(date).time_since_epoch().count() * micros_of_day +
              (f.hour * 3600 + f.minute * 60 + f.second) * micros_of_second + f.micros;
  return f.cell;
}

std::string DateForm::write(std::int64_t at, const DateStyle& style) const {
  auto whole = at / micros_of_day;
  whole -= at < whole * micros_of_day;
  const sys_days date{days(whole)};
  const year_month_day d = date;
  const std::int64_t rest = at - whole * micros_of_day, second = rest / micros_of_second;
  const auto m = static_cast<unsigned>(d.month()) - 1;
  const int y = static_cast<int>(d.year()), hour = static_cast<int>(second / 3600);
  const std::string_view weekday = weekdays[std::chrono::weekday(date).c_encoding()];
  std::string text;
  for (const char letter : pattern_) switch (letter) {
      case 'Y':
        text += padded(y, 4);
        break;
      case 'y':
        text += padded(y % 100);
        break;
      case 'm':
        text += padded(static_cast<int>(m) + 1, style.bare_days ? 1 : 2);
        break;
      case 'q':
        text += std::to_string(m / 3 + 1);
        break;
      case 'b':
        text += months[m].substr(0, short_name);
        break;
      case 'B':
        text += months[m];
        break;
      case 'a':
        text += weekday.substr(0, short_name);
        break;
      case 'A':
        text += weekday;
        break;
      case 'd':
        text += padded(static_cast<int>(static_cast<unsigned>(d.day())), style.bare_days ? 1 : 2);
        break;
      case 'H':
        text += padded(hour, style.bare_hours ? 1 : 2);
        break;
      case 'I':
        text += padded((hour + 11) % 12 + 1, style.bare_hours ? 1 : 2);
        break;
      case 'M':
        text += padded(static_cast<int>(second / 60 % 60));
        break;
      case 'S':
        text += padded(static_cast<int>(second % 60));
        break;
      case 'f':
        if (style.fraction > 0)
          text += '.' + padded(static_cast<int>(rest % micros_of_second), 6)
                            .substr(0, static_cast<std::size_t>(style.fraction));
        break;
      case 'p':
        text += hour < 12 ? "AM" : "PM";
        break;
      case 'z':
        text += style.offset;
        break;
      default:
        text += letter;
    }
  return text;
}

std::string DateForm::order() const {
  std::string letters;
  for (const char c : pattern_.substr(0, time_))
    if (c == 'Y' || c == 'y' || c == 'm' || c == 'd') letters += c;
  if (letters.size() != 3 || letters[0] == 'Y') return "";
  letters[letters.find_first_of("Yy")] = 'y';
  return letters;
}

std::vector<DateForm> date_forms(std::string_view cell) {
  std::vector<DateForm> all;
  if (cell.size() < 6 || is_plain_number(cell)) return all;
  const auto add = [&](const std::string& pattern) {
    DateForm form(pattern);
    // A day alone fits the pattern without a time.
    if (form.read(cell)) all.push_back(std::move(form));
  };
  for (const std::string date : date_parts) {
    Fields f;
    std::string_view rest = cell;
    if (!std::all_of(date.begin(), date.end(), [&](char c) { return take(rest, c, f); })) continue;
    if (rest.empty())
      add(date);
    else if (date == "Ymd" && is_digit(rest[0]))
      for (const char* time : {"H", "HM", "HMS"}) add(date + time);
    else if (has(date, 'd'))
      for (const std::string& time : time_parts())
        if (!time.empty() && time[0] == rest[0]) add(date + time);
  }
  return all;
}

}  // namespace axisgrad
