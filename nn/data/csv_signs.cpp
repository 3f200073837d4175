// Which sign is the decimal one, and which stands between thousands.
#include <algorithm>

#include <axisgrad/nn/data/csv_sample.hpp>
#include <axisgrad/nn/data/dates.hpp>

namespace axisgrad {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_numeric_signs(const std::string& cell) {
  return cell.find_first_not_of("0123456789+-.,eE' ") == std::string::npos &&
         std::any_of(cell.begin(), cell.end(), is_digit) && !looks_like_date(cell) &&
         !looks_like_time(cell);
}

// What the numbers say of a sign: that it is the decimal one, or stands between thousands, or
// either. 1.234 says nothing; 0.123 and 1.2 do, since no group is like that, and so do two signs of
// one kind, and one in front of the other.
struct Sign {
  char sign, other;
  CsvCell decimal{}, thousands{}, either{};
  Size decimals = 0;
  // Either, in a column that has whole numbers as well: all below 1000, or not.
  bool beside_small = false, beside_large = false;

  void weigh(const CsvCell& at) {
    const std::string& cell = at.text;
    const auto count = std::count(cell.begin(), cell.end(), sign);
    if (count == 0) return;
    const std::size_t place = cell.rfind(sign), beyond = cell.find(other);
    const std::size_t begin = cell[0] == '-' || cell[0] == '+';
    const auto behind = cell.begin() + static_cast<std::ptrdiff_t>(place) + 1;
    const auto end = std::find_if_not(behind, cell.end(), is_digit);
    const bool group = end - behind == 3 && (end == cell.end() || *end == other) && place > begin &&
                       place - begin <= 3 && cell[begin] != '0';
    CsvCell& says = count > 1 || (beyond != std::string::npos && beyond > place) ? thousands
                    : group && beyond == std::string::npos                       ? either
                                                                                 : decimal;
    decimals += &says == &decimal;
    if (says.text.empty()) says = at;
  }
};

bool said(const CsvCell& cell) { return !cell.text.empty(); }

// 980 beside 1.234: with three decimals it would be 980.000.
void look_at_columns(const CsvSample& sample, Sign& s) {
  if (!said(s.either)) return;
  const auto column = static_cast<std::size_t>(s.either.column - 1);
  bool small = false, large = false;
  for (std::size_t r = sample.first(); r < sample.rows.size(); ++r) {
    const auto& cells = sample.rows[r].cells;
    if (column >= cells.size() || cells[column].empty()) continue;
    const std::string& cell = cells[column];
    const std::size_t begin = cell[0] == '-' || cell[0] == '+';
    if (!std::all_of(cell.begin() + static_cast<std::ptrdiff_t>(begin), cell.end(), is_digit))
      continue;
    (cell.size() - begin > 3 ? large : small) = true;
  }
  s.beside_small = small && !large, s.beside_large = large;
}

char decimal_sign(const CsvSample& sample, const Sign& point, const Sign& comma, CsvGuess& guess) {
  if (said(point.decimal) || said(comma.decimal)) {
    const Sign& s = comma.decimals > point.decimals ? comma : point;
    guess.told = s.decimal;
    return s.sign;
  }
  if (said(point.thousands) != said(comma.thousands)) {
    const Sign& s = said(point.thousands) ? point : comma;
    guess.told = s.thousands;
    return s.other;
  }
  if (sample.separator == ',') {
    guess.unclear = comma.either;
    return '.';
  }
  guess.unclear = said(point.either) ? point.either : comma.either;
  guess.doubtful = said(point.either) ? point.beside_large : comma.beside_large;
  if (said(point.either)) return point.beside_small && !said(comma.either) ? ',' : '.';
  return comma.beside_small ? '.' : ',';
}

}  // namespace

void find_signs(const CsvSample& sample, CsvGuess& guess) {
  Sign point{'.', ','}, comma{',', '.'};
  bool apostrophe = false, space = false;
  for (std::size_t r = sample.first(); r < sample.rows.size(); ++r)
    for (std::size_t c = 0; c < sample.rows[r].cells.size(); ++c) {
      const std::string& cell = sample.rows[r].cells[c];
      if (!has_numeric_signs(cell)) continue;
      const CsvCell at{sample.rows[r].line, static_cast<Size>(c) + 1, cell};
      point.weigh(at), comma.weigh(at);
      apostrophe = apostrophe || cell.find('\'') != std::string::npos;
      space = space || cell.find(' ') != std::string::npos;
    }
  look_at_columns(sample, point), look_at_columns(sample, comma);
  CsvOptions& o = guess.options;
  o.decimal = decimal_sign(sample, point, comma, guess);
  const Sign& other = o.decimal == '.' ? comma : point;
  if (said(other.thousands) || (said(other.either) && !said(other.decimal)))
    o.thousands = other.sign;
  else if (apostrophe)
    o.thousands = '\'';
  else if (space)
    o.thousands = ' ';
  guess.signs = said(guess.told) || said(guess.unclear) || said(point.either) || said(comma.either);
}

}  // namespace axisgrad
