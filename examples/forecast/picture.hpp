// Pictures by gnuplot: each as NAME.svg, NAME.png and the script NAME.gp, which holds its data.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace forecast {

/// The width of pictures that stand side by side.
constexpr int small_picture = 480;

struct Picture {
  std::string name;  // of the files
  std::string title, caption;
  std::string alt;     // what it shows, for who cannot see it
  std::string script;  // gnuplot, but for terminal and output
  int width = 680, height = 400;
  std::string svg{};  // once drawn
};

/// Draws all into the folder and fills in their svg. Error when gnuplot is missing or fails.
void draw(const std::filesystem::path& folder, std::vector<Picture>& pictures);

/// A curve or a row of bars, in the order of gnuplot's columns.
struct Curve {
  std::string name;
  std::vector<double> x, y;
};
struct AxisTexts {
  std::string x, y;
};

[[nodiscard]] std::string curves_script(const std::vector<Curve>& curves, const AxisTexts& axes);

/// Bars of several measures beside each other, one group for each label.
[[nodiscard]] std::string bars_script(const std::vector<std::string>& labels,
                                      const std::vector<Curve>& measures, const AxisTexts& axes);

struct HeatMap {
  std::vector<double> values;                       // row by row, the first row at the top
  std::vector<std::string> row_labels, col_labels;  // all of them; a few are written
  AxisTexts axes;
  std::string unit = "weight";
  double maximum = 0;  // of the colours; 0: that of the values
  int width = 680;     // of the picture
};
[[nodiscard]] std::string heat_map_script(const HeatMap& map);

}  // namespace forecast
