#include <algorithm>
#include <chrono>
#include <optional>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/data/dates.hpp>

namespace axisgrad {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

using Micros = std::vector<std::int64_t>;

year_month_day date_of(std::int64_t at) {
  const auto whole = at / micros_of_day;
  return sys_days(days(whole - (at < whole * micros_of_day)));
}
int month_number(const year_month_day& d) {
  return static_cast<int>(d.year()) * 12 + static_cast<int>(static_cast<unsigned>(d.month())) - 1;
}
day last_day(const year_month_day& d) { return (d.year() / d.month() / std::chrono::last).day(); }

// The same day so many months on; the last of the month where it has no such day, or ends are
// meant.
std::int64_t months_on(std::int64_t at, int count, bool month_ends) {
  const year_month_day d = date_of(at);
  const auto time = at - sys_days(d).time_since_epoch().count() * micros_of_day;
  year_month_day next = d + std::chrono::months(count);
  if (month_ends || !next.ok()) next = next.year() / next.month() / last_day(next);
  return sys_days(next).time_since_epoch().count() * micros_of_day + time;
}

std::int64_t after(std::int64_t at, const DateStep& step, Size count) {
  return step.months ? months_on(at, step.months * static_cast<int>(count), step.month_ends)
                     : at + step.micros * count;
}

// What explains the most rows, and how many.
std::pair<DateStep, std::size_t> best_step(const Micros& at) {
  // Months first: 2018, 2019 and 2020 are also 365 days apart, and what follows is no leap year's
  // last day.
  const int apart = month_number(date_of(at[1])) - month_number(date_of(at[0]));
  std::vector<DateStep> possible{{.micros = at[1] - at[0]}};
  if (apart > 0) possible = {{.months = apart}, {.months = apart, .month_ends = true}, possible[0]};
  std::pair<DateStep, std::size_t> best{possible.back(), 0};
  for (const DateStep& step : possible) {
    const year_month_day first = date_of(at[0]);
    if (step.month_ends && first.day() != last_day(first)) continue;
    std::size_t k = 1;
    while (k < at.size() && at[k] == after(at[0], step, static_cast<Size>(k))) ++k;
    if (k > best.second) best = {step, k};
  }
  return best;
}

bool is_even(const Micros& at) {
  return at.size() < 2 || (at[1] > at[0] && best_step(at).second == at.size());
}

// A column read by one form, or how far it could be read.
struct Reading {
  DateForm form;
  Dates dates{};
  Micros offsets{};

  explicit Reading(DateForm f) : form(std::move(f)) { dates.pattern = form.pattern(); }

  void read(const std::vector<std::string>& cells) {
    bool bare_hour = false, padded_hour = false;
    const bool zones = form.pattern().find('z') != std::string::npos;
    dates.at.reserve(cells.size());
    for (const std::string& text : cells) {
      const auto cell = form.read(text);
      if (!cell) return;
      dates.at.push_back(cell->at);
      DateStyle& style = dates.style;
      style.fraction = std::max(style.fraction, cell->fraction);
      style.bare_days = style.bare_days || cell->bare_day;
      bare_hour = bare_hour || cell->bare_hour, padded_hour = padded_hour || cell->padded_hour;
      if (!zones) continue;
      offsets.push_back(cell->offset);
      if (!cell->offset_text.empty()) dates.style.offset = cell->offset_text;
    }
    // Neither is seen in a table of noons; 12 PM is followed by 1 PM, 12:00 by 13:00.
    const bool half = form.pattern().find('I') != std::string::npos;
    dates.style.bare_hours = !padded_hour && (bare_hour || half);
    one_clock();
  }

