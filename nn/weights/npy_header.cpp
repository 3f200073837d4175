#include <charconv>
#include <set>
#include <vector>

#include <axisgrad/nn/weights/npy_header.hpp>

namespace axisgrad::detail {
namespace {

// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, the keys in any order.
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : text_(text) {}

  NpyHeader read() {
    NpyHeader header;
    std::set<std::string> keys;
    expect('{');
    while (!next_is('}')) {
      const std::string key = quoted();
      expect(':');
      if (!keys.insert(key).second) refuse_npy("its header gives '", key, "' twice");
      if (key == "descr")
        header.type = type();
      else if (key == "fortran_order")
        header.fortran_order = boolean();
      else if (key == "shape")
        header.shape = shape();
      else
        refuse_npy("its header has the unknown key '", key, "'");
      if (!next_is('}')) expect(',');
    }
    expect('}');
    if (skip_spaces(); at_ != text_.size()) unexpected("its end");
    for (const char* key : {"descr", "fortran_order", "shape"})
      if (!keys.contains(key)) refuse_npy("its header has no '", key, "'");
    return header;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool next_is(char c) {
    skip_spaces();
    return at_ < text_.size() && text_[at_] == c;
  }
  void expect(char c) {
    if (!next_is(c)) unexpected(std::string("'") + c + "'");
    ++at_;
  }
  [[noreturn]] void unexpected(const std::string& expected) const {
    refuse_npy("its header is not one that NumPy writes: expected ", expected, " at byte ", at_,
               " of ", text_);
  }
  std::string quoted() {
    const char quote = next_is('"') ? '"' : '\'';
    expect(quote);
    const std::size_t end = text_.find(quote, at_);
    if (end == text_.npos) unexpected("a closing quote");
    const std::string word(text_.substr(at_, end - at_));
    at_ = end + 1;
    return word;
  }
  std::string type() {
    if (next_is('[')) refuse_npy("it holds records, one array for each is needed");
    return quoted();
  }
  bool boolean() {
    skip_spaces();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    unexpected("True or False");
  }
  Shape shape() {
    std::vector<Size> sizes;
    expect('(');
    while (!next_is(')')) {
      Size n = 0;
      const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
      const auto [stop, error] = std::from_chars(begin, end, n);
      if (error != std::errc() || n < 0) unexpected("a size");
      at_ += static_cast<std::size_t>(stop - begin);
      sizes.push_back(n);
      if (!next_is(')')) expect(',');
    }
    expect(')');
    return Shape(sizes.data(), static_cast<int>(sizes.size()));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes) {
  constexpr std::string_view magic = "\x93NUMPY";
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.substr(0, magic.size()) != magic) refuse_npy("it is no .npy file");
  if (bytes.size() < 8) refuse_npy("it ends within its header");
  const int version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    refuse_npy("its format version is ", version, '.', int{byte(7)}, "; 1.0, 2.0 and 3.0 are read");
  const std::size_t width = version == 1 ? 2 : 4, begin = 8 + width;
  std::size_t length = 0;
  if (bytes.size() >= begin)
    for (std::size_t i = 0; i < width; ++i) length += std::size_t{byte(8 + i)} << 8 * i;
  if (bytes.size() < begin + length) refuse_npy("it ends within its header");
  NpyHeader header = Dictionary(bytes.substr(begin, length)).read();
  header.data_begin = begin + length;
  return header;
}

}  // namespace axisgrad::detail
