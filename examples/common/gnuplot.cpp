#include "gnuplot.hpp"

#include <cstdlib>
#include <fstream>

#include <fmt/core.h>

#include <axisgrad/autograd/error.hpp>

#include "lesson.hpp"

namespace lesson {

std::filesystem::path run_gnuplot(const std::filesystem::path& folder, const std::string& name,
                                  const std::string& script) {
  std::ofstream(folder / (name + ".gp")) << script;
  const std::string command =
      fmt::format("cd {} && gnuplot {}", quoted(folder.string()), quoted(name + ".gp"));
  if (std::system(command.c_str()) != 0)
    axisgrad::fail("draw", "gnuplot failed on ", (folder / (name + ".gp")).string());
  return folder / (name + ".png");
}

std::string names_as_tics(const std::vector<std::string>& names) {
  std::string tics;
  for (std::size_t i = 0; i < names.size(); ++i)
    tics += fmt::format("{}'{}' {}", i ? ", " : "", names[i], i);
  return tics;
}

std::vector<std::string> numbered(const std::string& prefix, int n) {
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

}  // namespace lesson
