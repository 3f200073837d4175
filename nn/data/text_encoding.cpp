// Written out rather than left to iconv: that refuses the first byte that does not fit, and knows
// no text of two encodings.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <axisgrad/nn/data/text_encoding.hpp>

namespace axisgrad {
namespace {

// Of the bytes 0x80 to 0x9F; all others are their own code points.
constexpr std::array<char16_t, 32> windows_1252{
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

std::uint8_t byte(char c) { return static_cast<std::uint8_t>(c); }

void append(std::string& text, char32_t code) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    tail(12), tail(6), tail(0);
  }
}

// Bytes of the sequence at the front that is no ASCII; 0 when it is no UTF-8. The second byte is
// what rules out long forms, surrogates and what lies beyond U+10FFFF.
std::size_t sequence(std::string_view s) {
  const std::uint8_t lead = byte(s[0]);
  const std::size_t n = lead >= 0xC2 && lead <= 0xDF   ? 2
                        : lead >= 0xE0 && lead <= 0xEF ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  if (n == 0 || s.size() < n) return 0;
  const int low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const int high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(s[1]) < low || byte(s[1]) > high) return 0;
  for (std::size_t i = 2; i < n; ++i)
    if ((byte(s[i]) & 0xC0) != 0x80) return 0;
  return n;
}

// The first byte from `at` on that is no ASCII, eight at a time.
std::size_t beyond_ascii(std::string_view text, std::size_t at) {
  for (std::uint64_t eight = 0; at + 8 <= text.size(); at += 8) {
    std::memcpy(&eight, text.data() + at, 8);
    if (eight & 0x8080808080808080u) break;
  }
  while (at < text.size() && byte(text[at]) < 0x80) ++at;
  return at;
}

DecodedText from_bytes(std::string_view text) {
  DecodedText decoded;
  std::size_t copied = 0, at = beyond_ascii(text, 0);
  while (at < text.size()) {
    const std::size_t n = sequence(text.substr(at));
    if (n == 0) {
      decoded.encoding = "Windows-1252", decoded.changed = true;
      decoded.text.append(text, copied, at - copied);
      const std::uint8_t b = byte(text[at]);
      append(decoded.text, b < 0xA0 ? windows_1252[b - 0x80u] : b);
      copied = at + 1;
    }
    at = beyond_ascii(text, at + std::max(n, std::size_t{1}));
  }
  if (copied > 0) decoded.text.append(text, copied);
  return decoded;
}

DecodedText from_utf16(std::string_view text, bool big) {
  DecodedText decoded{"UTF-16", true, {}};
  const auto unit = [&](std::size_t at) {
    return static_cast<char32_t>(byte(text[at + !big]) << 8 | byte(text[at + big]));
  };
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    char32_t code = unit(at);
    if (code >= 0xD800 && code < 0xE000) {  // two make one, or nothing
      const char32_t second = at + 3 < text.size() ? unit(at + 2) : 0;
      const bool pair = code < 0xDC00 && second >= 0xDC00 && second < 0xE000;
      code = pair ? 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00) : 0xFFFD;
      at += pair ? 2 : 0;
    }
    append(decoded.text, code);
  }
  return decoded;
}

}  // namespace

DecodedText decode_text(std::string_view text) {
  const std::string_view mark = text.substr(0, 2);
  const bool utf16 = mark == "\xFF\xFE" || mark == "\xFE\xFF";
  DecodedText decoded = utf16 ? from_utf16(text, mark[0] == '\xFE') : from_bytes(text);
  const std::string_view now = decoded.view(text);
  if (now.find('\n') == now.npos && now.find('\r') != now.npos) {
    if (!decoded.changed) decoded.text = text;
    decoded.changed = true;
    std::replace(decoded.text.begin(), decoded.text.end(), '\r', '\n');
  }
  return decoded;
}

}  // namespace axisgrad
