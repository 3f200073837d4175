// The options of a reference file, read by name. Each that the file gives must be asked for: one
// that nobody reads is unknown, and an error.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <axisgrad/autograd/axis.hpp>
#include <axisgrad/autograd/shape.hpp>
#include <axisgrad/nn/weights/json.hpp>

namespace axisgrad::reference {

/// The spellings of an option and what they mean.
template <class V>
using Choices = std::vector<std::pair<std::string, V>>;

class Options {
 public:
  explicit Options(std::shared_ptr<const Json> options) : options_(std::move(options)) {}

  /// Whether it is given; asking counts as reading.
  [[nodiscard]] bool has(const std::string& name) { return find(name) != nullptr; }
  // null counts as absent; without a default the option must be there.
  [[nodiscard]] Size size(const std::string& name, std::optional<Size> otherwise = {});
  [[nodiscard]] int axis(const std::string& name, std::optional<int> otherwise = {});
  /// An axis or a list of axes.
  [[nodiscard]] Axes axes(const std::string& name, std::optional<Axes> otherwise = {});
  [[nodiscard]] double number(const std::string& name, std::optional<double> otherwise = {});
  /// A number that may be left out where the library has a default of its own.
  [[nodiscard]] std::optional<double> optional_number(const std::string& name) {
    return find(name) ? std::optional(number(name)) : std::nullopt;
  }
  [[nodiscard]] bool flag(const std::string& name, std::optional<bool> otherwise = {});
  [[nodiscard]] std::string text(const std::string& name,
                                 std::optional<std::string> otherwise = {});
  template <class V>
  [[nodiscard]] V choice(const std::string& name, const Choices<V>& choices,
                         std::optional<V> otherwise = {}) {
    if (otherwise && !find(name)) return *otherwise;
    const std::string given = text(name);
    std::string known;
    for (const auto& [spelling, value] : choices) {
      if (spelling == given) return value;
      known += (known.empty() ? "" : ", ") + spelling;
    }
    refuse(name, "one of " + known);
  }

  /// Error naming the options that were given and never asked for.
  void require_all_read() const;

 private:
  const Json* find(const std::string& name);
  template <class V>
  V get(const std::string& name, const std::optional<V>& otherwise, bool (*fits)(const Json&),
        const char* expected);
  [[noreturn]] void refuse(const std::string& name, const std::string& expected) const;

  std::shared_ptr<const Json> options_;
  std::set<std::string> read_;
};

}  // namespace axisgrad::reference
