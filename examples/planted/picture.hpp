// Heat maps of "which variable drives which" side by side, each with its score.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <axisgrad/autograd/tensor.hpp>

namespace planted {

struct Panel {
  std::string title;
  axisgrad::Tensor<double> matrix;  // (V,V), row i what variable i depends on
};

/// Writes NAME.png, three panels in a row, and what gnuplot made it from; each panel in shades from
/// its smallest to its largest element off the diagonal; the diagonal, which is not scored, is
/// blank. The title is gnuplot's enhanced text. Returns the path of the picture. Error when gnuplot
/// fails.
std::filesystem::path draw(const std::vector<Panel>& panels, const std::filesystem::path& folder,
                           const std::string& name, const std::string& title);

}  // namespace planted
