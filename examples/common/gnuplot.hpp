// Pictures by gnuplot: what the kinds of pictures share.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace lesson {

/// Writes the script to FOLDER/NAME.gp and runs it in that folder, so that it can be run again by
/// hand. Returns FOLDER/NAME.png, which the script is to make. Error when gnuplot fails.
std::filesystem::path run_gnuplot(const std::filesystem::path& folder, const std::string& name,
                                  const std::string& script);

/// 'a' 0, 'b' 1, ...: names at the positions of an axis.
std::string names_as_tics(const std::vector<std::string>& names);

/// The names of n positions: prefix0, prefix1, ...
std::vector<std::string> numbered(const std::string& prefix, int n);

/// Sequential blues, from 0 to the largest.
inline constexpr const char* blues =
    "set palette defined (0 '#f7fbff', .35 '#9ecae1', .7 '#3182bd', 1 '#08306b')\n";

}  // namespace lesson
