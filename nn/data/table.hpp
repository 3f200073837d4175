// Tables of numbers from CSV files. The reader is strict: what it cannot read exactly is an error
// that says where, never a guess; csv_guess.hpp finds out beforehand how a table is written.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <axisgrad/nn/data/dataset.hpp>

namespace axisgrad {

/// Columns by name: numbers (rows, columns), and beside them columns of text such as dates.
struct Table {
  std::vector<std::string> names;
  Tensor<double> values;
  std::vector<std::string> text_names;
  std::vector<std::vector<std::string>> texts;  // by column, then row
  std::vector<Size> lines{};                    // of a file: where each row begins, from 1 on
  std::string encoding = "UTF-8";               // that it was converted from

  [[nodiscard]] Size rows() const { return values.empty() ? 0 : values.shape()[0]; }
  [[nodiscard]] Size columns() const { return static_cast<Size>(names.size()); }
  /// Number of the column of this name. Error, listing the columns there are, when it is none.
  [[nodiscard]] Size index(std::string_view name) const;
  /// Numbers of several columns, as Windows takes them for its targets.
  [[nodiscard]] std::vector<Size> indices(const std::vector<std::string>& selected) const;
  /// The table with these columns of numbers in this order; its text stays. Error for a name that
  /// is not there, or named twice.
  [[nodiscard]] Table select(const std::vector<std::string>& selected) const;
  /// The rows begin <= i < end.
  [[nodiscard]] Table take(Rows range) const;
  /// A column of text. Error, listing the columns of text there are, when it is none.
  [[nodiscard]] const std::vector<std::string>& text(std::string_view name) const&;
  [[nodiscard]] std::vector<std::string> text(std::string_view name) && {
    return std::as_const(*this).text(name);
  }
};

/// What to do where a cell is missing. Nothing looks at a row below, so that nothing of the future
/// leaks into what a model may see.
enum class Missing {
  error,
  forward_fill,      // the value of the row above
  interpolate_past,  // the straight line through the two values above, continued
  drop,              // the row is left out: the steps are then no longer equal
};

struct CsvOptions {
  char separator = ',';
  std::vector<std::string> text = {};  // columns kept as text; "" is the first without a name
  Missing missing = Missing::error;
  char decimal = '.';     // or ','
  char thousands = '\0';  // between groups of three digits: . , ' or a space; none by default
  /// Cells that stand for a missing value beside the empty one; usual_missing_words() for all that
  /// are common. A number among them is found in whatever way it is written: -999 is -999.0 as
  /// well. None by default: "NaN" is an error that says so.
  std::vector<std::string> missing_words = {};
  /// Read only these columns of numbers; what stands in the others does not matter. None named:
  /// all.
  std::vector<std::string> columns = {};
  /// Leave out columns without a name instead of refusing them: row numbers as pandas writes them,
  /// and the empty column that a separator at the end of each line makes.
  bool skip_nameless = false;
  /// Pass over lines without a character where a table has several columns, and over lines of
  /// nothing but separators at its end, instead of refusing them.
  bool skip_empty = false;
  bool header = true;   // false: the first row is one of numbers, and the columns are c1, c2, ...
  Size skip_lines = 0;  // lines above the names
};

/// NA, N/A, #N/A, NaN, NaT, null, None, missing, ?, - and more.
[[nodiscard]] const std::vector<std::string>& usual_missing_words();

/// Reads a CSV file (RFC 4180): a first row of names, then numbers. A byte-order mark, CRLF and CR
/// line ends, quoted cells, spaces around cells and a missing final newline are understood; what is
/// not UTF-8 is converted (text_encoding.hpp), and Table::encoding says so.
///
/// Errors name the file and, where there is one, line and column: no such file, an empty one or
/// none of text, no rows; a name that is missing, twice or a number; a row with too few or too many
/// cells; a cell that is missing, not a number, NaN, infinite or beyond the range of double.
[[nodiscard]] Table read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from text in memory; `source` stands for the file in error messages.
[[nodiscard]] Table parse_csv(std::string_view text, const CsvOptions& options = {},
                              std::string_view source = "text");

}  // namespace axisgrad
