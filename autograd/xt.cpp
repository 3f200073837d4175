#include <charconv>
#include <fstream>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/xt.hpp>

namespace axisgrad {
namespace {

void write_file(std::string_view where, const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
    fail(where, "cannot write '", path, "'");
}

// A name as a cell: in quotes where it needs them.
std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\r\n ") == name.npos) return name;
  std::string cell = "\"";
  for (char c : name) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

}  // namespace

template <Scalar T>
void save_csv(const std::string& path, const std::vector<std::string>& names, const Tensor<T>& x) {
  const auto columns = static_cast<Size>(names.size());
  if (x.rank() != 2 || x.shape()[1] != columns)
    fail("save_csv", "needs a table with a column for each of ", columns, " names, got the shape ",
         x.shape());
  std::string text;
  for (Size c = 0; c < columns; ++c)
    text += quoted(names[static_cast<std::size_t>(c)]) + (c + 1 < columns ? ',' : '\n');
  for (Size i = 0; i < x.size(); ++i) {
    char number[32];
    text.append(number, std::to_chars(number, number + sizeof number, x.data()[i]).ptr);
    text += (i + 1) % columns ? ',' : '\n';
  }
  write_file("save_csv", path, text);
}

template void save_csv(const std::string&, const std::vector<std::string>&, const Tensor<float>&);
template void save_csv(const std::string&, const std::vector<std::string>&, const Tensor<double>&);

}  // namespace axisgrad
