#include "run.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "block.hpp"

namespace axisgrad::reference {
namespace {

template <Scalar T>
std::vector<Agreement> agreements(const Entry& entry, const ArrayFile& file,
                                  void (*block)(Case<T>&)) {
  Case<T> c(entry, file);
  block(c);
  const Arrays<T> results = c.finish();
  std::vector<Agreement> all;
  for (const std::string& name : compared_arrays(entry, file)) {
    const auto found = results.find(name);
    if (found == results.end()) fail("golden", "the block does not give ", name);
    all.push_back(compare(entry, file, name, found->second));
  }
  // Disagreement first; among equals the larger share.
  std::stable_sort(all.begin(), all.end(),
                   [](const Agreement& a, const Agreement& b) { return a.share > b.share; });
  return all;
}

// What is wrong in one precision: the worst array in full, the others by name.
std::string complaint(const char* precision, const std::vector<Agreement>& all) {
  if (all[0].holds()) return {};
  std::string text = fmt::format("{}: {}", precision, describe(all[0]));
  for (std::size_t k = 1; k < all.size() && !all[k].holds(); ++k)
    text += (k == 1 ? "; also " : ", ") + all[k].array;
  return text;
}

Verdict run_entry(const std::filesystem::path& directory, const Entry& entry) {
  const Block* block = find_block(entry.block);
  if (!block) return {false, "block " + entry.block + " is not known"};
  const ArrayFile file = read_safetensors(directory / (entry.name + ".safetensors"));
  require_arrays(entry, file);
  const auto in_double = agreements<double>(entry, file, block->in_double);
  const auto in_float = agreements<float>(entry, file, block->in_float);
  std::string wrong = complaint("double", in_double);
  const std::string also = complaint("float", in_float);
  if (!wrong.empty() && !also.empty()) wrong += "; ";
  if (wrong += also; !wrong.empty()) return {false, wrong};
  return {true, fmt::format(
                    "{} arrays; of the tolerance used: {:.2g} in double ({}), {:.2g} in float ({})",
                    in_double.size(), in_double[0].share, in_double[0].array, in_float[0].share,
                    in_float[0].array)};
}

}  // namespace

const Block* find_block(std::string_view name) {
  for (const auto& list : {layers(), recurrent(), gates(), attentions(), variables(), networks(),
                           optimizers(), training(), trajectories()})
    for (const Block& block : list)
      if (block.name == name) return &block;
  return nullptr;
}

Verdict run_file(const std::filesystem::path& directory, const std::string& name,
                 const Json& entry) {
  try {
    return run_entry(directory, parse_entry(name, entry));
  } catch (const std::exception& e) {
    return {false, e.what()};
  }
}

}  // namespace axisgrad::reference
