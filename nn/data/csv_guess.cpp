#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include <axisgrad/nn/data/csv_number.hpp>
#include <axisgrad/nn/data/csv_sample.hpp>
#include <axisgrad/nn/data/dates.hpp>
#include <axisgrad/nn/data/text_encoding.hpp>

namespace axisgrad {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 18;
constexpr std::size_t most_rows = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool named_as_time(std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  constexpr std::array parts{"time", "date", "epoch", "unix", "month", "period", "zeit", "datum"};
  return name == "t" || name == "ts" || std::any_of(parts.begin(), parts.end(), [&](auto part) {
           return name.find(part) != std::string::npos;
         });
}

// What the cells of a column are; missing ones count for nothing.
struct Counts {
  std::size_t dates = 0, times = 0, digits = 0, others = 0;
};

Counts count(const CsvSample& sample, std::size_t column, NumberReader& number, bool named) {
  Counts n;
  const std::size_t end = std::min(sample.rows.size(), sample.first() + most_rows);
  for (std::size_t r = sample.first(); r < end; ++r) {
    const auto& cells = sample.rows[r].cells;
    if (column >= cells.size() || usually_missing(cells[column])) continue;
    const std::string& cell = cells[column];
    double ignored;
    // 20160701 is a number as well: a date where all of the column look like one.
    const bool whole = std::all_of(cell.begin(), cell.end(), is_digit);
    const bool numeric = !whole && number(cell, ignored) == std::errc();
    const bool month = whole && cell.size() == 6;  // 201607: a number, but for its column's name
    const bool date = !numeric && looks_like_date(cell) && (named || !month);
    ++(date ? n.dates : !numeric && looks_like_time(cell) ? n.times : n.others);
    n.digits += date && whole;
  }
  return n;
}

std::vector<std::string> names_of(const CsvSample& sample) {
  std::vector<std::string> names;
  if (!sample.rows.empty())
    for (const std::string& cell : sample.rows[0].cells)
      names.push_back(sample.header ? one_line(cell) : 'c' + std::to_string(names.size() + 1));
  return names;
}

bool holds_days(const CsvSample& sample, std::size_t column) {
  for (std::size_t r = sample.first(); r < sample.rows.size(); ++r) {
    const auto& cells = sample.rows[r].cells;
    if (column >= cells.size()) continue;
    const auto forms = date_forms(cells[column]);
    if (!forms.empty()) return forms[0].pattern().find_first_of("HI") == std::string::npos;
  }
  return false;
}

void find_dates(const CsvSample& sample, CsvGuess& guess) {
  CsvOptions& o = guess.options;
  NumberReader number(o.decimal, o.thousands);
  for (std::size_t c = 0; c < guess.names.size(); ++c) {
    const std::string& name = guess.names[c];
    // Most of them: a cell that is no date is then an error of read_dates, which names its place.
    const Counts n = count(sample, c, number, named_as_time(name));
    const std::size_t rest = n.others + n.times;
    const bool dates = n.dates > 9 * rest && (rest == 0 || n.digits == 0);
    const bool times = n.times > 9 * (n.others + n.dates);
    const bool again = std::find(o.text.begin(), o.text.end(), name) != o.text.end();
    if (dates && o.text.empty()) guess.days = holds_days(sample, c);
    if (dates && !again) o.text.push_back(name);
    if (times && !name.empty()) guess.times.push_back(name);
  }
}

// Since 1970, up to the years 1990 to 2100: seconds, milliseconds, microseconds or nanoseconds.
bool is_clock(double x) {
  for (double unit = 1; unit < 1e10; unit *= 1000)
    if (x >= 6.3e8 * unit && x <= 4.1e9 * unit) return true;
  return false;
}

void find_clocks(const CsvSample& sample, CsvGuess& guess) {
  NumberReader number(guess.options.decimal, guess.options.thousands);
  for (std::size_t c = 0; c < guess.names.size(); ++c) {
    const std::string& name = guess.names[c];
    const auto& text = guess.options.text;
    if (!named_as_time(name) || std::find(text.begin(), text.end(), name) != text.end()) continue;
    double before = 0, x = 0;
    bool clock = sample.rows.size() > sample.first();
    for (std::size_t r = sample.first(); clock && r < sample.rows.size(); ++r) {
      const auto& cells = sample.rows[r].cells;
      clock = c < cells.size() && number(cells[c], x) == std::errc() && is_clock(x) && x >= before;
      before = x;
    }
    if (clock) guess.clocks.push_back(name);
  }
}

}  // namespace

const std::vector<std::string>& usual_missing_words() {
  static const std::vector<std::string> words{
      "NA",      "N/A",     "n/a",   "#N/A", "NaN",  "nan",  "NAN",  "-nan",
      "<NA>",    "NaT",     "null",  "Null", "NULL", "None", "none", "NONE",
      "missing", "Missing", "\\N",   "n.a.", "N.A.", "k.A.", "nil",  "#VALUE!",
      "#DIV/0!", "#REF!",   "#NUM!", "?",    "-",    "--",   "---",  "."};
  return words;
}

CsvGuess guess_csv(std::string_view bytes) {
  bytes = bytes.substr(0, most_bytes);
  if (bytes.size() == most_bytes)  // whole lines
    bytes = bytes.substr(0, std::min(bytes.rfind('\n'), bytes.size() - 1) + 1);
  const DecodedText decoded = decode_text(bytes);
  std::string_view text = decoded.view(bytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const CsvSample sample = sample_csv(text);
  CsvGuess guess;
  CsvOptions& o = guess.options;
  o.separator = sample.separator;
  o.header = sample.header;
  if (!sample.rows.empty()) o.skip_lines = sample.rows[0].line - 1;
  guess.names = names_of(sample);
  find_signs(sample, guess);
  find_dates(sample, guess);
  find_clocks(sample, guess);
  o.missing_words = usual_missing_words();
  o.skip_nameless = true, o.skip_empty = true;
  return guess;
}

CsvGuess guess_csv_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes, '\0');
  if (!file || std::filesystem::is_directory(path))
    fail("read_csv", "cannot read '", path, "' to find out its form");
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return guess_csv(text);
}

}  // namespace axisgrad
