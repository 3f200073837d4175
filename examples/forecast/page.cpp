#include "page.hpp"

#include <fmt/format.h>

namespace forecast {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light; }
body { margin: 0; font: 1rem/1.55 system-ui, sans-serif; color: #1b1b1b; background: #fff; }
main { max-width: 54rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.verdict { border-left: .3rem solid #1f77b4; padding: .4rem .8rem; background: #f2f7fb; }
.warning { border-left: .3rem solid #b34700; padding: .4rem .8rem; background: #fdf3ec; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
table { font-size: .93rem; } th, td { padding: .25rem .5rem; text-align: right; border-bottom: 1px solid #ccc; }
td { white-space: nowrap; } th { vertical-align: bottom; min-width: 4.5rem; }
.words th, .words td, th:first-child, td:first-child { text-align: left; } .words td { white-space: normal; }
tr.marked { font-weight: 700; background: #f2f7fb; }
figure { margin: 1.2rem 0; } figure svg { display: block; width: 100%; min-width: 26rem; height: auto; }
.gallery { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); gap: 0 1.5rem; }
.gallery figure { min-width: 0; } .gallery svg { min-width: 0; }
figcaption { color: #444; font-size: .92rem; }
code { background: #f3f3f3; padding: 0 .2rem; overflow-wrap: anywhere; }
.words th { min-width: 0; }
@media (max-width: 30rem) { table { font-size: .82rem; } th, td { padding: .2rem .3rem; } }
@media print {
  main { max-width: none; padding: 0; } .wide { overflow: visible; } h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; } figure svg, .gallery svg { min-width: 0; }
  .gallery { grid-template-columns: 1fr 1fr; } table { font-size: .8rem; }
}
)";

// The drawing without what belongs to a file of its own, and with a name for readers by ear.
std::string inlined(const Picture& p) {
  const auto start = p.svg.find("<svg");
  std::string svg = start == p.svg.npos ? "" : p.svg.substr(start);
  svg.insert(4, fmt::format(" role=\"img\" aria-label=\"{}\"", escaped(p.alt)));
  // Names within a page are unique: gnuplot uses the same ones in every drawing.
  for (const char* name :
       {"gpDot", "gpPt", "gnuplot_canvas", "gnuplot_plot_", "textbox", "greybox"}) {
    const std::string from = name, to = p.name + '_' + name;
    for (std::size_t at = 0; (at = svg.find(from, at)) != svg.npos; at += to.size())
      svg.replace(at, from.size(), to);
  }
  const auto title = svg.find("<title>Gnuplot</title>");
  if (title != svg.npos) svg.replace(title, 22, "<title>" + escaped(p.title) + "</title>");
  return svg;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Page::Page(const std::string& title)
    : text_(fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n"
                        "<h1>{0}</h1>\n",
                        escaped(title), style)) {}

void Page::heading(const std::string& text) { text_ += "<h2>" + escaped(text) + "</h2>\n"; }

void Page::paragraph(const std::string& html, const std::string& css_class) {
  text_ += css_class.empty() ? "<p>" : "<p class=\"" + css_class + "\">";
  text_ += html + "</p>\n";
}

void Page::list(const std::vector<std::string>& items) {
  text_ += "<ul>\n";
  for (const std::string& item : items) text_ += "<li>" + item + "</li>\n";
  text_ += "</ul>\n";
}

void Page::table(const std::vector<std::string>& head,
                 const std::vector<std::vector<std::string>>& rows, const TableOptions& options) {
  text_ += options.words ? "<div class=\"wide words\" tabindex=\"0\"><table>\n<thead><tr>"
                         : "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>";
  for (const std::string& h : head) text_ += "<th scope=\"col\">" + escaped(h) + "</th>";
  text_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    text_ += row[0] == options.marked ? "<tr class=\"marked\">" : "<tr>";
    for (const std::string& cell : row) text_ += "<td>" + escaped(cell) + "</td>";
    text_ += "</tr>\n";
  }
  text_ += "</tbody></table></div>\n";
}

void Page::picture(const Picture& p) {
  text_ += fmt::format(
      "<figure><div class=\"wide\" tabindex=\"0\">\n{}</div>\n<figcaption>"
      "<strong>{}.</strong> {}</figcaption></figure>\n",
      inlined(p), escaped(p.title), escaped(p.caption));
}

void Page::gallery(const std::vector<Picture>& pictures) {
  bool open = false;
  for (const Picture& p : pictures) {
    const bool small = p.width <= small_picture;
    if (small != open) text_ += small ? "<div class=\"gallery\">\n" : "</div>\n";
    open = small;
    picture(p);
  }
  if (open) text_ += "</div>\n";
}

}  // namespace forecast
