// The CSV reader. One pass over the text; a cell is a view into it, so that a table of numbers
// costs no allocation per cell.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <axisgrad/nn/data/table.hpp>

namespace axisgrad {
namespace {

std::string_view trimmed(std::string_view s) {
  const auto first = s.find_first_not_of(" \t");
  return first == s.npos ? std::string_view()
                         : s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

// What an error message shows of a cell.
std::string shown(std::string_view cell) {
  constexpr std::size_t most = 40;
  return "'" + std::string(cell.substr(0, most)) + (cell.size() > most ? "...'" : "'");
}

class Reader {
 public:
  Reader(std::string_view text, const CsvOptions& options, std::string_view source)
      : at_(text.data()), end_(at_ + text.size()), options_(options), source_(source) {
    if (std::string_view("\"\r\n .+-0123456789").find(options_.separator) != std::string_view::npos)
      fail("read_csv", "'", options_.separator, "' cannot be the separator");
    if (text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF")
      fail("read_csv", source_, " is UTF-16: save it as UTF-8");
    if (text.substr(0, 3) == "\xEF\xBB\xBF") at_ += 3;
    // The last newline, and empty lines at the end.
    while (end_ > at_ && (end_[-1] == '\n' || end_[-1] == '\r')) --end_;
    if (at_ == end_) fail("read_csv", source_, " is empty");
  }

  Table read() {
    read_header();
    const auto width = static_cast<Size>(table_.names.size());
    const Size most = std::count(at_, end_, '\n') + 1;  // rows, and newlines within quotes
    Tensor<double> values({most, width});
    double* row = values.mutable_data();
    Size rows = 0;
    for (; !done_; ++rows, row += width) read_row(row, rows == 0 ? nullptr : row - width);
    if (rows == 0) fail("read_csv", source_, " has names on line 1, but no rows");
    table_.values = rows == most ? std::move(values) : take_rows(values, {0, rows});
    return std::move(table_);
  }

 private:
  // The next cell, and whether a line ends behind it.
  std::string_view next_cell(bool& line_ends) {
    while (at_ != end_ && *at_ == ' ') ++at_;
    const std::string_view cell = at_ != end_ && *at_ == '"' ? quoted_cell() : plain_cell();
    if (at_ != end_ && *at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n')) ++at_;
    line_ends = at_ == end_ || *at_ == '\n';
    if (!line_ends && *at_ != options_.separator)
      fail_at("text behind the closing quote of ", shown(cell));
    done_ = at_ == end_;
    if (!done_) newlines_ += *at_++ == '\n';
    return cell;
  }
  std::string_view plain_cell() {
    const char* begin = at_;
    while (at_ != end_ && *at_ != options_.separator && *at_ != '\n') ++at_;
    if ((at_ == end_ || *at_ == '\n') && at_ != begin && at_[-1] == '\r') --at_;
    return trimmed({begin, at_});
  }
  // A doubled quote stands for one.
  std::string_view quoted_cell() {
    unquoted_.clear();
    for (++at_;; ++at_) {
      const char* quote = std::find(at_, end_, '"');
      if (quote == end_) fail_at("a quote is not closed");
      unquoted_.append(at_, quote);
      at_ = quote + 1;
      if (at_ == end_ || *at_ != '"') break;
      unquoted_ += '"';
    }
    newlines_ += std::count(unquoted_.begin(), unquoted_.end(), '\n');
    while (at_ != end_ && *at_ == ' ') ++at_;
    return unquoted_;
  }

  void read_header() {
    std::vector<std::string> all;
    for (bool line_ends = false; !line_ends; ++cell_) all.emplace_back(next_cell(line_ends));
    bool numbers = true;
    for (cell_ = 0; cell_ < all.size(); ++cell_) {
      const std::string& name = all[cell_];
      if (name.empty()) fail_at("a column has no name");
      if (std::find(all.begin(), all.end(), name) !=
          all.begin() + static_cast<std::ptrdiff_t>(cell_))
        fail_at("two columns are named '", name, "'");
      double ignored;
      numbers = numbers && number(name, ignored) == std::errc();
    }
    if (numbers)
      fail("read_csv", source_, ", line 1 should name the columns, but holds numbers only");
    for (const std::string& name : options_.text)
      if (std::find(all.begin(), all.end(), name) == all.end())
        fail("read_csv", source_, " has no column '", name, "' to keep as text");
    for (const std::string& name : all) {
      is_text_.push_back(std::find(options_.text.begin(), options_.text.end(), name) !=
                         options_.text.end());
      (is_text_.back() ? table_.text_names : table_.names).push_back(name);
    }
    table_.texts.resize(table_.text_names.size());
    all_names_ = std::move(all);
    line_ = newlines_, cell_ = 0;
  }

  void read_row(double* row, const double* above) {
    std::size_t text = 0;
    bool line_ends = false;
    for (cell_ = 0; !line_ends; ++cell_) {
      const std::string_view cell = next_cell(line_ends);
      if (cell_ == 0 && line_ends && cell.empty() && is_text_.size() > 1)
        fail_at("the line is empty");
      if (cell_ >= is_text_.size()) continue;  // too many: counted to the end of the line
      if (is_text_[cell_])
        table_.texts[text++].emplace_back(cell);
      else {
        *row = cell.empty() && options_.missing == Missing::forward_fill && above ? *above
                                                                                  : value(cell);
        ++row, above += above != nullptr;
      }
    }
    if (cell_ != is_text_.size()) fail_cells();
    line_ = newlines_;
  }

  // A sign + is read as well, as other tools write it.
  static std::errc number(std::string_view cell, double& x) {
    if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
    const auto [rest, error] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
    return rest == cell.data() + cell.size() ? error : std::errc::invalid_argument;
  }
  double value(std::string_view cell) const {
    double x = 0;
    const std::errc error = number(cell, x);
    if (error == std::errc() && std::isfinite(x)) return x;
    if (cell.empty())
      fail_at(options_.missing == Missing::error ? "a value is missing"
                                                 : "a value is missing, with none above it");
    if (error == std::errc::result_out_of_range)
      fail_at(shown(cell), " is beyond the range of double");
    if (error == std::errc()) fail_at(shown(cell), " is not a finite number");
    fail_at(shown(cell), " is not a number", hint());
  }

  template <class... Parts>
  [[noreturn]] void fail_at(const Parts&... what) const {
    const std::string name = cell_ < all_names_.size() ? " ('" + all_names_[cell_] + "')" : "";
    fail("read_csv", source_, ", line ", line_ + 1, ", column ", cell_ + 1, name, ": ", what...);
  }
  [[noreturn]] void fail_cells() const {
    fail("read_csv", source_, ", line ", line_ + 1, ": ", cell_, cell_ == 1 ? " cell" : " cells",
         " in a table of ", all_names_.size(), all_names_.size() == 1 ? " column" : " columns",
         hint());
  }
  // One column whose name holds a separator was most likely meant as several.
  std::string hint() const {
    for (char other : {';', '\t', ',', '|'})
      if (all_names_.size() == 1 && all_names_[0].find(other) != std::string::npos)
        return other == '\t' ? "; is the separator a tab?"
                             : std::string("; is the separator '") + other + "'?";
    return "";
  }

  const char *at_, *end_;
  const CsvOptions& options_;
  std::string_view source_;
  Table table_;
  std::vector<std::string> all_names_;
  std::vector<bool> is_text_;
  std::string unquoted_;
  bool done_ = false;             // the last cell has been read
  Size newlines_ = 0, line_ = 0;  // read so far; in front of the current row
  std::size_t cell_ = 0;          // of the current row
};

}  // namespace

Table parse_csv(std::string_view text, const CsvOptions& options, std::string_view source) {
  return Reader(text, options, source).read();
}

}  // namespace axisgrad
