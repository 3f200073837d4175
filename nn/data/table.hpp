// Tables of numbers from CSV files. The reader is strict: what it cannot read exactly is an error
// that says where, never a guess.
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
  [[nodiscard]] const std::vector<std::string>& text(std::string_view name) const;
};

/// What a cell is that is empty or, but for `error`, says NA, N/A, NaN, null, None or ?. Nothing of
/// the rows below leaks in.
enum class Missing {
  error,
  forward_fill,      // the value of the row above
  interpolate_past,  // the straight line through the two values above, kept within what was seen
  drop,              // its row is left out
};

struct CsvOptions {
  char separator = ',';
  bool decimal_comma = false;          // 1.299,99 is a thousand two hundred ninety-nine and .99
  std::vector<std::string> text = {};  // columns kept as text
  std::vector<std::string> skip = {};  // columns that are not read
  Missing missing = Missing::error;
};

/// How a file is written, judged by its first lines.
struct CsvLayout {
  char separator;      // of , ; tab and |, that which splits the lines into equally many cells
  bool decimal_comma;  // some cell has a comma where numbers have one, and the separator is another
  std::vector<std::string> names;
  std::vector<std::string> first_row;  // cells of the first row, as they stand
};
/// Error when the text has no line of names.
[[nodiscard]] CsvLayout detect_csv(std::string_view text, std::string_view source = "text");

/// Reads a CSV file (RFC 4180, UTF-8): a first row of names, then numbers with a decimal point. A
/// byte-order mark, CRLF line ends, quoted cells, spaces around cells and a missing final newline
/// are understood.
///
/// Errors name the file and, where there is one, line and column: no such file, an empty one, no
/// rows; a name that is missing, twice or a number; a row with too few or too many cells; a cell
/// that is missing, not a number, NaN, infinite or beyond the range of double.
[[nodiscard]] Table read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from text in memory; `source` stands for the file in error messages.
[[nodiscard]] Table parse_csv(std::string_view text, const CsvOptions& options = {},
                              std::string_view source = "text");

}  // namespace axisgrad
