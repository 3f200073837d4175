#include <algorithm>
#include <filesystem>
#include <fstream>

#include <axisgrad/nn/data/table.hpp>

namespace axisgrad {
namespace {

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "'" : ", '") + n + "'";
  return all;
}

Size find(const std::vector<std::string>& names, std::string_view name, std::string_view kind) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    fail("table", "there is no ", kind, " '", name, "'; there are: ", listed(names));
  return at - names.begin();
}

}  // namespace

Size Table::index(std::string_view name) const { return find(names, name, "column"); }

std::vector<Size> Table::indices(const std::vector<std::string>& selected) const {
  std::vector<Size> all;
  for (const std::string& name : selected) {
    all.push_back(index(name));
    if (std::count(all.begin(), all.end(), all.back()) > 1)
      fail("table", "column '", name, "' is named twice");
  }
  return all;
}

Table Table::select(const std::vector<std::string>& selected) const {
  const std::vector<Size> from = indices(selected);
  Table t{selected, Tensor<double>({rows(), static_cast<Size>(from.size())}), text_names, texts};
  double* to = t.values.mutable_data();
  for (Size r = 0; r < rows(); ++r)
    for (Size c : from) *to++ = values.data()[r * columns() + c];
  return t;
}

Table Table::take(Rows range) const {
  Table t{names, take_rows(values, range), text_names, {}};
  for (const auto& column : texts)
    t.texts.emplace_back(column.begin() + range.begin, column.begin() + range.end);
  return t;
}

const std::vector<std::string>& Table::text(std::string_view name) const {
  return texts[static_cast<std::size_t>(find(text_names, name, "column of text"))];
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  if (!std::filesystem::exists(path)) fail("read_csv", "there is no file '", path, "'");
  if (std::filesystem::is_directory(path)) fail("read_csv", "'", path, "' is a folder, not a file");
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : -1;
  std::string text(static_cast<std::size_t>(std::max<std::streamoff>(size, 0)), '\0');
  if (size < 0 || !file.seekg(0).read(text.data(), size))
    fail("read_csv", "cannot read '", path, "'");
  return parse_csv(text, options, path);
}

}  // namespace axisgrad
