#include "entry.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include <axisgrad/autograd/error.hpp>

namespace axisgrad::reference {
namespace {

constexpr std::string_view where = "golden";

const Json& field(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) fail(where, "the index gives no ", name);
  return *found;
}

std::vector<std::string> names(const Json& json, const char* name) {
  if (!json.is_array() ||
      !std::all_of(json.begin(), json.end(), [](const Json& j) { return j.is_string(); }))
    fail(where, name, " in the index is ", json, ", expected a list of names");
  return json;
}

Tolerance tolerance(const Json& json, const char* precision) {
  const Json& given = field(json, precision);
  Tolerance result;
  for (auto [name, value] : {std::pair{"rtol", &result.rtol}, {"atol", &result.atol}}) {
    const Json& number = field(given, name);
    if (!number.is_number() || number < 0)
      fail(where, name, " of ", precision, " in the index is ", number, ", expected a number >= 0");
    *value = number;
  }
  return result;
}

LossKind loss_kind(const Json& json) {
  if (json.is_null()) return LossKind::none;
  if (json == "cotangent") return LossKind::cotangent;
  if (json == "half_square") return LossKind::half_square;
  if (json == "out") return LossKind::out;
  fail(where, "loss in the index is ", json, ", expected cotangent, half_square, out or null");
}

std::pair<Shape, Dtype> description(const std::string& name, const Json& json) {
  static const std::map<std::string, Dtype> dtypes{{"float32", Dtype::f32},
                                                   {"float64", Dtype::f64},
                                                   {"int64", Dtype::i64},
                                                   {"bool", Dtype::boolean}};
  const Json &shape = field(json, "shape"), &dtype = field(json, "dtype");
  const auto known = dtype.is_string() ? dtypes.find(dtype) : dtypes.end();
  const bool sizes = shape.is_array() && shape.size() <= max_rank &&
                     std::all_of(shape.begin(), shape.end(),
                                 [](const Json& j) { return j.is_number_integer() && j >= 0; });
  if (!sizes || known == dtypes.end())
    fail(where, "array ", name, " in the index has shape ", shape, " and dtype ", dtype);
  const std::vector<Size> list = shape;
  return {Shape(list.data(), static_cast<int>(list.size())), known->second};
}

bool starts_with_any(const std::string& name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return name.starts_with(p); });
}

}  // namespace

bool Entry::has_input(const std::string& input) const {
  return std::find(inputs.begin(), inputs.end(), input) != inputs.end();
}

Entry parse_entry(const std::string& name, const Json& json) {
  if (!json.is_object()) fail(where, "the index gives ", json, ", expected an object");
  Entry entry;
  entry.name = name;
  const Json& block = field(json, "block");
  if (!block.is_string()) fail(where, "block in the index is ", block, ", expected a name");
  entry.block = block;
  entry.options = std::make_shared<const Json>(field(json, "options"));
  if (!entry.options->is_object())
    fail(where, "options in the index are ", *entry.options, ", expected an object");
  entry.inputs = names(field(json, "inputs"), "inputs");
  entry.parameters = names(field(json, "parameters"), "parameters");
  entry.outputs = names(field(json, "outputs"), "outputs");
  entry.gradients = names(field(json, "gradients"), "gradients");
  entry.loss = loss_kind(field(json, "loss"));
  const Json& both = field(json, "tolerance");
  entry.in_double = tolerance(both, "float64");
  entry.in_float = tolerance(both, "float32");
  if (json.contains("zero_by_theory"))
    for (const std::string& array : names(json["zero_by_theory"], "zero_by_theory"))
      entry.zero_by_theory.insert(array);
  for (const auto& [array, described] : field(json, "tensors").items())
    entry.arrays.emplace(array, description(array, described));
  return entry;
}

std::vector<std::pair<std::string, Json>> read_index(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "index.json";
  const std::string file = "'" + path.string() + "'";
  std::ifstream stream(path, std::ios::binary);
  if (!stream || !std::filesystem::is_regular_file(path))
    fail(where, file, " does not exist or cannot be read");
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const Json index = parse_json(text, where, file);
  if (!index.is_object() || !index.contains("files") || !index["files"].is_object())
    fail(where, file, " has no object 'files'");
  std::vector<std::pair<std::string, Json>> entries;
  for (const auto& [name, json] : index["files"].items()) entries.emplace_back(name, json);
  if (entries.empty()) fail(where, file, " lists no files");
  return entries;
}

void require_arrays(const Entry& entry, const ArrayFile& file) {
  for (const auto& [name, described] : entry.arrays) {
    if (!file.contains(name)) fail(where, "array ", name, " of the index is not in the file");
    const StoredArray& stored = file.at(name);
    if (stored.shape != described.first || stored.dtype != described.second)
      fail(where, "array ", name, " is ", name_of(stored.dtype), ' ', stored.shape,
           " in the file and ", name_of(described.second), ' ', described.first, " in the index");
  }
}

std::vector<std::string> compared_arrays(const Entry& entry, const ArrayFile& file) {
  std::vector<std::string> all = entry.outputs;
  auto add = [&](const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  if (entry.loss != LossKind::none) add("loss");
  for (const std::string& name : entry.gradients) add(name);
  for (const StoredArray& array : file.arrays()) {
    const std::string& n = array.name;
    const bool given =
        entry.has_input(n) ||
        std::find(entry.parameters.begin(), entry.parameters.end(), n) != entry.parameters.end();
    if (!given && (n == "losses" || n == "steps" || n == "learning_rate" || n == "norm" ||
                   starts_with_any(n, {"hv.", "final.", "clipped.", "grad_full.", "grad_plain.",
                                       "grad_detached_mean.", "state_"})))
      add(n);
  }
  if (all.empty()) fail(where, "there is nothing to compare");
  return all;
}

}  // namespace axisgrad::reference
