#include <array>
#include <iomanip>
#include <ostream>
#include <sstream>

#include <axisgrad/nn/summary.hpp>

namespace axisgrad {
namespace {

using Cells = std::array<std::string, 4>;  // layer, output shape, parameters, count

// 12345 -> "12,345"
std::string grouped(Size n) {
  std::string digits = std::to_string(n);
  for (auto k = static_cast<std::ptrdiff_t>(digits.size()) - 3; k > 0; k -= 3)
    digits.insert(static_cast<std::size_t>(k), ",");
  return digits;
}

template <class X>
std::string text(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

std::string size_in_words(Size bytes) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2);
  const auto n = static_cast<double>(bytes);
  if (bytes < 1024)
    out << bytes << " B";
  else if (bytes < 1024 * 1024)
    out << n / 1024 << " KB";
  else
    out << n / (1024 * 1024) << " MB";
  return out.str();
}

// One line for each parameter; the first also has what concerns the layer.
std::vector<Cells> lines_of(const SummaryRow& row) {
  std::vector<Cells> lines(std::max<std::size_t>(1, row.parameters.size()));
  lines[0][0] = row.path.empty()   ? row.type
                : row.type.empty() ? row.path
                                   : row.path + " (" + row.type + ")";
  if (!row.output.empty()) lines[0][1] = text(row.output[0]);
  lines[0][3] = grouped(row.count());
  for (std::size_t k = 0; k < row.parameters.size(); ++k) {
    const SummaryParameter& p = row.parameters[k];
    lines[k][2] =
        p.name + " " + text(p.shape) + (p.trainable ? "" : " frozen") + (p.shared ? " shared" : "");
  }
  return lines;
}

}  // namespace

Size SummaryRow::count() const {
  Size n = 0;
  for (const SummaryParameter& p : parameters)
    if (!p.shared) n += p.shape.size();
  return n;
}

std::ostream& operator<<(std::ostream& out, const Summary& summary) {
  std::vector<Cells> lines{{"layer", "output shape", "parameters", "count"}};
  for (const SummaryRow& row : summary.rows)
    for (Cells& line : lines_of(row)) lines.push_back(std::move(line));
  std::array<std::size_t, 4> width{};
  for (std::size_t line = 1; line < lines.size(); ++line)
    for (std::size_t k = 0; k < 4; ++k) width[k] = std::max(width[k], lines[line][k].size());
  for (std::size_t k = 0; k < 4; ++k)  // a column that nobody fills is left out
    width[k] = width[k] ? std::max(width[k], lines[0][k].size()) : 0;
  std::size_t total = 0;
  for (std::size_t w : width) total += w ? w + 2 : 0;
  const std::string rule(total ? total - 2 : 0, '-');
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::string printed;
    for (std::size_t k = 0; k < 4; ++k) {
      if (!width[k]) continue;
      const std::string blanks(width[k] - lines[line][k].size(), ' ');
      printed += k == 3 ? blanks + lines[line][k] : lines[line][k] + blanks + "  ";
    }
    printed.erase(printed.find_last_not_of(' ') + 1);
    out << printed << '\n';
    if (line == 0) out << rule << '\n';
  }
  const auto elements = [](Size n) { return grouped(n) + (n == 1 ? " parameter" : " parameters"); };
  out << rule << '\n'
      << "total " << elements(summary.total()) << " (" << size_in_words(summary.bytes)
      << "): " << grouped(summary.trainable) << " trainable, " << grouped(summary.frozen)
      << " frozen\n";
  return out;
}

namespace detail {

// g++: "std::string axisgrad::detail::type_name() [with M = axisgrad::LSTM<float>; ...]", clang:
// "std::string axisgrad::detail::type_name() [M = axisgrad::LSTM<float>]"
std::string short_type_name(std::string_view pretty) {
  std::size_t begin = pretty.find("M = ");
  if (begin == std::string_view::npos) return std::string(pretty);
  begin += 4;
  std::size_t name = begin, end = begin;
  int depth = 0;  // of <> and (): "main()::Net", "(anonymous namespace)::Net<float>"
  std::size_t stop = std::string_view::npos;
  for (; end < pretty.size(); ++end) {
    const char c = pretty[end];
    if (depth == 0 && (c == ';' || c == ']')) break;
    if (c == '<' || c == '(') {
      if (depth++ == 0 && c == '<') stop = end;
    } else if (c == '>' || c == ')') {
      --depth;
    } else if (depth == 0 && c == ':') {
      name = end + 1, stop = std::string_view::npos;
    }
  }
  const std::string found(pretty.substr(name, std::min(stop, end) - name));
  // A lambda has no name: "<lambda(auto)>" for g++, "(lambda at file:line)" for clang.
  return found.empty() || found[0] == '(' ? "lambda" : found;
}

template <Scalar T>
Summary summary_of_list(const Parameters<T>& parameters) {
  SummaryBuilder builder;
  std::vector<std::string> paths;
  for (const Parameter<T>* p : parameters) {
    const std::size_t dot = p->name().rfind('.');
    const std::string path = dot == std::string::npos ? "" : p->name().substr(0, dot);
    if (paths.empty() || paths.back() != path) paths.push_back(path), builder.row(path);
    builder.parameter(paths.size() - 1,
                      dot == std::string::npos ? p->name() : p->name().substr(dot + 1), *p);
  }
  return builder.take();
}

template Summary summary_of_list(const Parameters<float>&);
template Summary summary_of_list(const Parameters<double>&);

}  // namespace detail
}  // namespace axisgrad