 private:
  // Rows an hour apart have equal steps in UTC, rows a day apart by the clock on the wall.
  void one_clock() {
    if (std::adjacent_find(offsets.begin(), offsets.end(), std::not_equal_to<>()) == offsets.end())
      return;
    Micros utc = dates.at;
    for (std::size_t i = 0; i < utc.size(); ++i) utc[i] += offsets.back() - offsets[i];
    if (is_even(utc) || !is_even(dates.at)) dates.at = std::move(utc);
  }
};

std::string place(std::size_t row, const DateOptions& options) {
  return options.lines ? "line " + std::to_string((*options.lines)[row])
                       : "row " + std::to_string(row + 1);
}

bool has_order(const DateForm& form, const std::string& order) {
  return order.empty() || form.order().empty() || form.order() == order;
}

// The forms that the first cell fits, or the longest one, which shows the time where midnights are
// days alone.
std::vector<DateForm> possible_forms(const std::vector<std::string>& cells,
                                     const std::string& order) {
  const auto longest = std::max_element(cells.begin(), cells.end(),
                                        [](auto& a, auto& b) { return a.size() < b.size(); });
  std::vector<DateForm> forms = date_forms(*longest);
  for (DateForm& form : date_forms(cells[0]))
    if (std::none_of(forms.begin(), forms.end(),
                     [&](const DateForm& f) { return f.pattern() == form.pattern(); }))
      forms.push_back(std::move(form));
  forms.erase(std::remove_if(forms.begin(), forms.end(),
                             [&](const DateForm& f) { return !has_order(f, order); }),
              forms.end());
  return forms;
}

[[noreturn]] void refuse(const std::vector<std::string>& cells, std::size_t row,
                         std::string_view column, const DateOptions& options) {
  const std::string where = "the column '" + std::string(column) + "', " + place(row, options);
  const std::string& cell = cells[row];
  if (cell.empty()) fail("dates", where, ": the date is missing");
  if (!options.order.empty() && !date_forms(cell).empty())
    fail("dates", where, ": '", cell, "' is not a date in the order ", options.order,
         " (d day, m month)");
  if (row > 0)
    fail("dates", where, ": '", cell, "' is not a date in the form of those above it ('", cells[0],
         "')");
  fail("dates", where, ": '", cell, "' is not a date in any form known (as 2016-07-01 02:00)");
}

// Of readings that say different things the one that a table would have; none when several may be.
template <class F>
const Reading* only(const std::vector<Reading>& all, const F& holds) {
  const Reading* found = nullptr;
  for (const Reading& r : all)
    if (holds(r.dates.at)) {
      if (found) return nullptr;
      found = &r;
    }
  return found;
}

}  // namespace

bool looks_like_date(std::string_view cell) { return !date_forms(cell).empty(); }

bool looks_like_time(std::string_view cell) {
  const bool half = !cell.empty() && (cell.back() | 32) == 'm';
  return (cell.find(':') != cell.npos || std::count(cell.begin(), cell.end(), '.') == 2 || half) &&
         looks_like_date("2000-01-01 " + std::string(cell));
}

Dates read_dates(const std::vector<std::string>& cells, std::string_view column,
                 const DateOptions& options) {
  if (cells.empty()) fail("dates", "the column '", column, "' has no rows");
  std::vector<Reading> fitting;
  std::size_t furthest = 0;
  for (DateForm& form : possible_forms(cells, options.order)) {
    Reading reading(std::move(form));
    reading.read(cells);
    furthest = std::max(furthest, reading.dates.at.size());
    const bool said = std::any_of(fitting.begin(), fitting.end(), [&](const Reading& other) {
      return other.dates.at == reading.dates.at;
    });
    if (reading.dates.at.size() == cells.size() && !said) fitting.push_back(std::move(reading));
  }
  if (fitting.empty()) refuse(cells, furthest, column, options);
  if (fitting.size() == 1) return std::move(fitting[0].dates);
  const auto rises = [](const Micros& at) { return std::is_sorted(at.begin(), at.end()); };
  for (const Reading* r : {only(fitting, rises), only(fitting, is_even)})
    if (r) return r->dates;
  fail("dates", "the column '", column, "': is '", cells[0], "' written as ",
       fitting[0].dates.pattern, " or as ", fitting[1].dates.pattern,
       " (d day, m month)? No row tells; write 2016-07-01", options.advice);
}

DateStep regular_step(const Dates& dates, std::string_view column) {
  const auto& at = dates.at;
  if (at.size() < 2) fail("dates", "the column '", column, "' needs two rows to have a step");
  if (at[1] <= at[0])
    fail("dates", "the column '", column, "' must rise, but '", dates.written(at[0]),
         "' is followed by '", dates.written(at[1]), "'");
  const auto [step, rows] = best_step(at);
  if (rows == at.size()) return step;
  fail("dates", "the column '", column, "' has no regular step: row ", rows + 1, ", '",
       dates.written(at[rows]), "', does not follow '", dates.written(at[rows - 1]),
       "' as the rows above do");
}

std::vector<std::string> continued(const Dates& dates, const DateStep& step, Size n) {
  std::vector<std::string> next;
  const auto rows = static_cast<Size>(dates.at.size());
  // By the calendar from the first row on: the 31st comes back after a shorter month.
  for (Size k = 1; k <= n; ++k)
    next.push_back(dates.written(step.months ? after(dates.at[0], step, rows - 1 + k)
                                             : after(dates.at.back(), step, k)));
  return next;
}

}  // namespace axisgrad
