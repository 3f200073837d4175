#include "timeline.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <axisgrad/autograd/error.hpp>

namespace forecast {
namespace {

namespace ag = axisgrad;
using Cells = std::vector<std::string>;
using Moments = std::vector<std::int64_t>;

constexpr std::int64_t second = ag::micros_of_second, hour = 3600 * second, day = ag::micros_of_day;

std::string decimal(std::int64_t number, int decimals) {
  std::string text = std::to_string(number < 0 ? -number : number);
  const auto places = static_cast<std::size_t>(decimals);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  if (places > 0) text.insert(text.size() - places, ".");
  return (number < 0 ? "-" : "") + text;
}

// The cells as numbers without their decimal points; false when one is no number, or too long.
bool read_numbers(const Cells& cells, Moments& numbers, int& decimals) {
  const auto behind = [](const std::string& cell) {
    const auto point = cell.find('.');
    return point == cell.npos ? 0 : static_cast<int>(cell.size() - point) - 1;
  };
  for (const std::string& cell : cells) decimals = std::max(decimals, behind(cell));
  for (std::string digits : cells) {
    digits.append(static_cast<std::size_t>(decimals - behind(digits)), '0');
    if (const auto point = digits.find('.'); point != digits.npos) digits.erase(point, 1);
    const char* end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, numbers.emplace_back());
    if (error != std::errc() || rest != end) return false;
  }
  return true;
}

// 1e8 seconds are March 1973.
double unit_of(double clock) {
  if (clock < 1e8) return 0;
  for (const double micros : {1e6, 1e3, 1.})
    if (clock < 1e17 / micros) return micros;
  return 1e-3;
}

std::string place(std::size_t row, const ag::DateOptions& options) {
  return options.lines ? "line " + std::to_string((*options.lines)[row])
                       : "row " + std::to_string(row + 1);
}

// One kind of step that differs from the others: how many there are, and the first of them.
struct Odd {
  std::size_t count = 0, first = 0;
  void add(std::size_t row) {
    if (count++ == 0) first = row;
  }
};

// What a column says beside its most common step.
class Steps {
 public:
  Steps(const Timeline& t, const Cells& cells, const ag::DateOptions& options)
      : t_(t), cells_(cells), options_(options) {
    for (std::size_t i = 1; i < at().size(); ++i) ++counts_[at()[i] - at()[i - 1]];
  }

  bool all_equal() const { return counts_.size() == 1 && counts_.begin()->first > 0; }
  // Forward, unless more steps than any such are none at all.
  std::int64_t most_common() const {
    const auto rarer = [](auto& a, auto& b) { return a.second < b.second; };
    const auto most = std::max_element(counts_.upper_bound(0), counts_.end(), rarer);
    const auto none = counts_.find(0);
    const bool still = none != counts_.end();
    if (most == counts_.end() || (still && none->second > most->second)) return 0;
    return most->first;
  }

  // Clocks may go back; else the rows are not in order.
  void require_forward(std::int64_t step) const {
    const std::string where = "column '" + t_.column + "', ";
    if (counts_.rbegin()->first <= 0 && counts_.begin()->first < 0)
      ag::fail("forecast", where, "the newest row comes first (", place(1, options_), ": '",
               cells_[1], "' below '", cells_[0], "'): sort the table by time, the oldest first");
    for (std::size_t i = 1; i < at().size(); ++i)
      if (at()[i] < at()[i - 1] && !clock_put_back(i, step))
        ag::fail("forecast", where, place(i, options_), ": '", cells_[i],
                 "' lies before the row above, '", cells_[i - 1], "': sort the table by time");
    if (step > 0) return;
    std::size_t twice = 1;
    while (at()[twice] != at()[twice - 1]) ++twice;
    ag::fail("forecast", where, place(twice, options_), ": '", cells_[twice],
             "' again, and most dates occur more than once; is the time of the day in another "
             "column (--date-column ",
             t_.column, ",OTHER), or do several series stand below each other?");
  }

