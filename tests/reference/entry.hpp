// What index.json says of one reference file.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <axisgrad/nn/weights/json.hpp>
#include <axisgrad/nn/weights/safetensors.hpp>

namespace axisgrad::reference {

struct Tolerance {
  double rtol = 0, atol = 0;
};

/// How the loss follows from the outputs.
enum class LossKind { none, cotangent, half_square, out };

struct Entry {
  std::string name, block;
  std::shared_ptr<const Json> options;  // an object
  std::vector<std::string> inputs, parameters, outputs, gradients;
  std::set<std::string> zero_by_theory;
  LossKind loss = LossKind::none;
  Tolerance in_double, in_float;
  std::map<std::string, std::pair<Shape, Dtype>> arrays;  // as the index describes them

  bool has_input(const std::string& input) const;
};

/// Error naming the field that is missing or of the wrong kind.
[[nodiscard]] Entry parse_entry(const std::string& name, const Json& json);

/// The entries of DIR/index.json, not yet parsed, so that a bad one fails alone.
[[nodiscard]] std::vector<std::pair<std::string, Json>> read_index(
    const std::filesystem::path& directory);

/// Error when the file does not hold the arrays that the index describes.
void require_arrays(const Entry& entry, const ArrayFile& file);

/// Every array that is compared, by the README of the reference arrays.
[[nodiscard]] std::vector<std::string> compared_arrays(const Entry& entry, const ArrayFile& file);

}  // namespace axisgrad::reference
