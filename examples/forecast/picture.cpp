#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <axisgrad/autograd/error.hpp>

#include "../common/lesson.hpp"
#include "files.hpp"

namespace forecast {
namespace {

// Within single quotes of gnuplot.
std::string text(const std::string& s) {
  std::string out = "'";
  for (const char c : s) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

// At most 18 characters, with dots for the middle where there are more: ends tell names apart.
std::string shortened(const std::string& s) {
  std::vector<std::size_t> starts;  // of characters of UTF-8
  for (std::size_t i = 0; i < s.size(); ++i)
    if ((static_cast<unsigned char>(s[i]) & 0xC0) != 0x80) starts.push_back(i);
  if (starts.size() <= 18) return s;
  return s.substr(0, starts[9]) + "…" + s.substr(starts[starts.size() - 8]);
}

// A label at a tic, where % begins a format.
std::string label_text(const std::string& s) {
  std::string out;
  for (const char c : shortened(s)) out += c == '%' ? std::string("%%") : std::string(1, c);
  return text(out);
}

std::string block(const std::string& name, const std::vector<std::string>& lines) {
  return fmt::format("${} << EOD\n{}\nEOD\n", name, fmt::join(lines, "\n"));
}

std::string axes_script(const AxisTexts& axes) {
  return fmt::format("set xlabel {} noenhanced\nset ylabel {} noenhanced\n", text(axes.x),
                     text(axes.y));
}

// What gnuplot would warn of and choose by itself: a range for values that are all the same.
std::string range_script(const char* axis, double low, double high) {
  if (low < high || !(low <= high)) return "";
  const double room = low == 0 ? 1 : std::abs(low) * .05;
  return fmt::format("set {}range [{}:{}]\n", axis, low - room, high + room);
}

std::string ranges_script(const std::vector<Curve>& curves) {
  double x[2]{HUGE_VAL, -HUGE_VAL}, y[2]{HUGE_VAL, -HUGE_VAL};
  const auto widen = [](double* range, double value) {
    range[0] = std::min(range[0], value), range[1] = std::max(range[1], value);
  };
  for (const Curve& c : curves) {
    for (const double value : c.x) widen(x, value);
    for (const double value : c.y) widen(y, value);
  }
  return range_script("x", x[0], x[1]) + range_script("y", y[0], y[1]);
}

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

// The last label and, counted from behind it, every k-th: of steps -96 to -1 those are -96, -84 ...
// -12 and -1.
std::string every(const std::vector<std::string>& labels, std::size_t most) {
  constexpr std::size_t round[]{1, 2, 3, 4, 5, 6, 8, 10, 12, 24, 48, 72, 96, 120, 168};
  const std::size_t n = labels.size(), needed = (n + most - 1) / most;
  const auto* const at = std::lower_bound(std::begin(round), std::end(round), needed);
  const std::size_t step = at == std::end(round) ? needed : *at;
  std::vector<std::string> list;
  for (std::size_t i = n % step; i < n; i += step)
    list.push_back(fmt::format("{} {}", label_text(labels[i]), i));
  if (step == 2) list.pop_back();  // too near
  if (step > 1) list.push_back(fmt::format("{} {}", label_text(labels[n - 1]), n - 1));
  return fmt::format("({}) noenhanced", fmt::join(list, ", "));
}

// Steps are written here and there, names all of them: below the picture aslant where they do not
// fit in a line, upright where they are many.
std::string tics_script(const char* axis, const std::vector<std::string>& labels, std::size_t steps,
                        int width) {
  constexpr std::size_t names = 40;
  constexpr int beside = 220, letter = 9;  // pixels, roughly
  const std::string& last = labels.back();
  if (last.find_first_not_of("-0123456789") == last.npos)
    return fmt::format("set {}tics {}\n", axis, every(labels, steps));
  std::size_t letters = 0;
  for (const std::string& label : labels) letters += shortened(label).size() + 2;
  const bool aslant = *axis == 'x' && static_cast<int>(letters) * letter > width - beside;
  return fmt::format("set {}tics {}{}\n", axis,
                     !aslant              ? ""
                     : labels.size() > 12 ? "rotate by -90 "
                                          : "rotate by -40 ",
                     every(labels, names));
}

void run_gnuplot(const std::filesystem::path& folder, const Picture& p) {
  const auto terminal = [&](const char* kind, const char* rest) {
    return fmt::format("set terminal {} size {},{} {}; set output '{}.new.{}'; load '{}.gp'", kind,
                       p.width, p.height, rest, p.name, kind[0] == 's' ? "svg" : "png", p.name);
  };
  // The PNG has no caption beside it.
  const std::string title = fmt::format("set title {} noenhanced; ", text(p.title));
  const std::string command = fmt::format(
      "cd {} && gnuplot -e {} -e 'reset session' -e {}", lesson::quoted(folder.string()),
      lesson::quoted(terminal("svg", "dynamic font 'sans-serif,14' background 'white'")),
      lesson::quoted(title + terminal("pngcairo", "font 'DejaVu Sans,11'")));
  if (std::system(command.c_str()) != 0)
    axisgrad::fail("forecast", "gnuplot failed on '", (folder / (p.name + ".gp")).string(),
                   "': is it installed?");
}

void replace(std::string& where, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = where.find(from, at)) != where.npos; at += to.size())
    where.replace(at, from.size(), to);
}

}  // namespace

