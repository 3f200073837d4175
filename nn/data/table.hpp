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

enum class Missing {
  error,
  forward_fill,  // the value of the row above: nothing of the future leaks in
};

struct CsvOptions {
  char separator = ',';
  std::vector<std::string> text = {};  // columns kept as text
  Missing missing = Missing::error;
};

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
