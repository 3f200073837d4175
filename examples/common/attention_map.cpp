#include "attention_map.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/core.h>

#include <axisgrad/autograd/ops.hpp>

#include "gnuplot.hpp"
#include "lesson.hpp"

namespace ag = axisgrad;

namespace lesson {
namespace {

// Axes of a map are those of the (batch, time, feature) tensor without the batch.
int on_map(ag::Axis axis) { return axis.number - 1; }

// A row for each variable, a column for each step.
void write_map(const std::filesystem::path& path, const Map& map) {
  std::ofstream file(path);
  for (ag::Size f = 0; f < map.shape()[1]; ++f)
    for (ag::Size t = 0; t < map.shape()[0]; ++t)
      file << map(t, f) << (t + 1 < map.shape()[0] ? ' ' : '\n');
}

// For each position: where it is drawn, mean, smallest and largest over the seeds.
void write_profile(const std::filesystem::path& path, const SeedMaps& maps, double first) {
  std::ofstream file(path);
  const auto mean = profile(maps.mean(), maps.attended);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    double low = mean[i], high = mean[i];
    for (const Map& map : maps.maps) {
      const double w = profile(map, maps.attended)[i];
      low = std::min(low, w), high = std::max(high, w);
    }
    file << first + static_cast<double>(i) << ' ' << mean[i] << ' ' << low << ' ' << high << '\n';
  }
}

std::string script(const SeedMaps& maps, const std::string& name, const PictureOptions& o) {
  const bool over_time = maps.attended == ag::Axis::time;
  const ag::Shape shape = maps.mean().shape();
  const double steps = static_cast<double>(shape[0]), variables = static_cast<double>(shape[1]);
  const double last_time = o.first_time + steps - 1;
  const std::string tics = names_as_tics(o.variables);
  const std::string caption = fmt::format(
      "Bars: mean over {} and {} seeds. Dark lines: smallest to largest seed. Dashed: uniform, {}",
      over_time ? o.variable_label + "s" : "steps", maps.seeds(), figure(maps.uniform()));
  std::string text =
      fmt::format(R"(set terminal pngcairo size 1000,680 font 'DejaVu Sans,12'
set output '{0}.png'
set multiplot
set label 1 '{1}' at screen .5,.967 center font 'DejaVu Sans,15' noenhanced
set label 2 '{2}' at screen .5,.925 center textcolor '#555555' noenhanced
set lmargin at screen .11
set rmargin at screen .86
set tics out nomirror
{10}set xrange [{3}:{4}]
set xlabel '{5}'
set cbrange [0:*]
set colorbox user origin screen .875,.6 size screen .02,.28
set label 3 'mean weight' at screen .985,.74 center rotate
set tmargin at screen .88
set bmargin at screen .6
set yrange [-.5:{6}]
set ytics ({7})
set ylabel '{11}' offset -1,0
plot '{0}.map.dat' matrix using ($1+({8})):2:3 with image notitle
unset label
set label 4 '{9}' at screen .48,.465 center textcolor '#555555' noenhanced
set tmargin at screen .44
set bmargin at screen .11
set ytics auto
set yrange [0:*]
set ylabel 'mean weight' offset 0,0
set style fill solid .85 noborder
set boxwidth .8
)",
                  name, o.title, o.subtitle, o.first_time - .5, last_time + .5, o.time_label,
                  variables - .5, tics, o.first_time, caption, blues, o.variable_label);
  if (!over_time)
    text += fmt::format("set xlabel '{}'\nset xrange [-.5:{}]\nset xtics ({})\n", o.variable_label,
                        variables - .5, tics);
  text += fmt::format(R"(plot '{0}.profile.dat' using 1:2 with boxes linecolor '#6baed6' notitle, \
  '' using 1:3:(0):($4-$3) with vectors nohead linewidth 2 linecolor '#08306b' notitle, \
  {1} with lines dashtype 2 linewidth 2 linecolor '#d95f02' notitle
unset multiplot
)",
                      name, maps.uniform());
  return text;
}

}  // namespace

Map mean_over_samples(const ag::Tensor<float>& weights) {
  return ag::mean(ag::constant(ag::Tensor<double>(weights)), ag::Axis::batch).value();
}

std::vector<double> profile(const Map& map, ag::Axis attended) {
  const auto p = ag::mean(ag::constant(map), 1 - on_map(attended)).value();
  return {p.begin(), p.end()};
}

std::size_t largest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

Map SeedMaps::mean() const {
  ag::Var<double> sum = ag::constant(maps.at(0));
  for (std::size_t s = 1; s < maps.size(); ++s) sum = sum + ag::constant(maps[s]);
  return (sum / static_cast<double>(maps.size())).value();
}

double SeedMaps::uniform() const {
  return 1 / static_cast<double>(maps.at(0).shape()[on_map(attended)]);
}

double SeedMaps::weight(std::size_t position) const { return profile(mean(), attended)[position]; }

double SeedMaps::lowest(std::size_t position) const {
  double low = 1;
  for (const Map& map : maps) low = std::min(low, profile(map, attended)[position]);
  return low;
}

int SeedMaps::leads(std::size_t position) const {
  return static_cast<int>(std::count_if(maps.begin(), maps.end(), [&](const Map& map) {
    return largest(profile(map, attended)) == position;
  }));
}

std::filesystem::path draw(const SeedMaps& maps, const std::filesystem::path& folder,
                           const std::string& name, const PictureOptions& options) {
  write_map(folder / (name + ".map.dat"), maps.mean());
  write_profile(folder / (name + ".profile.dat"), maps,
                maps.attended == ag::Axis::time ? options.first_time : 0);
  return run_gnuplot(folder, name, script(maps, name, options));
}

}  // namespace lesson
