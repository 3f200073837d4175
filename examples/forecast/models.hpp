// The list of models. A new one is a module in a file of its own and one entry in models.cpp.
#pragma once
#include "network.hpp"
#include "settings.hpp"

namespace forecast {

/// What a model is built for.
struct ModelContext {
  Size variables;
  std::vector<Size> targets;  // columns among the variables
  Size season;
  const Settings& settings;

  [[nodiscard]] Size width() const { return static_cast<Size>(targets.size()); }
};

enum class Kind {
  network,
  rule,        // sees windows as they are, and is not trained by gradients
  normalising  // a network that normalises each window itself
};

struct ModelInfo {
  const char* name;
  const char* line;     // what it is, in one line
  const char* attends;  // the axis that it attends over: "time", "feature", both, or "-"
  Kind kind;
  std::unique_ptr<Network> (*make)(const ModelContext&);
};

[[nodiscard]] const std::vector<ModelInfo>& models();
[[nodiscard]] inline bool is_rule(const ModelInfo& info) { return info.kind == Kind::rule; }
/// Error listing the names for an unknown one.
[[nodiscard]] const ModelInfo& find_model(const std::string& name);
/// Those in every table, whatever was trained.
inline const Names baselines{"repeat", "seasonal", "linear"};

}  // namespace forecast
