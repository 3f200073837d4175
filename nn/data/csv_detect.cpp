// What a table most likely means by its signs, from its first lines.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include <axisgrad/nn/data/csv_number.hpp>
#include <axisgrad/nn/data/dates.hpp>
#include <axisgrad/nn/data/table.hpp>

namespace axisgrad {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t most_lines = 200, most_bytes = std::size_t{1} << 18;

// Without spaces around it, and with plain ones within: U+00A0 and U+202F stand between thousands.
void tidy(std::string& cell) {
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t' || cell.back() == '\r'))
    cell.pop_back();
  cell.erase(0, cell.find_first_not_of(" \t"));
  for (const std::string_view space : {"\xC2\xA0", "\xE2\x80\xAF"})
    for (auto at = cell.find(space); at != cell.npos; at = cell.find(space)) {
      cell.erase(at, space.size() - 1);
      cell[at] = ' ';
    }
}

// The first lines cut at a separator, as the reader would; a line that is not complete is left out.
std::vector<Row> rows_of(std::string_view text, char separator) {
  std::vector<Row> rows;
  Row row(1);
  bool quoted = false;
  for (std::size_t k = 0; k < text.size() && rows.size() < most_lines; ++k) {
    const char c = text[k];
    if (c == '"')
      quoted = !quoted;  // a doubled one closes and opens again
    else if (quoted || (c != separator && c != '\n'))
      row.back() += c;
    else if (c == separator)
      row.emplace_back();
    else
      rows.push_back(std::exchange(row, Row(1)));
  }
  if (rows.size() < most_lines && (row.size() > 1 || !row[0].empty())) rows.push_back(row);
  for (Row& r : rows)
    for (std::string& cell : r) tidy(cell);
  return rows;
}

// The separator that cuts the most lines into as many cells as the first; the first of equals.
std::pair<char, std::vector<Row>> cut(std::string_view text) {
  std::pair<char, std::vector<Row>> best{',', rows_of(text, ',')};
  std::size_t most = 0;
  for (const char separator : {'\t', ';', '|', ','}) {
    auto rows = rows_of(text, separator);
    const std::size_t width = rows.empty() ? 1 : rows[0].size();
    const auto agree = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](const Row& r) { return r.size() == width; }));
    if (width > 1 && agree > most) most = agree, best = {separator, std::move(rows)};
  }
  return best;
}

bool is_missing(const std::string& cell) {
  const auto& words = usual_missing_words();
  return cell.empty() || std::find(words.begin(), words.end(), cell) != words.end();
}

// What the numbers say of a sign: that it is the decimal one, or stands between thousands.
struct Evidence {
  int decimal = 0, thousands = 0;
};

// Of '.' beside ',' and the other way round. "1.234" says nothing; "0.123" and "1.2" do, since no
// group is like that, and so do two signs of one kind, or one in front of the other.
void weigh(const std::string& cell, char sign, char other, Evidence& e) {
  const auto count = std::count(cell.begin(), cell.end(), sign);
  if (count == 0) return;
  const std::size_t at = cell.rfind(sign), beyond = cell.find(other);
  if (count > 1 || (beyond != std::string::npos && beyond > at)) {
    ++e.thousands;
    return;
  }
  const std::size_t begin = cell[0] == '-' || cell[0] == '+';
  const std::size_t behind =
      std::find_if_not(cell.begin() + static_cast<std::ptrdiff_t>(at) + 1, cell.end(),
                       [](unsigned char c) { return std::isdigit(c); }) -
      (cell.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  const bool group = behind == 3 && at > begin && at - begin <= 3 && cell[begin] != '0';
  e.decimal += !group || beyond != std::string::npos;
}

bool numeric_signs(const std::string& cell) {
  return cell.find_first_not_of("0123456789+-.,eE' ") == std::string::npos &&
         cell.find_first_of("0123456789") != std::string::npos;
}

void find_signs(const std::vector<Row>& rows, CsvOptions& o) {
  Evidence point, comma;
  bool only_comma = true, apostrophe = false, space = false;
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (const std::string& cell : rows[r]) {
      if (!numeric_signs(cell) || looks_like_date(cell)) continue;
      weigh(cell, '.', ',', point), weigh(cell, ',', '.', comma);
      only_comma = only_comma && cell.find('.') == std::string::npos;
      apostrophe = apostrophe || cell.find('\'') != std::string::npos;
      space = space || cell.find(' ') != std::string::npos;
    }
  const bool commas = comma.decimal > 0 && point.decimal == 0;
  if (commas || (o.separator != ',' && only_comma && point.decimal == 0 && comma.thousands == 0))
    o.decimal = ',';
  const Evidence& others = o.decimal == ',' ? point : comma;
  const char other = o.decimal == ',' ? '.' : ',';
  if (others.thousands > 0)
    o.thousands = other;
  else if (apostrophe)
    o.thousands = '\'';
  else if (space)
    o.thousands = ' ';
  else if (o.decimal == ',' && !only_comma)
    o.thousands = '.';
}

void find_dates(const std::vector<Row>& rows, CsvOptions& o) {
  NumberReader number(o.decimal, o.thousands);
  for (std::size_t c = 0; !rows.empty() && c < rows[0].size(); ++c) {
    // Most of them: a cell that is no date is then an error of read_dates, which names its row.
    std::size_t dates = 0, others = 0, digits_only = 0;
    for (std::size_t r = 1; r < rows.size(); ++r) {
      if (c >= rows[r].size() || is_missing(rows[r][c])) continue;
      double ignored;
      const bool digits = number(rows[r][c], ignored) == std::errc();
      // 20160701 is a number as well: a date where all of the column look like one.
      const bool date = looks_like_date(rows[r][c]) && (!digits || rows[r][c].size() == 8);
      ++(date ? dates : others);
      digits_only += date && digits;
    }
    if (dates > 9 * others && (others == 0 || digits_only == 0) && !rows[0][c].empty())
      o.text.push_back(rows[0][c]);
  }
}

}  // namespace

const std::vector<std::string>& usual_missing_words() {
  static const std::vector<std::string> words{
      "NA",   "N/A",     "n/a",     "#N/A",    "NaN", "nan", "NAN", "null", "NULL",
      "None", "missing", "Missing", "#VALUE!", "?",   "-",   "--",  "."};
  return words;
}

CsvOptions detect_csv(std::string_view text) {
  text = text.substr(0, most_bytes);
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  if (text.size() == most_bytes - 3 || text.size() == most_bytes)
    text = text.substr(0, text.rfind('\n') + 1);
  CsvOptions o;
  auto [separator, rows] = cut(text);
  // One column: a comma in its numbers is no separator.
  o.separator = separator;
  if (!rows.empty() && rows[0].size() == 1) o.separator = ';', rows = rows_of(text, ';');
  find_signs(rows, o);
  find_dates(rows, o);
  o.missing_words = usual_missing_words();
  o.skip_nameless = true;
  return o;
}

CsvOptions detect_csv_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes, '\0');
  if (!file || std::filesystem::is_directory(path))
    fail("read_csv", "cannot read '", path, "' to find out its form");
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return detect_csv(text);
}

}  // namespace axisgrad
