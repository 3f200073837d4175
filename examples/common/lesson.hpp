// What the example programs share: their options, how a claim is printed, how they end.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/shape.hpp>

namespace lesson {

struct Options {
  bool quick = false;         // a smaller version of the same, in seconds
  std::filesystem::path out;  // folder for pictures and results
};

/// Reads --quick and --out, then runs the lesson, which returns whether all that it claims is true.
/// The program's exit code: 0 if so, 1 if not or if an error was thrown, CLI11's for bad options.
int run(int argc, char** argv, const std::string& about,
        const std::function<bool(const Options&)>& body);

/// Prints the sentence under "TRUE" or "FALSE" and returns which.
bool claim(bool holds, const std::string& sentence);

/// Seconds since it was made.
class Clock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A weight as the pictures write it, to three places: .334, .05.
std::string figure(double x);

/// (100,4,12)
std::string text(const axisgrad::Shape& shape);

/// What the Error of f() says; empty when f throws none.
template <class F>
std::string refusal(const F& f) {
  try {
    static_cast<void>(f());
    return {};
  } catch (const axisgrad::Error& error) {
    return error.what();
  }
}

/// The text as one word for the shell.
std::string quoted(const std::string& text);

}  // namespace lesson
