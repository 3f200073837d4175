// The CSV reader. One pass over the text; a cell is a view into it, so that a table of numbers
// costs no allocation per cell.
#include <algorithm>
#include <cmath>

#include <axisgrad/nn/data/csv_number.hpp>
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
      : at_(text.data()),
        end_(at_ + text.size()),
        options_(options),
        source_(source),
        number_(options.decimal, options.thousands) {
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
    while (!done_)
      if (read_row(row, rows)) ++rows, row += width;
    if (rows == 0)
      fail("read_csv", source_, " has names on line 1, but no rows",
           options_.missing == Missing::drop ? " without a missing value" : "");
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
      if (name.empty() && options_.skip_nameless) continue;
      if (name.empty()) fail_at("a column has no name");
      if (std::find(all.begin(), all.end(), name) !=
          all.begin() + static_cast<std::ptrdiff_t>(cell_))
        fail_at("two columns are named '", name, "'");
      double ignored;
      numbers = numbers && number_(name, ignored) == std::errc();
    }
    if (numbers)
      fail("read_csv", source_, ", line 1 should name the columns, but holds numbers only");
    choose_columns(all);
    table_.texts.resize(table_.text_names.size());
    all_names_ = std::move(all);
    line_ = newlines_, cell_ = 0;
  }

  // Which columns are numbers, which text, which passed over.
  void choose_columns(const std::vector<std::string>& all) {
    const auto in = [](const std::vector<std::string>& list, const std::string& name) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    for (const std::string& name : options_.text)
      if (!in(all, name)) fail("read_csv", source_, " has no column '", name, "' to keep as text");
    for (const std::string& name : options_.columns)
      if (!in(all, name)) fail("read_csv", source_, " has no column '", name, "' to read");
    for (const std::string& name : all) {
      const bool wanted = !name.empty() && (options_.columns.empty() || in(options_.columns, name));
      use_.push_back(in(options_.text, name) ? Use::text : wanted ? Use::number : Use::none);
      if (use_.back() == Use::text) table_.text_names.push_back(name);
      if (use_.back() == Use::number) table_.names.push_back(name);
    }
  }

  // False for a row that is left out. `row` has `above` rows in front of it.
  bool read_row(double* row, Size above) {
    const auto width = static_cast<std::ptrdiff_t>(table_.names.size());
    std::size_t text = 0;
    bool line_ends = false, complete = true;
    for (cell_ = 0; !line_ends; ++cell_) {
      const std::string_view cell = next_cell(line_ends);
      if (cell_ == 0 && line_ends && cell.empty() && use_.size() > 1) fail_at("the line is empty");
      if (cell_ >= use_.size()) continue;  // too many: counted to the end of the line
      if (use_[cell_] == Use::text) {
        table_.texts[text++].emplace_back(cell);
      } else if (use_[cell_] == Use::number) {
        if (options_.missing != Missing::error && is_missing(cell))
          complete = fill(row, width, above) && complete;
        else
          *row = value(cell);
        ++row;
      }
    }
    if (cell_ != use_.size()) fail_cells();
    if (!complete)
      for (auto& column : table_.texts) column.pop_back();
    line_ = newlines_;
    return complete;
  }

  bool is_missing(std::string_view cell) const {
    return cell.empty() || std::find(options_.missing_words.begin(), options_.missing_words.end(),
                                     cell) != options_.missing_words.end();
  }
  // A missing cell gets its value from those above; false when its row is to be dropped.
  bool fill(double* cell, std::ptrdiff_t width, Size above) const {
    if (options_.missing == Missing::drop) return false;
    if (above == 0) fail_at("a value is missing, with none above it");
    *cell = cell[-width];
    if (options_.missing == Missing::interpolate_past && above > 1)
      *cell += cell[-width] - cell[-2 * width];
    return true;
  }

  double value(std::string_view cell) {
    double x = 0;
    const std::errc error = number_(cell, x);
    if (error == std::errc() && std::isfinite(x)) return x;
    if (is_missing(cell))
      fail_at("a value is missing", cell.empty() ? "" : " (" + shown(cell) + ")");
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
  enum class Use { number, text, none };
  std::vector<Use> use_;
  NumberReader number_;
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
