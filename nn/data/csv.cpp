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
    fill_.resize(table_.names.size());
    double* row = values.mutable_data();
    Size rows = 0;
    while (!done_)
      if (read_row(row)) ++rows, row += width;
    if (rows == 0)
      fail("read_csv", source_, " has names on line 1, but no rows",
           options_.missing == Missing::drop && line_ > 1 ? " without a missing cell" : "");
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
    const auto has = [](const std::vector<std::string>& list, const std::string& name) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    for (const std::string& name : options_.text)
      if (!has(all, name)) fail("read_csv", source_, " has no column '", name, "' to keep as text");
    for (const std::string& name : options_.skip)
      if (!has(all, name)) fail("read_csv", source_, " has no column '", name, "' to skip");
    for (const std::string& name : all) {
      kinds_.push_back(has(options_.text, name)   ? Kind::text
                       : has(options_.skip, name) ? Kind::skipped
                                                  : Kind::number);
      if (kinds_.back() == Kind::text) table_.text_names.push_back(name);
      if (kinds_.back() == Kind::number) table_.names.push_back(name);
    }
    table_.texts.resize(table_.text_names.size());
    all_names_ = std::move(all);
    line_ = newlines_, cell_ = 0;
  }

  // False when the row is dropped: it is overwritten by the next one.
  bool read_row(double* row) {
    std::size_t text = 0, column = 0;
    bool line_ends = false, keep = true;
    for (cell_ = 0; !line_ends; ++cell_) {
      const std::string_view cell = next_cell(line_ends);
      if (cell_ == 0 && line_ends && cell.empty() && kinds_.size() > 1)
        fail_at("the line is empty");
      if (cell_ >= kinds_.size()) continue;  // too many: counted to the end of the line
      if (kinds_[cell_] == Kind::text) table_.texts[text++].emplace_back(cell);
      if (kinds_[cell_] != Kind::number) continue;
      if (options_.missing == Missing::error || !is_missing(cell))
        fill_[column].push(row[column] = value(cell));
      else if (options_.missing == Missing::drop)
        keep = false;
      else
        row[column] = filled(fill_[column]);
      ++column;
    }
    if (cell_ != kinds_.size()) fail_cells();
    line_ = newlines_;
    if (!keep)
      for (auto& texts : table_.texts) texts.pop_back();
    return keep;
  }

  // What a column has shown so far.
  struct Seen {
    double last = 0, step = 0, low = 0, high = 0;  // step: between the two values above
    bool any = false;
    void push(double x) {
      step = any ? x - last : 0;
      low = any ? std::min(low, x) : x, high = any ? std::max(high, x) : x;
      last = x, any = true;
    }
  };
  double filled(Seen& seen) const {
    if (!seen.any) fail_at("a value is missing, with none above it");
    if (options_.missing == Missing::interpolate_past)
      seen.last = std::clamp(seen.last + seen.step, seen.low, seen.high);
    return seen.last;
  }
  static bool is_missing(std::string_view cell) {
    if (cell.empty()) return true;
    if (cell.size() > 4) return false;
    constexpr std::string_view words[]{"NA",   "N/A",  "NaN",  "nan", "NAN",
                                       "null", "NULL", "None", "?"};
    return std::find(std::begin(words), std::end(words), cell) != std::end(words);
  }

  // A sign + is read as well, as other tools write it.
  static std::errc number(std::string_view cell, double& x) {
    if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
    const auto [rest, error] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
    return rest == cell.data() + cell.size() ? error : std::errc::invalid_argument;
  }
  // 1.234.567,8 is 1234567.8: points stand in front of three digits each, or not at all.
  static std::errc number_with_comma(std::string_view cell, double& x) {
    char plain[64];
    if (cell.size() > sizeof plain) return std::errc::invalid_argument;
    const std::size_t comma = std::min(cell.find(','), cell.size());
    std::size_t n = 0;
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (cell[i] != '.') {
        plain[n++] = i == comma ? '.' : cell[i];
        continue;
      }
      const auto digit = [&](std::size_t k) {
        return k < cell.size() && '0' <= cell[k] && cell[k] <= '9';
      };
      const std::size_t end = i + 4;  // of the group behind it
      if (i == 0 || !digit(i - 1) || !digit(i + 1) || !digit(i + 2) || !digit(i + 3) || i > comma ||
          (end < cell.size() && cell[end] != '.' && cell[end] != ','))
        return std::errc::invalid_argument;
    }
    return number({plain, n}, x);
  }
  double value(std::string_view cell) const {
    double x = 0;
    const std::errc error = options_.decimal_comma ? number_with_comma(cell, x) : number(cell, x);
    if (error == std::errc() && std::isfinite(x)) return x;
    if (cell.empty()) fail_at("a value is missing");
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
  enum class Kind { number, text, skipped };
  std::vector<Kind> kinds_;  // by cell of a row
  std::vector<Seen> fill_;   // by column of numbers
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
