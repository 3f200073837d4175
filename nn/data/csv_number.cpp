#include <charconv>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/data/csv_number.hpp>

namespace axisgrad {
namespace {

// A sign + is read as well, as other tools write it.
std::errc plain_number(std::string_view cell, double& x) {
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  const auto [rest, error] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
  return rest == cell.data() + cell.size() ? error : std::errc::invalid_argument;
}

// The bytes of a thousands sign at the front of the text; a space may be one that does not break
// (U+00A0, U+202F).
std::size_t sign_at(std::string_view text, char thousands) {
  if (text.substr(0, 1) == std::string_view(&thousands, 1)) return 1;
  if (thousands != ' ') return 0;
  if (text.substr(0, 2) == "\xC2\xA0") return 2;
  return text.substr(0, 3) == "\xE2\x80\xAF" ? 3 : 0;
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
  if (decimal_ == '.' && thousands_ == '\0') return plain_number(cell, x);
  return to_plain(cell) ? plain_number(plain_, x) : std::errc::invalid_argument;
}

bool NumberReader::to_plain(std::string_view cell) {
  plain_.clear();
  if (!cell.empty() && (cell[0] == '+' || cell[0] == '-')) {
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

}  // namespace axisgrad
