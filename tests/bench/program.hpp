// What the benchmark programs share: their command line and their output. In a translation unit of
// its own, since the libraries behind it take longer to compile than the benchmarks.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "measure.hpp"

namespace bench {

/// Options of a program, each read into a variable that holds what it is when not given.
class Options {
 public:
  explicit Options(const std::string& about);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  enum class Kind { optional, required };
  using Names = std::vector<std::string>;
  /// allowed: the values it may have; none: any.
  void text(const char* name, std::string& value, const char* what, Kind kind = Kind::optional,
            const Names& allowed = {});
  void list(const char* name, Names& values, const char* what, const Names& allowed = {});
  void positive(const char* name, long& value, const char* what, Kind kind = Kind::optional);
  void flag(const char* name, bool& value, const char* what);
  /// --seconds and --clock
  void settings(Settings& settings);

 private:
  struct App;
  friend int program(int, char**, Options&, const std::function<void()>&);
  std::unique_ptr<App> app_;
};

/// Reads the options and runs `body`. The program's exit code: 1 if an error was thrown, which is
/// printed, the parser's for bad options.
int program(int argc, char** argv, Options& options, const std::function<void()>& body);

/// A JSON object on one line of the standard output, its members in this order; nothing is null.
using Member =
    std::pair<const char*,
              std::variant<std::string, double, long, std::optional<double>, std::optional<long>>>;
void print_line(const std::vector<Member>& members);

}  // namespace bench
