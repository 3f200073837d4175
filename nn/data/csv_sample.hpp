// The first lines of a table, cut into cells: what guess_csv looks at.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <axisgrad/nn/data/csv_guess.hpp>

namespace axisgrad {

struct CsvSampleRow {
  Size line = 1;  // where it begins
  std::vector<std::string> cells;
};

/// The rows with the names, or without a name the first numbers, in front.
struct CsvSample {
  char separator = ',';
  std::vector<CsvSampleRow> rows;
  bool header = true;

  /// Rows of numbers begin here.
  [[nodiscard]] std::size_t first() const { return header ? 1 : 0; }
};

/// The text is UTF-8, without a byte-order mark; its last line may be incomplete.
[[nodiscard]] CsvSample sample_csv(std::string_view text);

/// Empty, or one of usual_missing_words().
[[nodiscard]] bool usually_missing(const std::string& cell);

/// The name in a cell: its lines behind each other.
[[nodiscard]] std::string one_line(std::string_view cell);

/// Sets decimal and thousands sign, and what the guess says of them.
void find_signs(const CsvSample& sample, CsvGuess& guess);

}  // namespace axisgrad
