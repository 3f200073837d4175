// A false alarm of g++ 12 in its own <regex>, which xnpy uses, when it builds with sanitizers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include <xtensor/xnpy.hpp>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/xt.hpp>

namespace axisgrad {
namespace {

// What the header of a .npy file says.
struct Npy {
  std::string type;  // '<f4'
  bool fortran_order = false;
  Shape shape;
};

// xtensor's parser reads what it does not understand as 0 and trusts lengths; what it relies on is
// checked in front of it.
Npy read_header(std::istream& file) {
  unsigned char major = 0, minor = 0;
  xt::detail::read_magic(file, &major, &minor);
  if (minor != 0 || (major != 1 && major != 2)) throw Error("its format version is not 1.0 or 2.0");
  std::string header =
      major == 1 ? xt::detail::read_header_1_0(file) : xt::detail::read_header_2_0(file);
  if (!file) throw Error("it ends within its header");
  std::string bare = header;
  bare.erase(std::remove(bare.begin(), bare.end(), ' '), bare.end());
  const std::string key = "'shape':(";
  const auto shape_at = bare.find(key);
  if (shape_at == bare.npos) throw Error("its header names no shape");
  const auto digits_end = bare.find_first_not_of("0123456789,", shape_at + key.size());
  if (digits_end == bare.npos || bare[digits_end] != ')')
    throw Error("the shape in its header is not one");

  Npy npy;
  std::vector<std::size_t> sizes;
  xt::detail::parse_header(header, npy.type, &npy.fortran_order, sizes);
  const std::vector<Size> signed_sizes(sizes.begin(), sizes.end());
  npy.shape = Shape(signed_sizes.data(), static_cast<int>(sizes.size()));
  return npy;
}

template <class T>
Tensor<T> read_elements(std::istream& file, const Npy& npy, Size bytes_left) {
  const auto bytes = npy.shape.size() * static_cast<Size>(sizeof(T));
  if (bytes != bytes_left)
    throw Error("its header says " + std::to_string(bytes) + " bytes of data, it has " +
                std::to_string(bytes_left));
  Tensor<T> x(npy.shape);
  file.read(reinterpret_cast<char*>(x.mutable_data()), static_cast<std::streamsize>(bytes));
  if (!file) throw Error("it cannot be read");
  if (!npy.fortran_order) return x;
  const std::vector<std::size_t> shape(npy.shape.begin(), npy.shape.end());
  return adapt_in(xt::adapt<xt::layout_type::column_major>(
      x.data(), static_cast<std::size_t>(x.size()), xt::no_ownership(), shape));
}

template <class T>
Tensor<T> read_npy(std::istream& file, Size file_bytes) {
  const Npy npy = read_header(file);
  const Size left = file_bytes - static_cast<Size>(file.tellg());
  if (npy.type == xt::detail::build_typestring<float>())
    return Tensor<T>(read_elements<float>(file, npy, left));
  if (npy.type == xt::detail::build_typestring<double>())
    return Tensor<T>(read_elements<double>(file, npy, left));
  throw Error("it holds '" + npy.type + "', not float32 or float64 of this machine's byte order");
}

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
Tensor<T> load_npy(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) fail("load_npy", "there is no file '", path, "'");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("load_npy", "cannot read '", path, "'");
  try {
    return read_npy<T>(file, static_cast<Size>(std::filesystem::file_size(path)));
  } catch (const std::exception& e) {
    fail("load_npy", "cannot read '", path, "': ", e.what());
  }
}

template <Scalar T>
void save_npy(const std::string& path, const Tensor<T>& x) {
  if (x.empty()) fail("save_npy", "an empty tensor has no values to write to '", path, "'");
  write_file("save_npy", path, xt::dump_npy(adapt_out(x)));
}

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

template Tensor<float> load_npy(const std::string&);
template Tensor<double> load_npy(const std::string&);
template void save_npy(const std::string&, const Tensor<float>&);
template void save_npy(const std::string&, const Tensor<double>&);
template void save_csv(const std::string&, const std::vector<std::string>&, const Tensor<float>&);
template void save_csv(const std::string&, const std::vector<std::string>&, const Tensor<double>&);

}  // namespace axisgrad
