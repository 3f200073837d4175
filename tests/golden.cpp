// golden DIR: computes every reference file of a folder with this library and compares, in double
// and in float. DIR/README.md says what is compared.
#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include <axisgrad/autograd/error.hpp>

#include "reference/entry.hpp"
#include "reference/run.hpp"

namespace {

struct Selection {
  std::string only = "*";
  std::vector<std::string> blocks;

  bool takes(const std::string& name, const std::string& block) const {
    return fnmatch(only.c_str(), name.c_str(), 0) == 0 &&
           (blocks.empty() || std::find(blocks.begin(), blocks.end(), block) != blocks.end());
  }
};

// Empty when the entry is so wrong that it names none.
std::string block_of(const axisgrad::Json& entry) {
  const auto named = entry.is_object() ? entry.find("block") : entry.end();
  return named != entry.end() && named->is_string() ? named->get<std::string>() : std::string();
}

int run(const std::string& directory, const Selection& selection, bool list) {
  int passed = 0, failed = 0;
  auto report = [&](bool ok, const std::string& name, const std::string& text) {
    fmt::print("{:<7} {}: {}\n", ok ? "ok" : "FAILED", name, text);
    ++(ok ? passed : failed);
  };
  try {
    bool any = false;
    for (const auto& [name, entry] : axisgrad::reference::read_index(directory)) {
      const std::string block = block_of(entry);
      if (!selection.takes(name, block)) continue;
      any = true;
      if (list) {
        fmt::print("{:<24} {}\n", block, name);
        continue;
      }
      const auto verdict = axisgrad::reference::run_file(directory, name, entry);
      report(verdict.passed, name, verdict.text);
    }
    if (!any) axisgrad::fail("golden", "no file of the index is selected");
  } catch (const axisgrad::Error& e) {
    report(false, "index.json", e.what());
  }
  if (!list || failed) fmt::print("{} passed, {} failed\n", passed, failed);
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Compares this library with the reference arrays of a folder, in double and in float."};
  std::string directory;
  Selection selection;
  bool list = false;
  app.add_option("DIR", directory, "folder with index.json and the .safetensors files");
  app.add_option("--only", selection.only,
                 "only files whose name matches this pattern, as dense_*");
  app.add_option("--blocks", selection.blocks, "only files of these blocks, as Dense,loss")
      ->delimiter(',');
  app.add_flag("--list", list, "list block and name of the selected files, run nothing");
  CLI11_PARSE(app, argc, argv);
  // Not by required(): a misspelt option is to be named even where DIR is missing.
  if (directory.empty()) return app.exit(CLI::RequiredError("DIR"));
  return run(directory, selection, list);
}