  Cells notes(std::int64_t step, const std::string& step_text) const {
    Odd twice, back, longer, shorter;
    for (std::size_t i = 1; i < at().size(); ++i) {
      const std::int64_t apart = at()[i] - at()[i - 1];
      if (apart != step)
        (clock_put_back(i, step) ? back
         : apart == 0            ? twice
         : apart > step          ? longer
                                 : shorter)
            .add(i);
    }
    Cells notes;
    const std::string all = std::to_string(at().size() - 1);
    const auto steps = [&](const Odd& odd, const std::string& what, const char* then) {
      if (odd.count > 0)
        notes.push_back(std::to_string(odd.count) + " of " + all + " steps between dates " +
                        (odd.count == 1 ? "is " : "are ") + what + " than " + step_text +
                        ", the first in " + place(odd.first, options_) + " ('" + cells_[odd.first] +
                        "' after '" + cells_[odd.first - 1] + "')" + then);
    };
    steps(longer, "longer", ": windows reach across these gaps as if there were none");
    steps(shorter, "shorter", ": windows take these rows as any other");
    if (twice.count > 0)
      notes.push_back(place(twice.first, options_) + ": '" + cells_[twice.first] +
                      "' occurs twice" + and_more(twice) +
                      "; windows take these rows as any other");
    if (back.count > 0)
      notes.push_back(place(back.first, options_) + ": '" + cells_[back.first] + "' follows '" +
                      cells_[back.first - 1] +
                      "', as clocks are put back at the end of daylight-saving time" +
                      and_more(back) + "; windows take these rows as any other");
    return notes;
  }

 private:
  const Moments& at() const { return t_.dates.at; }
  static std::string and_more(const Odd& odd) {
    return odd.count == 1 ? "" : ", and " + std::to_string(odd.count - 1) + " more like it";
  }
  // On a Sunday night in spring or autumn: 02:00 after 02:45, or after 02:00.
  bool clock_put_back(std::size_t row, std::int64_t step) const {
    if (t_.numbers || step <= 0 || step > hour || at()[row] - at()[row - 1] != step - hour)
      return false;
    const std::int64_t days = at()[row] / day;  // the first of 1970 was a Thursday
    const int month = std::stoi(ag::DateForm("m").write(at()[row]));
    return days % 7 == 3 && at()[row] % day <= 3 * hour &&
           (month == 3 || month == 4 || (month >= 9 && month <= 11));
  }

  const Timeline& t_;
  const Cells& cells_;
  const ag::DateOptions& options_;
  std::map<std::int64_t, std::size_t> counts_;
};

}  // namespace

std::int64_t Timeline::micros() const {
  return numbers ? std::llround(static_cast<double>(step.micros) * unit * std::pow(10., -decimals))
                 : step.micros;
}

std::string Timeline::step_text() const {
  const auto with = [](const std::string& n, const char* name) {
    return n + ' ' + name + (n == "1" ? "" : "s");
  };
  if (numbers && unit == 0) return with(decimal(step.micros, decimals), "count");
  if (step.months > 0)
    return step.months % 12 ? with(std::to_string(step.months), "month")
                            : with(std::to_string(step.months / 12), "year");
  struct Unit {
    std::int64_t micros;
    const char* name;
  };
  for (const auto [size, name] : {Unit{day, "day"},
                                  {hour, "hour"},
                                  {60 * second, "minute"},
                                  {second, "second"},
                                  {1000, "millisecond"}})
    if (micros() % size == 0) return with(std::to_string(micros() / size), name);
  return with(std::to_string(micros()), "microsecond");
}

std::int64_t Timeline::season() const {
  if (numbers && unit == 0) return 1;
  if (step.months > 0) return 12 % step.months ? 1 : 12 / step.months;
  const std::int64_t length = micros();
  if (length <= 0) return 1;
  if (length < day) return day % length ? 1 : day / length;
  return length == day ? 7 : 1;
}

std::vector<std::string> Timeline::next(std::int64_t rows) const {
  if (!numbers) return ag::continued(dates, step, rows);
  std::vector<std::string> next;
  for (std::int64_t k = 1; k <= rows; ++k)
    next.push_back(decimal(dates.at.back() + k * step.micros, decimals));
  return next;
}

Timeline read_timeline(const std::vector<std::string>& cells, const std::string& column,
                       const ag::DateOptions& options) {
  Timeline t{column, {}, {}};
  // 20160701 is a date.
  t.numbers = !ag::looks_like_date(cells.at(0)) && read_numbers(cells, t.dates.at, t.decimals);
  if (t.numbers)
    t.unit = unit_of(static_cast<double>(t.dates.at[0]) * std::pow(10., -t.decimals));
  else
    t.decimals = 0, t.dates = ag::read_dates(cells, column, options);
  if (cells.size() < 2) return t;
  const Steps steps(t, cells, options);
  const std::int64_t most = steps.most_common();
  steps.require_forward(most);
  if (steps.all_equal()) {
    t.step.micros = most;
    if (t.numbers || t.step.micros < 28 * day) return t;
  }
  // Months differ in length; what else has unequal steps is an error of regular_step.
  if (!t.numbers) try {
      t.step = ag::regular_step(t.dates, column);
      return t;
    } catch (const ag::Error&) {
    }
  t.step = {.micros = most};
  t.notes = steps.notes(most, t.step_text());
  return t;
}

}  // namespace forecast
