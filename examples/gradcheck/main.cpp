// build/examples/gradcheck: every op, module and model of the library against differences.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "names.hpp"
#include "run.hpp"

namespace {

using nlohmann::ordered_json;

struct Options {
  bool list = false, json = false, quick = false;
  std::vector<std::string> only;
  std::string dtype = "double";
  int order = 1;
};

ordered_json number(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }

ordered_json to_json(const checks::Result& r) {
  ordered_json worst = nullptr;
  if (r.worst)
    worst = {{"where", r.worst->where},
             {"index", r.worst->index},
             {"analytic", number(r.worst->analytic)},
             {"numeric", number(r.worst->numeric)}};
  return {{"name", r.name},
          {"kind", r.kind},
          {"order", r.order},
          {"max_rel_error", number(r.max_rel_error)},
          {"worst", worst},
          {"passed", r.passed},
          {"seconds", number(r.seconds)}};
}

std::string position(const checks::Worst& worst) {
  std::string text;
  for (const auto i : worst.index) text += (text.empty() ? "" : ",") + std::to_string(i);
  return worst.where + " at (" + text + ")";
}

void print(const checks::Result& r) {
  fmt::print("{:<7} {:<52} {:>8.1e} {:>7.2f}  {:<6} {}\n", r.kind, r.name, r.max_rel_error,
             r.seconds, r.passed ? "right" : "WRONG", r.worst ? position(*r.worst) : "");
  if (!r.text.empty()) fmt::print("{}", r.text);
  std::fflush(stdout);
}

// The checks with these names; all when none is named. Returns what is wrong with a name.
std::string select(std::vector<checks::Check>& all, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const auto& check : all) known.push_back(check.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto close = checks::near_matches(name, known);
    return fmt::format("There is no check '{}'{}: --list shows all {} names.", name,
                       close.empty() ? "" : fmt::format(", but '{}'", fmt::join(close, "', '")),
                       known.size());
  }
  if (!names.empty())
    std::erase_if(all, [&](const auto& c) {
      return std::find(names.begin(), names.end(), c.name) == names.end();
    });
  return "";
}

int run(const Options& o) {
  auto all = checks::all_checks();
  if (const std::string error = select(all, o.only); !error.empty()) {
    fmt::print(stderr, "{}\n", error);
    return 2;
  }
  if (o.list) {
    for (const auto& check : all) fmt::print("{:<7} {}\n", check.kind, check.name);
    return 0;
  }
  if (!o.json)
    fmt::print("{:<7} {:<52} {:>8} {:>7}  {:<6} {}\n", "kind", "name", "max rel", "s", "", "worst");
  const auto start = std::chrono::steady_clock::now();
  ordered_json list = ordered_json::array();
  int failed = 0;
  for (const auto& check : all) {
    const auto result = checks::run(
        check,
        {.order = o.order, .single_precision = o.dtype == "float", .first_case_only = o.quick});
    failed += !result.passed;
    if (o.json)
      list.push_back(to_json(result));
    else
      print(result);
  }
  const int passed = static_cast<int>(all.size()) - failed;
  if (o.json)
    fmt::print("{}\n",
               ordered_json{{"checks", list}, {"passed", passed}, {"failed", failed}}.dump(2));
  else
    fmt::print("{} passed, {} failed, order {} in {}: {:.1f} s\n", passed, failed, o.order, o.dtype,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Checks the gradient of every op, module and model against differences of the function, in "
      "double, to a relative error of 1e-6. With --dtype float the gradients in float are compared "
      "with those in double as well, to 1e-4 of the largest. The exit code is 1 if one is wrong.");
  Options o;
  app.add_flag("--list", o.list, "Names only");
  app.add_option("--only", o.only, "Only the check of this name; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--dtype", o.dtype, "double, or float in addition")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  app.add_option("--order", o.order, "1: gradients; 2: gradients of gradients")
      ->check(CLI::IsMember({1, 2}))
      ->capture_default_str();
  app.add_flag("--json", o.json,
               "{\"checks\": [{name, kind, order, max_rel_error, worst: {where, index, analytic, "
               "numeric}, passed, seconds}], \"passed\", \"failed\"} instead of a table");
  app.add_flag("--quick", o.quick, "Only the first case of each");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(o);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
