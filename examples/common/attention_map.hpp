// Attention of a (batch, time, feature) block as a map over time by variable: means, peaks,
// pictures.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <axisgrad/autograd/tensor.hpp>

namespace lesson {

using Map = axisgrad::Tensor<double>;  // (time, feature): mean weights over samples

/// (N,T,F) weights -> (T,F), their mean over the samples.
Map mean_over_samples(const axisgrad::Tensor<float>& weights);

/// The mean weight of each position of the attended axis, over the positions of the other one.
std::vector<double> profile(const Map& map, axisgrad::Axis attended);

/// Position of the largest element.
std::size_t largest(const std::vector<double>& values);

/// One map for each seed, of a block whose softmax runs over `attended`.
struct SeedMaps {
  axisgrad::Axis attended;
  std::vector<Map> maps{};

  [[nodiscard]] int seeds() const { return static_cast<int>(maps.size()); }
  [[nodiscard]] Map mean() const;
  /// What every position would get if the block had no preference.
  [[nodiscard]] double uniform() const;
  /// Mean over the seeds of the weight of a position.
  [[nodiscard]] double weight(std::size_t position) const;
  /// The smallest weight that a seed gives to it.
  [[nodiscard]] double lowest(std::size_t position) const;
  /// Number of seeds in which this position has the largest mean weight.
  [[nodiscard]] int leads(std::size_t position) const;
};

struct PictureOptions {
  std::string title, subtitle;
  std::vector<std::string> variables;
  std::string time_label;                   // with the unit
  double first_time = 0;                    // time of step 0; steps are 1 apart
  std::string variable_label = "variable";  // what the rows of the map are
};
/// Writes NAME.png and what gnuplot made it from (NAME.gp, NAME.map.dat, NAME.profile.dat) into the
/// folder: above, the map; below, the profile with the span over the seeds and the uniform weight.
/// Returns the path of the picture. Error when gnuplot fails.
std::filesystem::path draw(const SeedMaps& maps, const std::filesystem::path& folder,
                           const std::string& name, const PictureOptions& options);

}  // namespace lesson
