// The options of the programs here, and the JSON lines that they answer with. CLI11 and nlohmann's
// JSON, which take seconds to compile, are in command_line.cpp alone.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "measure.hpp"

namespace CLI {
class App;
}

namespace bench {

using Names = std::vector<std::string>;

class CommandLine {
 public:
  explicit CommandLine(const std::string& about);
  ~CommandLine();
  void flag(const char* name, bool& to, const char* help);
  /// Of a few words: none but `allowed`, where there are any.
  void option(const char* name, std::string& to, const char* help, const Names& allowed = {});
  /// A list separated by commas.
  void option(const char* name, Names& to, const char* help, const Names& allowed = {});
  void option(const char* name, double& to, const char* help);
  void option(const char* name, int& to, const char* help);
  /// More than 0.
  void positive(const char* name, int& to, const char* help);
  void positive(const char* name, std::ptrdiff_t& to, const char* help);
  /// --seconds and --clock
  void measuring(Settings& settings);
  void require(const char* name);
  /// The exit code if there is nothing to do: an option is wrong, or help was asked for.
  [[nodiscard]] std::optional<int> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

/// A member of an object; null when the optional is empty.
struct Member {
  using Value = std::variant<std::nullptr_t, std::string, double, std::ptrdiff_t>;
  Member(const char* name, Value value) : name(name), value(std::move(value)) {}
  template <class T>
  Member(const char* name, const std::optional<T>& value) : name(name) {
    if (value) this->value = *value;
  }
  const char* name;
  Value value;
};

/// One line on the standard output.
void print_line(std::initializer_list<Member> members);

}  // namespace bench
