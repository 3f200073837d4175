// Files of a run folder: whole or not at all.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace forecast {

/// The whole file. Error with its name when it is missing or cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);
/// Through a temporary file beside it that is renamed when complete: whoever looks, also after a
/// crash, finds the old file or the new one. Error when it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view text);
/// The folder and those above it, where they are not there yet. Error when they cannot be made.
void make_folder(const std::filesystem::path& path);

/// A text as a cell of a CSV file: in quotes where it has to be.
[[nodiscard]] std::string csv_cell(const std::string& text);

/// Removes what a killed process left half-written in a folder and those within it. Files of a
/// process that runs stay.
void remove_half_written(const std::filesystem::path& folder);

}  // namespace forecast
