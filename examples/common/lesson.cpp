#include "lesson.hpp"

#include <cmath>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <axisgrad/autograd/error.hpp>

namespace lesson {

int run(int argc, char** argv, const std::string& about,
        const std::function<bool(const Options&)>& body) {
  CLI::App app(about);
  Options options;
  options.out = std::filesystem::absolute(argv[0]).parent_path() / "out";
  app.add_flag("--quick", options.quick, "A smaller version of the same, in seconds");
  app.add_option("--out", options.out, "Folder for pictures and results")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    std::error_code problem;
    std::filesystem::create_directories(options.out, problem);
    if (problem)
      axisgrad::fail("out", "cannot make the folder '", options.out.string(),
                     "': ", problem.message());
    return body(options) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

bool claim(bool holds, const std::string& sentence) {
  fmt::print("{}: {}\n", holds ? "TRUE" : "FALSE", sentence);
  return holds;
}

std::string figure(double x) {
  std::string text = fmt::format("{:.3f}", x);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text += '0';
  return text.rfind("0.", 0) == 0 ? text.substr(1) : text;
}

std::string text(const axisgrad::Shape& shape) { return fmt::format("{}", fmt::streamed(shape)); }

std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + '\'';
}

}  // namespace lesson
