// Text files that are not UTF-8.
#pragma once
#include <string>
#include <string_view>

namespace axisgrad {

/// A text as UTF-8 with \n or \r\n behind its lines; `text` only if it had to be changed.
struct DecodedText {
  std::string_view encoding = "UTF-8";  // or "UTF-16", "Windows-1252"
  bool changed = false;
  std::string text{};

  /// `original` is the text that was decoded.
  [[nodiscard]] std::string_view view(std::string_view original) const {
    return changed ? std::string_view(text) : original;
  }
};

/// UTF-16 is told by its byte-order mark. In every other text the bytes that are no UTF-8 sequence
/// (Unicode 15, table 3-7) stand for what they are in Windows-1252, of which Latin-1 is a part; its
/// five bytes without a meaning become the control characters of Latin-1, as in browsers. A
/// byte-order mark of UTF-8 stays. Where \r alone ends the lines it becomes \n.
[[nodiscard]] DecodedText decode_text(std::string_view text);

}  // namespace axisgrad
