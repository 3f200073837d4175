// The CSV reader. One pass over the text; a cell is a view into it, so that a table of numbers
// costs no allocation per cell.
#include <algorithm>
#include <cmath>

#include <axisgrad/nn/data/csv_number.hpp>
#include <axisgrad/nn/data/csv_sample.hpp>
#include <axisgrad/nn/data/table.hpp>
#include <axisgrad/nn/data/text_encoding.hpp>

namespace axisgrad {
namespace {

using Names = std::vector<std::string>;

bool in(const Names& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Without blanks around it; U+00A0 is one.
std::string_view trimmed(std::string_view s) {
  constexpr std::string_view no_break = "\xC2\xA0";
  for (;;) {
    const auto first = s.find_first_not_of(" \t\r");
    if (first == s.npos) return {};
    s = s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
    if (s.starts_with(no_break))
      s.remove_prefix(2);
    else if (s.ends_with(no_break))
      s.remove_suffix(2);
    else
      return s;
  }
}

// What an error message shows of a cell.
std::string shown(std::string_view cell) {
  constexpr std::size_t most = 40;
  std::string text(cell.substr(0, most));
  for (char& c : text)
    if (c >= '\0' && c < ' ') c = ' ';
  return "'" + text + (cell.size() > most ? "...'" : "'");
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
    if (text.substr(0, 3) == "\xEF\xBB\xBF") at_ += 3;
    cut_end();
    if (at_ == end_) fail("read_csv", source_, " is empty");
    for (; newlines_ < options_.skip_lines && at_ != end_; ++newlines_)
      at_ = std::find(at_, end_, '\n'), at_ += at_ != end_;
    if (at_ == end_) fail("read_csv", source_, " ends above line ", options_.skip_lines + 1);
    for (const std::string& word : options_.missing_words) {
      double x = 0;
      if (number_(word, x) == std::errc() && std::isfinite(x)) missing_numbers_.push_back(x);
    }
  }

  Table read() {
    read_header();
    const auto width = static_cast<Size>(table_.names.size());
    const Size most = std::count(at_, end_, '\n') + 1;  // rows, and newlines within quotes
    if (options_.missing == Missing::interpolate_past)
      least_.resize(table_.names.size()), largest_.resize(table_.names.size());
    table_.lines.reserve(static_cast<std::size_t>(most));
    Tensor<double> values({most, width});
    double* row = values.mutable_data();
    Size rows = 0;
    while (!done_)
      if (!pass_empty_line() && read_row(row, rows)) ++rows, row += width;
    if (rows == 0)
      fail("read_csv", source_, " has names on line ", options_.skip_lines + 1, ", but no rows",
           options_.missing == Missing::drop ? " without a missing value" : "");
    table_.values = rows == most ? std::move(values) : take_rows(values, {0, rows});
    return std::move(table_);
  }

 private:
  // The last newline, and empty lines at the end.
  void cut_end() {
    while (end_ > at_) {
      if (end_[-1] == '\n' || end_[-1] == '\r') {
        --end_;
        continue;
      }
      if (!options_.skip_empty) return;
      const char* line = end_;
      while (line > at_ && line[-1] != '\n') --line;
      const auto blank = [&](char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == options_.separator;
      };
      if (!std::all_of(line, end_, blank)) return;
      end_ = line;
    }
  }
  // In a table of one column such a line is a missing value.
  bool pass_empty_line() {
    if (!options_.skip_empty || use_.size() == 1 || *at_ > ' ') return false;
    const char* c = at_;
    while (c != end_ && (*c == ' ' || *c == '\r')) ++c;
    if (c == end_ || *c != '\n') return false;
    at_ = c + 1;
    line_ = ++newlines_;
    return true;
  }

  // The next cell, and whether a line ends behind it.
  std::string_view next_cell(bool& line_ends) {
    while (at_ != end_ && *at_ == ' ') ++at_;
    const std::string_view cell = at_ != end_ && *at_ == '"' ? quoted_cell() : plain_cell();
    while (at_ != end_ && *at_ == '\r') ++at_;  // also \r\r\n, as Windows doubles it
    line_ends = at_ == end_ || *at_ == '\n';
    if (!line_ends && *at_ != options_.separator)
      fail_at("text behind the closing quote of ", shown(cell),
              *at_ == '"' ? "; a space does not separate cells" : "");
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
    return trimmed(unquoted_);
  }
  Names whole_line() {
    Names cells;
    cell_ = 0;
    for (bool line_ends = false; !line_ends; ++cell_)
      cells.push_back(one_line(next_cell(line_ends)));
    cell_ = 0;
    return cells;
  }

  void read_header() {
    line_ = newlines_;
    const char* begin = at_;
    Names all = whole_line();
    if (options_.header) {
      check_names(all);
    } else {
      for (std::size_t c = 0; c < all.size(); ++c) all[c] = 'c' + std::to_string(c + 1);
      at_ = begin, newlines_ = line_, done_ = false;
    }
    choose_columns(all);
    table_.texts.resize(table_.text_names.size());
    all_names_ = std::move(all);
    line_ = newlines_, cell_ = 0;
  }
  void check_names(const Names& all) {
    for (cell_ = 0; cell_ < all.size(); ++cell_) {
      const std::string& name = all[cell_];
      if (name.empty() && (options_.skip_nameless || in(options_.text, ""))) continue;
      if (name.empty()) fail_at("a column has no name");
      if (std::find(all.begin(), all.end(), name) !=
          all.begin() + static_cast<std::ptrdiff_t>(cell_))
        fail_at("two columns are named '", name, "'");
    }
    if (!holds_names(all, number_))
      fail("read_csv", source_, ", line ", line_ + 1,
           " should name the columns, but holds numbers and dates only");
  }

  // Which columns are numbers, which text, which passed over.
  void choose_columns(const Names& all) {
    for (const std::string& name : options_.text)
      if (!in(all, name))
        fail("read_csv", source_, " has no column '", name, "' to keep as text", there_are(all));
    for (const std::string& name : options_.columns)
      if (!in(all, name))
        fail("read_csv", source_, " has no column '", name, "' to read", there_are(all));
    for (const std::string& name : all) {
      const bool wanted = !name.empty() && (options_.columns.empty() || in(options_.columns, name));
      const bool text = in(options_.text, name) && !(name.empty() && in(table_.text_names, name));
      use_.push_back(text ? Use::text : wanted ? Use::number : Use::none);
      if (use_.back() == Use::text) table_.text_names.push_back(name);
      if (use_.back() == Use::number) table_.names.push_back(name);
    }
    needed_ = all.size();
    while (options_.skip_nameless && needed_ > 0 && all[needed_ - 1].empty() &&
           use_[needed_ - 1] == Use::none)
      --needed_;
  }
  static std::string there_are(const Names& all) {
    std::string text;
    for (const std::string& name : all)
      if (!name.empty()) text += (text.empty() ? "; there are: '" : ", '") + name + "'";
    return text;
  }

  // False for a row that is left out. `row` has `above` rows in front of it.
  bool read_row(double* row, Size above) {
    std::size_t text = 0, number = 0;
    bool line_ends = false, complete = true, more = false;
    for (cell_ = 0; !line_ends; ++cell_) {
      const std::string_view cell = next_cell(line_ends);
      if (cell_ == 0 && line_ends && cell.empty() && use_.size() > 1) fail_at("the line is empty");
      if (cell_ >= use_.size()) {  // too many: counted to the end of the line
        more = more || !cell.empty();
      } else if (use_[cell_] == Use::text) {
        table_.texts[text++].emplace_back(cell);
      } else if (use_[cell_] == Use::number) {
        if (!read_number(cell, row[number])) complete = fill(row, number, above) && complete;
        if (!least_.empty()) see(number, row[number], above);
        ++number;
      }
    }
    // A separator at the end of lines, here or in the first one, makes an empty cell.
    const bool empty_ones = options_.skip_nameless && !more && cell_ >= needed_;
    if (cell_ != use_.size() && !empty_ones) fail_cells();
    if (complete)
      table_.lines.push_back(line_ + 1);
    else
      for (auto& column : table_.texts) column.pop_back();
    line_ = newlines_;
    return complete;
  }

  bool is_missing(std::string_view cell) const {
    return cell.empty() || in(options_.missing_words, cell);
  }
  // The values of a column so far lie between these.
  void see(std::size_t column, double x, Size above) {
    least_[column] = above == 0 ? x : std::min(least_[column], x);
    largest_[column] = above == 0 ? x : std::max(largest_[column], x);
  }
  // A missing cell gets its value from those above; false when its row is to be dropped. A line is
  // not continued beyond what was seen: a long gap would carry it anywhere.
  bool fill(double* row, std::size_t column, Size above) const {
    if (options_.missing == Missing::drop) return false;
    if (above == 0) fail_at("a value is missing, with none above it");
    const auto width = static_cast<std::ptrdiff_t>(table_.names.size());
    double* cell = row + column;
    *cell = cell[-width];
    if (options_.missing == Missing::interpolate_past && above > 1)
      *cell = std::clamp(2 * cell[-width] - cell[-2 * width], least_[column], largest_[column]);
    return true;
  }

  // False when the cell is missing.
  bool read_number(std::string_view cell, double& x) {
    const std::errc error = number_(cell, x);
    if (error == std::errc() && std::isfinite(x) &&
        (missing_numbers_.empty() || !stands_for_none(x)))
      return true;
    if (is_missing(cell) || (error == std::errc() && stands_for_none(x))) {
      if (options_.missing == Missing::error)
        fail_at("a value is missing", cell.empty() ? "" : " (" + shown(cell) + ")");
      return false;
    }
    if (error == std::errc::result_out_of_range)
      fail_at(shown(cell), " is beyond the range of double");
    if (error == std::errc()) fail_at(shown(cell), " is not a finite number");
    const std::string likely = hint(cell);
    fail_at(shown(cell), " is not a number", likely.empty() ? in_this_form(cell) : likely);
  }
  bool stands_for_none(double x) const {
    return std::find(missing_numbers_.begin(), missing_numbers_.end(), x) != missing_numbers_.end();
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
  // For what is a number in another country, or with something beside it.
  std::string in_this_form(std::string_view cell) const {
    for (const std::string_view unit : {"%", "$", "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5"})
      if (cell.starts_with(unit) || cell.ends_with(unit))
        return ": a number stands without '" + std::string(unit) + "'";

    const bool signs = cell.find_first_of(".,'") != cell.npos &&
                       cell.find_first_not_of("0123456789+-.,' ") == cell.npos;
    return signs ? " in the form " + example({options_.decimal, options_.thousands}) : "";
  }
  // One column whose name holds a separator was most likely meant as several.
  std::string hint(std::string_view cell = "") const {
    for (char other : {';', '\t', ',', '|'})
      if (all_names_.size() == 1 && all_names_[0].find(other) != std::string::npos)
        return other == '\t' ? "; is the separator a tab?"
                             : std::string("; is the separator '") + other + "'?";
    const bool blanks = all_names_.size() == 1 && all_names_[0].find(' ') != std::string::npos;
    return blanks && cell.find(' ') != cell.npos ? "; a space does not separate cells" : "";
  }

  const char *at_, *end_;
  const CsvOptions& options_;
  std::string_view source_;
  Table table_;
  Names all_names_;
  enum class Use { number, text, none };
  std::vector<Use> use_;
  std::size_t needed_ = 0;  // cells that a row must have
  NumberReader number_;
  std::vector<double> missing_numbers_, least_, largest_;
  std::string unquoted_;
  bool done_ = false;             // the last cell has been read
  Size newlines_ = 0, line_ = 0;  // read so far; in front of the current row
  std::size_t cell_ = 0;          // of the current row
};

// What is no text at all, as far as its first bytes and zeros tell.
void require_text(std::string_view text, std::string_view source) {
  if (text.starts_with("PK\x03\x04"))
    fail("read_csv", source, " is a spreadsheet or an archive: save it as CSV");
  if (text.find('\0') != text.npos)
    fail("read_csv", source, " holds zero bytes: it is no text, or UTF-16 without its first mark");
}

}  // namespace

Table parse_csv(std::string_view text, const CsvOptions& options, std::string_view source) {
  const DecodedText decoded = decode_text(text);
  text = decoded.view(text);
  require_text(text, source);
  Table table = Reader(text, options, source).read();
  table.encoding = decoded.encoding;
  return table;
}

}  // namespace axisgrad
