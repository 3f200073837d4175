// Weights of multi-head attention as heat maps: who asks down, who answers across.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <axisgrad/autograd/tensor.hpp>

namespace lesson {

/// One heat map of the picture.
struct Panel {
  axisgrad::Tensor<double> matrix;  // (queries, keys)
  std::string heading;
  std::string row_label, column_label;  // with the unit, if any
  std::vector<std::string> rows, columns;
  std::vector<axisgrad::Size> planted = {};  // the column of each row to be ringed; may be empty
  double lowest = 0, highest = 1;            // ends of the colour scale
  std::string scale_label = "mean weight";
};

/// Writes NAME.png with the panels side by side (and what gnuplot made it from) into the folder;
/// returns its path. Error when gnuplot fails.
std::filesystem::path draw(const std::vector<Panel>& panels, const std::filesystem::path& folder,
                           const std::string& name, const std::string& title,
                           const std::string& subtitle);

}  // namespace lesson
