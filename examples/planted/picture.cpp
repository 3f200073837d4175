#include "picture.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>

#include <fmt/core.h>

#include <axisgrad/autograd/error.hpp>

#include "../common/lesson.hpp"

namespace ag = axisgrad;

namespace planted {
namespace {

void write_matrix(const std::filesystem::path& path, const ag::Tensor<double>& m) {
  const ag::Size n = m.shape()[1];
  double least = std::numeric_limits<double>::infinity();
  for (ag::Size k = 0; k < m.size(); ++k)
    if (k / n != k % n) least = std::min(least, m.data()[k]);
  std::ofstream out(path);
  for (ag::Size k = 0; k < m.size(); ++k)
    out << fmt::format("{:.6g}{}", k / n == k % n ? least : m.data()[k],
                       k % n == n - 1 ? '\n' : ' ');
}

}  // namespace

std::filesystem::path draw(const std::vector<Panel>& panels, const std::filesystem::path& folder,
                           const std::string& name, const std::string& title) {
  const std::size_t rows = (panels.size() + 2) / 3;
  std::string script = fmt::format(R"(set terminal pngcairo size 1080,{} font 'DejaVu Sans,11'
set output '{}.png'
set multiplot layout {},3 title "{}\n{{/*.75 Each map in shades from its smallest to its largest element; the diagonal is not scored}}" font 'DejaVu Sans,13'
set palette defined (0 '#f7fbff', .35 '#9ecae1', .7 '#3182bd', 1 '#08306b')
unset colorbox
set size square
set tics out nomirror
set xlabel 'depends on variable'
set ylabel 'variable'
)",
                                   120 + 340 * rows, name, rows, title);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const std::string data = fmt::format("{}.{}.dat", name, k + 1);
    write_matrix(folder / data, panels[k].matrix);
    const double end = static_cast<double>(panels[k].matrix.shape()[1]) - .5;
    script += fmt::format(
        "set title '{0}' noenhanced\nplot [-.5:{1}] [{1}:-.5] '{2}' matrix with image notitle\n",
        panels[k].title, end, data);
  }
  std::ofstream(folder / (name + ".gp")) << script << "unset multiplot\n";
  const std::string command = fmt::format("cd {} && gnuplot {}", lesson::quoted(folder.string()),
                                          lesson::quoted(name + ".gp"));
  if (std::system(command.c_str()) != 0)
    ag::fail("draw", "gnuplot failed on ", (folder / (name + ".gp")).string());
  return folder / (name + ".png");
}

}  // namespace planted
