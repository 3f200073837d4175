#include <algorithm>
#include <charconv>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/data/csv_number.hpp>
#include <axisgrad/nn/data/dates.hpp>
#include <axisgrad/nn/data/table.hpp>

namespace axisgrad {
namespace {

constexpr std::string_view minus = "\xE2\x88\x92";  // U+2212, as word processors write it

// A sign + is read as well, as other tools write it.
std::errc plain_number(std::string_view cell, double& x) {
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  const auto [rest, error] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
  return rest == cell.data() + cell.size() ? error : std::errc::invalid_argument;
}

// The bytes of a thousands sign at the front of the text; a space may be one that does not break
// or is thin (U+00A0, U+202F, U+2009), an apostrophe the typographic one (U+2019).
std::size_t sign_at(std::string_view text, char thousands) {
  if (text.substr(0, 1) == std::string_view(&thousands, 1)) return 1;
  const std::string_view three = text.substr(0, 3);
  if (thousands == '\'') return three == "\xE2\x80\x99" ? 3 : 0;
  if (thousands != ' ') return 0;
  if (text.substr(0, 2) == "\xC2\xA0") return 2;
  return three == "\xE2\x80\xAF" || three == "\xE2\x80\x89" ? 3 : 0;
}

}  // namespace

NumberReader::NumberReader(char decimal, char thousands)
    : decimal_(decimal), thousands_(thousands) {
  const bool known =
      thousands == '\0' || std::string_view(".,' ").find(thousands) != std::string_view::npos;
  if ((decimal != '.' && decimal != ',') || !known || decimal == thousands)
    fail("read_csv",
         "the decimal sign must be '.' or ',' and the thousands sign none or another "
         "of \". , ' space\", got '",
         decimal, "' and '", thousands, "'");
}

std::errc NumberReader::operator()(std::string_view cell, double& x) {
  const bool simple = decimal_ == '.' && thousands_ == '\0';
  if (simple && !cell.starts_with(minus[0])) return plain_number(cell, x);
  return to_plain(cell) ? plain_number(plain_, x) : std::errc::invalid_argument;
}

bool NumberReader::to_plain(std::string_view cell) {
  plain_.clear();
  if (cell.starts_with(minus)) {
    plain_ += '-';
    cell.remove_prefix(minus.size());
  } else if (!cell.empty() && (cell[0] == '+' || cell[0] == '-')) {
    plain_ += cell[0];
    cell.remove_prefix(1);
  }
  int digits = 0;
  bool grouped = false;
  while (!cell.empty()) {
    if (cell[0] >= '0' && cell[0] <= '9') {
      plain_ += cell[0];
      cell.remove_prefix(1);
      ++digits;
      continue;
    }
    const std::size_t sign = thousands_ ? sign_at(cell, thousands_) : 0;
    if (sign == 0) break;
    if (grouped ? digits != 3 : digits < 1 || digits > 3) return false;
    grouped = true, digits = 0;
    cell.remove_prefix(sign);
  }
  if (grouped && digits != 3) return false;
  if (!cell.empty() && cell[0] == decimal_) {
    plain_ += '.';
    cell.remove_prefix(1);
  }
  plain_ += cell;  // decimals and exponent, in which no further sign has a place
  return cell.find_first_of(".,") == std::string_view::npos;
}

std::string example(NumberForm form) {
  std::string text = "1";
  if (form.thousands) text += form.thousands;
  return text + "234" + form.decimal + '5';
}

NumberForm number_form(std::string_view text) {
  for (const char decimal : {'.', ','})
    for (const char thousands : {'\0', '.', ',', ' ', '\''}) {
      const NumberForm form{decimal, thousands};
      if (decimal != thousands && text == example(form)) return form;
    }
  fail(
      "read_csv", "'", text,
      "' shows no way to write numbers: those known are 1234.5, 1234,5, 1,234.5, 1.234,5, 1 234.5, "
      "1 234,5, 1'234.5 and 1'234,5");
}

bool holds_names(const std::vector<std::string>& row, NumberReader& number) {
  const auto& missing = usual_missing_words();
  std::vector<double> numbers;
  std::size_t dates = 0, empty = 0;
  for (const std::string& cell : row) {
    double x = 0;
    if (cell.empty() || std::find(missing.begin(), missing.end(), cell) != missing.end())
      ++empty;
    else if (number(cell, x) == std::errc())
      numbers.push_back(x);
    else
      dates += looks_like_date(cell) || looks_like_time(cell);
  }
  if (numbers.size() + dates + empty < row.size()) return true;
  if (numbers.size() + dates == 0) return true;  // nothing at all: the columns have no name
  // Two numbers may as well be the first of two columns; but the empty name is that of an index.
  bool counted =
      dates == 0 && (numbers.size() > 2 || row[0].empty()) && (numbers[0] == 0 || numbers[0] == 1);
  for (std::size_t i = 1; counted && i < numbers.size(); ++i)
    counted = numbers[i] == numbers[i - 1] + 1;
  return counted;
}

}  // namespace axisgrad
