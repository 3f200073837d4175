#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/gradcheck/report.hpp>

namespace axisgrad {
namespace {

std::string number(double v, const char* format = "%.3g") {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, printable(v));
  return text.data();
}

std::string at(const GradcheckRow& row) {
  if (row.worst_index.empty()) return row.shape.rank() || row.worst_point.empty() ? "" : "()";
  std::string text = "(";
  for (std::size_t k = 0; k < row.worst_index.size(); ++k)
    text += (k ? "," : "") + std::to_string(row.worst_index[k]);
  return text + ")";
}

const char* word(GradcheckVerdict verdict) {
  switch (verdict) {
    case GradcheckVerdict::passed:
      return "right";
    case GradcheckVerdict::failed:
      return "WRONG";
    case GradcheckVerdict::kink:
      return "kink";
    case GradcheckVerdict::hidden:
      return "hidden";
    case GradcheckVerdict::not_checked:
      return "not checked";
  }
  return "";
}

using Line = std::array<std::string, 8>;

Line line_of(const GradcheckRow& row) {
  if (row.worst_point.empty())
    return {row.name, text_of(row.shape), "", "", "", "", "", word(row.verdict)};
  return {row.name,
          text_of(row.shape),
          number(row.max_abs_error, "%.1e"),
          number(row.max_rel_error, "%.1e"),
          at(row),
          number(row.analytic, "%.6g"),
          number(row.numeric, "%.6g"),
          word(row.verdict)};
}

void print_table(std::ostream& out, const std::vector<Line>& lines) {
  std::array<std::size_t, 8> width{};
  for (const Line& line : lines)
    for (std::size_t k = 0; k < 8; ++k) width[k] = std::max(width[k], line[k].size());
  for (const Line& line : lines) {
    std::string text;
    for (std::size_t k = 0; k < 8; ++k)
      text += line[k] + std::string(k < 7 ? width[k] - line[k].size() + 2 : 0, ' ');
    out << text << '\n';
  }
}

}  // namespace

GradcheckReport::operator bool() const {
  return failures.empty() && !hidden && std::none_of(rows.begin(), rows.end(), [](const auto& row) {
           return row.verdict == GradcheckVerdict::failed;
         });
}

double GradcheckReport::max_rel_error() const {
  double largest = 0;
  for (const auto& row : rows) largest = std::max(largest, row.max_rel_error);
  return largest;
}

double GradcheckReport::max_abs_error() const {
  double largest = 0;
  for (const auto& row : rows) largest = std::max(largest, row.max_abs_error);
  return largest;
}

std::ostream& operator<<(std::ostream& out, const GradcheckReport& report) {
  std::vector<Line> lines{
      {"", "shape", "max abs", "max rel", "worst at", "gradient", "differences", "verdict"}};
  for (const auto& row : report.rows) lines.push_back(line_of(row));
  print_table(out, lines);
  for (const auto& text : report.failures) out << text << '\n';
  for (const auto& row : report.rows) {
    if (row.wrong)
      out << row.name << " is WRONG" << (at(row).empty() ? "" : " at " + at(row))
          << ": the gradient is " << number(row.analytic, "%.9g") << ", differences give "
          << number(row.numeric, "%.9g") << " (relative error " << number(row.max_rel_error)
          << ", allowed " << number(report.tolerance) << ") at " << row.worst_point << "; "
          << row.wrong << " of " << row.checked << " are wrong.\n";
    for (const auto& text : row.remarks) out << row.name << ": " << text << ".\n";
  }
  if (report.hidden)
    out << "The gradient is zero everywhere: nothing is wrong, but this loss hides what the rules "
           "do (as sum(softmax(x)), which is 1 "
           "for every x). Return the outputs themselves; they are weighted by random cotangents.\n";
  for (const auto& text : report.remarks) out << text << '\n';
  return out;
}

std::vector<Size> gradchecking::index_of(const Shape& shape, Size at) {
  std::vector<Size> index;
  for (int a = 0; at >= 0 && a < shape.rank(); ++a) {
    const Size step = shape.product(a + 1, shape.rank());
    index.push_back(at / step), at %= step;
  }
  return index;
}

}  // namespace axisgrad
