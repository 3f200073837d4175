#include "names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace checks {
namespace {

// In small letters, punctuation as spaces.
std::string folded(std::string text) {
  for (char& c : text) {
    const auto letter = static_cast<unsigned char>(c);
    c = std::isalnum(letter) || c == '_' ? static_cast<char>(std::tolower(letter)) : ' ';
  }
  return text;
}

bool holds_words(const std::string& text, const std::string& words) {
  for (std::size_t begin = 0, end; begin < words.size(); begin = end + 1) {
    end = std::min(words.find(' ', begin), words.size());
    if (text.find(words.substr(begin, end - begin)) == std::string::npos) return false;
  }
  return true;
}

// Levenshtein's: the fewest insertions, deletions and replacements, row by row.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> near_matches(const std::string& name,
                                      const std::vector<std::string>& names, std::size_t most) {
  const std::string wanted = folded(name);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& other : names) {
    const std::string text = folded(other);
    const std::size_t far = distance(wanted, text);
    if (3 * far <= wanted.size() + 1 || holds_words(text, wanted)) found.emplace_back(far, other);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (found.size() > most) found.resize(most);
  std::vector<std::string> result;
  for (auto& [far, other] : found) result.push_back(std::move(other));
  return result;
}

}  // namespace checks
