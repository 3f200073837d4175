#include "results.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <axisgrad/autograd/error.hpp>

namespace lesson {
namespace {

using Json = nlohmann::ordered_json;

// nlohmann writes NaN and infinities as null.
void write_json(const std::filesystem::path& path, const Json& json) {
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  if (!file.flush()) axisgrad::fail("results", "cannot write ", path.string());
}

double number(const Json& row, const char* key) {
  const Json& value = row.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace

void write(const std::filesystem::path& path, const std::vector<BlockResult>& blocks) {
  Json list = Json::array();
  for (const BlockResult& b : blocks)
    list.push_back(
        {{"name", b.name},
         {"seed_system", b.seed_system},
         {"parameters", b.parameters},
         {"gradcheck_max_rel_error", b.gradcheck_max_rel_error},
         {"gradcheck_second_order_max_rel_error", b.gradcheck_second_order_max_rel_error},
         {"loss_first", b.loss_first},
         {"loss_last", b.loss_last},
         {"planted_mass", b.planted_mass},
         {"planted_found", {{"found", b.found}, {"seeds", b.seeds}}},
         {"seconds", b.seconds}});
  write_json(path, {{"blocks", list}});
}

void write(const std::filesystem::path& path, const std::vector<ForecastResult>& forecasts) {
  Json list = Json::array();
  for (const ForecastResult& f : forecasts)
    list.push_back({{"model", f.model},
                    {"mse", f.mse},
                    {"mae", f.mae},
                    {"mse_original", f.mse_original},
                    {"mae_original", f.mae_original},
                    {"seconds", f.seconds}});
  write_json(path, {{"etth1", list}});
}

Json join(const std::vector<std::filesystem::path>& parts) {
  Json all = {{"blocks", Json::array()}, {"etth1", Json::array()}};
  for (const auto& path : parts) {
    std::ifstream file(path);
    const Json part = Json::parse(file, nullptr, false);
    if (part.is_discarded()) axisgrad::fail("results", "no results in ", path.string());
    for (const auto& [key, rows] : part.items())
      for (const Json& row : rows) all[key].push_back(row);
  }
  std::stable_sort(all["blocks"].begin(), all["blocks"].end(), [](const Json& a, const Json& b) {
    return a.at("seed_system").get<int>() < b.at("seed_system").get<int>();
  });
  return all;
}

std::string table(const Json& summary) {
  std::string text =
      fmt::format("{:<34}{:>7}{:>11}{:>11}{:>9}{:>9}{:>9}{:>11}{:>8}\n", "block", "params",
                  "gradcheck", "2nd order", "loss", "to", "planted", "found", "s");
  for (const Json& b : summary.at("blocks")) {
    const Json& found = b.at("planted_found");
    text += fmt::format(
        "{:<34}{:>7}{:>11.1e}{:>11.1e}{:>9.4f}{:>9.4f}{:>9.3f}{:>11}{:>8.1f}\n",
        fmt::format("{} (seed {})", b.at("name").get<std::string>(),
                    b.at("seed_system").get<int>()),
        b.at("parameters").get<long>(), number(b, "gradcheck_max_rel_error"),
        number(b, "gradcheck_second_order_max_rel_error"), number(b, "loss_first"),
        number(b, "loss_last"), number(b, "planted_mass"),
        fmt::format("{} of {}", found.at("found").get<int>(), found.at("seeds").get<int>()),
        number(b, "seconds"));
  }
  text += fmt::format("{:<34}{:>18}{:>11}{:>18}{:>20}{:>8}\n", "ETTh1: oil temperature, 24 h ahead",
                      "MSE", "MAE", "MSE, deg C^2", "MAE, deg C", "s");
  for (const Json& f : summary.at("etth1"))
    text += fmt::format("{:<34}{:>18.4f}{:>11.4f}{:>18.3f}{:>20.3f}{:>8.1f}\n",
                        f.at("model").get<std::string>(), number(f, "mse"), number(f, "mae"),
                        number(f, "mse_original"), number(f, "mae_original"), number(f, "seconds"));
  return text;
}

}  // namespace lesson
