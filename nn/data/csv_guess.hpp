// How a table is written, worked out from its first lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <axisgrad/nn/data/table.hpp>

namespace axisgrad {

/// A cell and its place, from 1 on; no text: there is none.
struct CsvCell {
  Size line = 0, column = 0;
  std::string text{};
};

struct CsvGuess {
  CsvOptions options;
  std::vector<std::string> names{};  // of all columns
  /// The first column of options.text holds days without a time of the day.
  bool days = false;
  /// Columns of times of the day, which belong to a column of days. They are not in options.text.
  std::vector<std::string> times{};
  /// Columns of whole numbers that by name and size are seconds, milliseconds or less since 1970.
  std::vector<std::string> clocks{};
  /// The number that told the decimal sign. None: no number did.
  CsvCell told{};
  /// A number that means something else if its sign is the other one, where nothing tells.
  CsvCell unclear{};
  /// It stands in a column with whole numbers from 1000 on, which does not fit either
  /// meaning: 1.234 beside 1039.
  bool doubtful = false;
  /// Whether any number has a decimal sign or one between thousands.
  bool signs = false;
};

/// What fits a table at hand, from its first thousand lines.
///
/// - The separator (comma, semicolon, tab or |) that cuts most of them into equally many cells.
/// What
///   stands above the row of names (a title, an empty line, sep=;) is passed over. A first row
///   without a name, numbers and dates only, is no row of names: options.header is false then.
/// - Decimal comma or point, and the sign between thousands, from numbers that can be read in one
///   way only: 0,5 and 12,34 and 1.234,5 and 1.234.567. Else from the rest: a comma within a cell
///   of a table with commas stands between thousands; so does a sign that stands in front of three
///   digits wherever it is, in a column where smaller numbers are whole; 1.234 has a decimal point;
///   and, between semicolons or tabs, 1,234 a decimal comma.
/// - Columns of dates as text. Columns without a name are left out unless they
///   hold dates; missing words are the usual ones; the policy stays Missing::error.
///
/// A guess: read_csv with these options refuses what does not fit.
[[nodiscard]] CsvGuess guess_csv(std::string_view text);
/// The same from the beginning of a file. Error when it cannot be read.
[[nodiscard]] CsvGuess guess_csv_file(const std::string& path);

}  // namespace axisgrad
