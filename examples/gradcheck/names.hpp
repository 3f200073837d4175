// What a misspelt name may have meant.
#pragma once
#include <string>
#include <vector>

namespace checks {

/// The names that come near, the nearest first, at most `most`: those that hold the words of `name`
/// (a word is what stands between spaces and commas, whatever its case), and those that a few
/// insertions, deletions or replacements of a letter turn into it, about one for three letters.
std::vector<std::string> near_matches(const std::string& name,
                                      const std::vector<std::string>& names, std::size_t most = 5);

}  // namespace checks