void draw(const std::filesystem::path& folder, std::vector<Picture>& pictures) {
  make_folder(folder);
  for (Picture& p : pictures) {
    write_file(folder / (p.name + ".gp"), p.script);
    run_gnuplot(folder, p);
    // What gnuplot has finished takes the place of what was there.
    p.svg = read_file(folder / (p.name + ".new.svg"));
    std::filesystem::remove(folder / (p.name + ".new.svg"));
    std::filesystem::rename(folder / (p.name + ".new.png"), folder / (p.name + ".png"));
    // Cells of a heat map are to be seen as cells, however large it is shown.
    replace(p.svg, "<image ", "<image style='image-rendering:pixelated' ");
    write_file(folder / (p.name + ".svg"), p.svg);
  }
}

std::string curves_script(const std::vector<Curve>& curves, const AxisTexts& axes) {
  constexpr const char* colours[]{"#1b1b1b", "#1f77b4", "#d95f02", "#7570b3", "#66a61e"};
  std::string script = axes_script(axes) + ranges_script(curves), plots;
  script +=
      "set tics nomirror\nset border 3\nset grid linecolor '#dddddd'\nset key above "
      "noenhanced\n";
  for (std::size_t k = 0; k < curves.size(); ++k) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < curves[k].x.size(); ++i)
      lines.push_back(fmt::format("{} {}", curves[k].x[i], curves[k].y[i]));
    script += block(fmt::format("c{}", k), lines);
    plots +=
        fmt::format("{}$c{} using 1:2 with {} linewidth 2 linecolor '{}' title {}", k ? ", " : "",
                    k, lines.size() < 30 ? "linespoints pointtype 7 pointsize .5" : "lines",
                    colours[k % std::size(colours)], text(curves[k].name));
  }
  return script + "plot " + plots + '\n';
}

std::string bars_script(const std::vector<std::string>& labels, const std::vector<Curve>& measures,
                        const AxisTexts& axes) {
  constexpr const char* colours[]{"#1f77b4", "#d95f02", "#7570b3", "#66a61e"};
  std::string script = axes_script(axes), plots;
  const bool some = std::any_of(measures.begin(), measures.end(),
                                [](const Curve& m) { return largest(m.y) > 0; });
  script += fmt::format(
      "set tics nomirror\nset border 3\nset style fill solid .85 noborder\nset key above "
      "noenhanced\nset yrange [0:{}]\nset xrange [-.6:{}]\n{}",
      some ? "*" : "1", static_cast<double>(labels.size()) - .4,
      tics_script("x", labels, 13, Picture{}.width));
  std::vector<std::string> lines(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    lines[i] = std::to_string(i);
    for (const Curve& m : measures) lines[i] += fmt::format(" {}", m.y[i]);
  }
  script += block("bars", lines);
  const double width = .8 / static_cast<double>(measures.size());
  script += fmt::format("set boxwidth {}\n", width);
  for (std::size_t k = 0; k < measures.size(); ++k)
    plots += fmt::format("{}$bars using ($1+{}):{} with boxes linecolor '{}' title {}",
                         k ? ", " : "", (static_cast<double>(k) + .5) * width - .4, k + 2,
                         colours[k % std::size(colours)], text(measures[k].name));
  return script + "plot " + plots + '\n';
}

std::string heat_map_script(const HeatMap& map) {
  const std::size_t rows = map.row_labels.size(), cols = map.col_labels.size();
  const double top = map.maximum > 0 ? map.maximum : largest(map.values);
  std::vector<std::string> lines(rows);
  for (std::size_t r = 0; r < rows; ++r)
    lines[r] = fmt::format(
        "{}", fmt::join(map.values.begin() + static_cast<std::ptrdiff_t>(r * cols),
                        map.values.begin() + static_cast<std::ptrdiff_t>((r + 1) * cols), " "));
  return axes_script(map.axes) + block("map", lines) +
         fmt::format(
             R"(set tics out nomirror
set palette defined (0 '#f7fbff', .35 '#9ecae1', .7 '#3182bd', 1 '#08306b')
set cbrange [0:{}]
set cblabel {} noenhanced
set xrange [-.5:{}]
set yrange [{}:-.5]
set rmargin 8
{}{}plot $map matrix using 1:2:3 with image notitle
)",
             top > 0 ? top : 1, text(map.unit), static_cast<double>(cols) - .5,
             static_cast<double>(rows) - .5,
             tics_script("x", map.col_labels, static_cast<std::size_t>(map.width) / 60, map.width),
             tics_script("y", map.row_labels, static_cast<std::size_t>(map.width) / 45, map.width));
}

}  // namespace forecast
