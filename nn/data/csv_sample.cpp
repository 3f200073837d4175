#include <algorithm>
#include <map>

#include <axisgrad/nn/data/csv_number.hpp>
#include <axisgrad/nn/data/csv_sample.hpp>

namespace axisgrad {
namespace {

using Row = CsvSampleRow;

constexpr std::size_t most_rows = 1000;

// Without spaces around it, and with plain signs within: U+00A0, U+202F and U+2009 stand between
// thousands as a space does, U+2019 as an apostrophe, U+2212 is a minus.
void tidy(std::string& cell) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  const auto plain = [&](std::string_view sign, char c) {
    for (auto at = cell.find(sign); at != cell.npos; at = cell.find(sign))
      cell.replace(at, sign.size(), 1, c);
  };
  if (std::any_of(cell.begin(), cell.end(), [](char c) { return (c & 0x80) != 0; })) {
    for (const char* space : {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"}) plain(space, ' ');
    plain("\xE2\x80\x99", '\''), plain("\xE2\x88\x92", '-');
  }
  while (!cell.empty() && blank(cell.back())) cell.pop_back();
  cell.erase(cell.begin(), std::find_if_not(cell.begin(), cell.end(), blank));
}

// The first lines cut at a separator, as the reader would.
std::vector<Row> rows_of(std::string_view text, char separator) {
  std::vector<Row> rows;
  Row row{1, {""}};
  Size line = 1;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size() && rows.size() < most_rows; ++k) {
    const char c = text[k];
    line += c == '\n';
    if (c == '"')
      quoted = !quoted;  // a doubled one closes and opens again
    else if (quoted || (c != separator && c != '\n'))
      row.cells.back() += c;
    else if (c == separator)
      row.cells.emplace_back();
    else
      rows.push_back(std::exchange(row, {line, {""}}));
  }
  if (rows.size() < most_rows && (row.cells.size() > 1 || !row.cells[0].empty()))
    rows.push_back(row);
  for (Row& r : rows)
    for (std::string& cell : r.cells) tidy(cell);
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [](const Row& r) { return r.cells.size() == 1 && r.cells[0].empty(); }),
             rows.end());
  return rows;
}

// A number may have either decimal sign here.
bool has_names(const Row& row) {
  NumberReader point, comma(',', '.');
  return holds_names(row.cells, point) && holds_names(row.cells, comma);
}

// Below a title everything has to look like a name: else it is a row of numbers as well.
bool has_names_only(const Row& row) {
  return std::all_of(row.cells.begin(), row.cells.end(), [](const std::string& cell) {
    return has_names({1, {cell}});
  });
}

// How well a separator cuts the rows.
struct Cut {
  CsvSample sample;
  std::size_t agree = 0;  // rows of the most common width; 0 when that is one cell
};

Cut cut(std::string_view text, char separator) {
  Cut c{{separator, rows_of(text, separator), true}, 0};
  std::vector<Row>& rows = c.sample.rows;
  std::map<std::size_t, std::size_t> widths;
  for (const Row& r : rows) ++widths[r.cells.size()];
  const auto most = std::max_element(widths.begin(), widths.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  if (most == widths.end() || most->first == 1) return c;
  const std::size_t width = most->first;
  // A separator at the end of these lines need not stand behind the names, too.
  const bool open = std::all_of(rows.begin(), rows.end(), [&](const Row& r) {
    return r.cells.size() != width || r.cells.back().empty();
  });
  const auto fits = [&](const Row& r) {
    return r.cells.size() == width || (open && r.cells.size() + 1 == width);
  };
  c.agree = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), fits));
  // What stands above the names has another width; names that are too few are no title.
  const auto head = std::find_if(rows.begin(), rows.end(), fits);
  if (head != rows.begin() && has_names_only(*head))
    rows.erase(rows.begin(), head);
  else if (head != rows.begin() && rows[0].cells.size() == 1)
    c.agree = 0;
  return c;
}

}  // namespace

bool usually_missing(const std::string& cell) {
  const auto& words = usual_missing_words();
  return cell.empty() || std::find(words.begin(), words.end(), cell) != words.end();
}

std::string one_line(std::string_view cell) {
  std::string name;
  for (const char c : cell)
    if (c != '\r') name += c == '\n' ? ' ' : c;
  return name;
}

CsvSample sample_csv(std::string_view text) {
  CsvSample sample;
  // Written for Excel: the separator, said.
  if (text.starts_with("sep=") && text.size() > 5 && (text[5] == '\n' || text[5] == '\r')) {
    sample = {text[4], rows_of(text, text[4]), true};
    sample.rows.erase(sample.rows.begin());
  } else {
    // One column: a comma in its numbers is no separator.
    sample = {';', rows_of(text, ';'), true};
    std::size_t most = 0;
    for (const char separator : {'\t', ';', '|', ','}) {
      Cut c = cut(text, separator);
      if (c.agree > most) most = c.agree, sample = std::move(c.sample);
    }
  }
  sample.header = sample.rows.empty() || has_names(sample.rows[0]);
  return sample;
}

}  // namespace axisgrad
