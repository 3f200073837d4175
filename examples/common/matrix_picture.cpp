#include "matrix_picture.hpp"

#include <fstream>

#include <fmt/core.h>

#include "gnuplot.hpp"

namespace ag = axisgrad;

namespace lesson {
namespace {

void write_matrix(const std::filesystem::path& path, const ag::Tensor<double>& m) {
  std::ofstream file(path);
  for (ag::Size i = 0; i < m.shape()[0]; ++i)
    for (ag::Size j = 0; j < m.shape()[1]; ++j)
      file << m(i, j) << (j + 1 < m.shape()[1] ? ' ' : '\n');
}

void write_planted(const std::filesystem::path& path, const std::vector<ag::Size>& planted) {
  std::ofstream file(path);
  for (std::size_t i = 0; i < planted.size(); ++i) file << planted[i] << ' ' << i << '\n';
}

// From negative values on, white is 0 and the two signs are two colours.
std::string palette(const Panel& p) {
  return p.lowest < 0 ? "set palette defined (-1 '#b2182b', -.5 '#f4a582', 0 '#ffffff', "
                        ".5 '#92c5de', 1 '#2166ac')\n"
                      : blues;
}

std::string panel_script(const Panel& p, const std::string& stem, double left, double width) {
  const double plot_left = left + .085, plot_right = left + width - .095;
  std::string text = fmt::format(
      R"(
{0}set cbrange [{1}:{2}]
set lmargin at screen {3}
set rmargin at screen {4}
set tmargin at screen .8
set bmargin at screen .13
set colorbox user origin screen {5},.13 size screen .012,.67
set cblabel '{6}'
set label 3 '{7}' at graph .5,1.055 center font 'DejaVu Sans,12' noenhanced
set xlabel '{8}'
set ylabel '{9}' offset -.5,0
set xrange [-.5:{10}]
set yrange [{11}:-.5]
set xtics ({12}) font 'DejaVu Sans,{14}'
set ytics ({13}) font 'DejaVu Sans,{14}'
)",
      palette(p), p.lowest, p.highest, plot_left, plot_right, plot_right + .01, p.scale_label,
      p.heading, p.column_label, p.row_label, static_cast<double>(p.matrix.shape()[1]) - .5,
      static_cast<double>(p.matrix.shape()[0]) - .5, names_as_tics(p.columns),
      names_as_tics(p.rows), p.columns.size() > 8 ? 9 : 11);
  text += fmt::format("plot '{}.dat' matrix with image notitle", stem);
  if (!p.planted.empty())
    text += fmt::format(
        ", \\\n  '{}.planted.dat' with points pointtype 6 pointsize 2.4 linewidth 2 "
        "linecolor '#d95f02' notitle",
        stem);
  return text + "\nunset label\n";
}

}  // namespace

std::filesystem::path draw(const std::vector<Panel>& panels, const std::filesystem::path& folder,
                           const std::string& name, const std::string& title,
                           const std::string& subtitle) {
  std::string text = fmt::format(R"(set terminal pngcairo size {},560 font 'DejaVu Sans,11'
set output '{}.png'
set multiplot
set label 1 '{}' at screen .5,.958 center font 'DejaVu Sans,15' noenhanced
set label 2 '{}' at screen .5,.905 center textcolor '#555555' noenhanced
set tics out nomirror
)",
                                 540 * panels.size(), name, title, subtitle);
  const double width = 1 / static_cast<double>(panels.size());
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const std::string stem = fmt::format("{}.{}", name, k);
    write_matrix(folder / (stem + ".dat"), panels[k].matrix);
    if (!panels[k].planted.empty())
      write_planted(folder / (stem + ".planted.dat"), panels[k].planted);
    text += panel_script(panels[k], stem, width * static_cast<double>(k), width);
  }
  return run_gnuplot(folder, name, text + "unset multiplot\n");
}

}  // namespace lesson
