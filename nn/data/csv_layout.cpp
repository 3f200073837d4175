// How a CSV file is written: told from its first lines, before it is read.
#include <algorithm>

#include <axisgrad/nn/data/table.hpp>

namespace axisgrad {
namespace {

constexpr std::size_t most_lines = 1000;

// The cells of the first lines under a separator; quotes hide separators and newlines.
std::vector<std::vector<std::string>> cells(std::string_view text, char separator) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false;
  for (const char c : text) {
    std::string& cell = lines.back().back();
    if (c == '"')
      quoted = !quoted;
    else if (quoted || (c != separator && c != '\n'))
      cell += c;
    else if (c == separator)
      lines.back().emplace_back();
    else if (lines.size() == most_lines)
      return lines;
    else
      lines.push_back({""});
  }
  return lines;
}

void trim(std::string& cell) {
  const auto first = cell.find_first_not_of(" \t\r");
  cell = first == cell.npos ? "" : cell.substr(first, cell.find_last_not_of(" \t\r") - first + 1);
}

// digits, points among them, one comma, digits
bool has_decimal_comma(const std::string& cell) {
  const std::size_t start = !cell.empty() && (cell[0] == '-' || cell[0] == '+');
  const auto comma = cell.find(',');
  if (comma == cell.npos || comma + 1 == cell.size()) return false;
  return cell.find_first_not_of("0123456789.", start) == comma &&
         cell.find_first_not_of("0123456789eE+-", comma + 1) == cell.npos;
}

}  // namespace

CsvLayout detect_csv(std::string_view text, std::string_view source) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  if (text.find_first_not_of(" \t\r\n") == text.npos) fail("read_csv", source, " is empty");
  // The separator in the line of names that most of the other lines have as often.
  CsvLayout layout{',', false, {}, {}};
  std::vector<std::vector<std::string>> best;
  std::size_t best_votes = 0;
  for (const char separator : {',', ';', '\t', '|'}) {
    auto lines = cells(text, separator);
    const std::size_t width = lines[0].size();
    const auto votes = width == 1 ? 0
                                  : static_cast<std::size_t>(std::count_if(
                                        lines.begin(), lines.end(),
                                        [&](const auto& line) { return line.size() == width; }));
    if (!best.empty() && votes <= best_votes) continue;
    best = std::move(lines), best_votes = votes, layout.separator = separator;
  }
  for (auto& line : best)
    for (std::string& cell : line) trim(cell);
  layout.names = best[0];
  if (best.size() > 1) layout.first_row = best[1];
  layout.decimal_comma =
      layout.separator != ',' && std::any_of(best.begin(), best.end(), [](const auto& line) {
        return std::any_of(line.begin(), line.end(), has_decimal_comma);
      });
  return layout;
}

}  // namespace axisgrad
