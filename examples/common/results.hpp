// What the main job collects: one row for each block and each forecast, as JSON and as a table.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace lesson {

struct BlockResult {
  std::string name;  // of the class
  int seed_system = 0;
  long parameters = 0;  // of the block alone
  double gradcheck_max_rel_error = 0, gradcheck_second_order_max_rel_error = 0;
  double loss_first = 0, loss_last = 0;  // of the first and last epoch, mean over the seeds
  double planted_mass = 0;               // mean weight of the planted position, mean over the seeds
  int found = 0, seeds = 0;              // in how many of the seeds it is the largest
  double seconds = 0;                    // checks and trainings of all seeds
};

struct ForecastResult {
  std::string model;
  double mse = 0, mae = 0;                    // of standardised values
  double mse_original = 0, mae_original = 0;  // in degrees Celsius, squared and plain
  double seconds = 0;                         // of all seeds, until the forecasts are there
  std::vector<double> mse_by_seed{};          // empty for what is not trained
};

/// {"blocks": [...]} or {"etth1": [...]}; what is not finite becomes null.
void write(const std::filesystem::path& path, const std::vector<BlockResult>& blocks);
void write(const std::filesystem::path& path, const std::vector<ForecastResult>& forecasts);

/// The parts joined, list by list, blocks by seed_system. Error naming the file that is missing or
/// not JSON.
nlohmann::ordered_json join(const std::vector<std::filesystem::path>& parts);

/// The joined parts as one table for people.
std::string table(const nlohmann::ordered_json& summary);

}  // namespace lesson
