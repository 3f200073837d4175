#include "files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include <unistd.h>

#include <axisgrad/autograd/error.hpp>

namespace forecast {

std::string read_file(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    axisgrad::fail("forecast", "there is no file '", path.string(), "'");
  if (std::filesystem::is_directory(path))
    axisgrad::fail("forecast", "'", path.string(), "' is a folder, not a file");
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string text(file ? static_cast<std::size_t>(file.tellg()) : 0, '\0');
  if (!file || !file.seekg(0).read(text.data(), static_cast<std::streamsize>(text.size())))
    axisgrad::fail("forecast", "cannot read '", path.string(), "'");
  return text;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path part = path.string() + ".new" + std::to_string(::getpid());
  const auto give_up = [&](int reason) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    axisgrad::fail("forecast", "cannot write '", path.string(), "': ", std::strerror(reason));
  };
  {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(part.c_str(), "wb"),
                                                               std::fclose);
    if (!file) give_up(errno);
    // On the disk before the name points to it.
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
        std::fflush(file.get()) != 0 || ::fsync(::fileno(file.get())) != 0)
      give_up(errno);
  }
  if (std::rename(part.c_str(), path.c_str()) != 0) give_up(errno);
}

void make_folder(const std::filesystem::path& path) {
  std::error_code reason;
  std::filesystem::create_directories(path, reason);
  if (!std::filesystem::is_directory(path))
    axisgrad::fail("forecast", "cannot make the folder '", path.string(),
                   "': ", reason ? reason.message() : "there is a file of this name");
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

}  // namespace forecast
