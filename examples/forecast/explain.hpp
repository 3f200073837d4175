// What a trained model looks at: its attention, and beside it two measures that ask the model
// itself, the gradient of its forecast by its inputs and the error when an input is scrambled.
#pragma once
#include <optional>

#include "run.hpp"

namespace forecast {

struct ExplainOptions {
  Size windows = 256;            // of the test part, at even distances
  std::optional<Size> window{};  // this one alone; the windows are then what it is scrambled with
  std::uint64_t seed = 1;        // of the permutations
};

/// The mean weights over the windows.
struct MeanMap {
  std::string name;
  Names axes;
  std::string attended;
  std::vector<Size> queries, among;
  axisgrad::Tensor<double> weights;
};

/// How much each position of an axis counts, by several measures, each summing to 1.
struct Profile {
  std::string axis;  // "time" or "feature"
  Names labels;
  struct Measure {
    std::string name;
    std::vector<double> values;
    std::vector<Size> among{};  // positions that it tells apart; empty: all
    /// Whether some positions count more than others: else there is nothing to rank.
    [[nodiscard]] bool has_order() const;
  };
  std::vector<Measure> measures;  // attention first, where there is some; gradients; permutation
};

/// Spearman's rank correlation of two measures of an axis, over the positions that both tell apart.
struct Agreement {
  std::string axis, first, second;
  std::optional<double> value{};  // none where a measure has no order
  std::string flat{};             // which one
};

struct Explanation {
  Size windows;
  std::optional<Size> window;
  std::vector<MeanMap> maps;
  std::vector<Profile> profiles;
  std::vector<Agreement> agreements;
  std::vector<std::string> notes;  // what to know of this table when reading them
};

/// Labels of an axis: rows relative to the first one forecast, or the names of the variables.
[[nodiscard]] Names labels_of(const std::string& axis, const Prepared& data);

/// Error for windows that there are not.
void check(const ExplainOptions& options, Size test_windows);

[[nodiscard]] Explanation explain_model(const Forecaster& model, const Prepared& data,
                                        const ExplainOptions& options);

/// explain/NAME.csv for each map and profile, explain/agreement.csv, explain/profiles.json with all
/// that print_explanation says, explain/maps.npz.
void write_explanation(const Folder& folder, const Explanation& explanation, const Prepared& data);
void print_explanation(const Explanation& explanation);
/// "0.83", or in words why there is none.
[[nodiscard]] std::string agreement_text(const Agreement& agreement);

}  // namespace forecast
