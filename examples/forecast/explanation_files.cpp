// An explanation as files and as text.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <axisgrad/nn/weights/npz.hpp>

#include "explain.hpp"
#include "files.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

// One line for each element, after the labels of its place.
std::string long_form(const MeanMap& map, const Prepared& data) {
  std::string text;
  std::vector<Names> labels;
  for (std::size_t a = 0; a < map.axes.size(); ++a) {
    const bool looks = a + 1 < map.axes.size() && map.axes[a] == map.axes[a + 1];
    text += map.axes[a] + (looks ? " that looks," : ",");
    labels.push_back(labels_of(map.axes[a], data));
  }
  text += "weight\n";
  const ag::Shape& shape = map.weights.shape();
  for (Size i = 0; i < map.weights.size(); ++i) {
    Size inner = map.weights.size(), rest = i;
    for (int a = 0; a < shape.rank(); ++a) {
      inner /= shape[a];
      const auto at = static_cast<std::size_t>(rest / inner);
      rest %= inner;
      const Names& names = labels[static_cast<std::size_t>(a)];
      text += (at < names.size() ? csv_cell(names[at]) : std::to_string(at)) + ',';
    }
    text += fmt::format("{:.9g}\n", map.weights.data()[i]);
  }
  return text;
}

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// null where there is no order to correlate.
Json agreements_json(const Explanation& e) {
  Json list = Json::array();
  for (const Agreement& a : e.agreements)
    list.push_back({{"axis", a.axis},
                    {"first", a.first},
                    {"second", a.second},
                    {"rank_correlation", a.value ? Json(*a.value) : Json()}});
  return list;
}

Json profiles_json(const Explanation& e) {
  Json profiles = Json::object();
  for (const Profile& p : e.profiles) {
    Json& one = profiles[p.axis] = {{"positions", p.labels}, {"measures", Json::object()}};
    for (const auto& m : p.measures) one["measures"][m.name] = m.values;
  }
  return {{"windows", e.windows},
          {"window", e.window ? Json(*e.window) : Json()},
          {"profiles", profiles},
          {"agreement", agreements_json(e)},
          {"notes", e.notes}};
}

std::string agreements_csv(const Explanation& e) {
  std::string text = "axis,first,second,rank_correlation\n";
  for (const Agreement& a : e.agreements)
    text += fmt::format("{},{},{},{}\n", a.axis, a.first, a.second,
                        a.value ? fmt::format("{:.6f}", *a.value) : "");
  return text;
}

// The positions with the largest shares.
std::string leaders(const Profile& p, const Profile::Measure& m) {
  std::vector<std::size_t> order(m.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return m.values[a] > m.values[b]; });
  if (m.values[order[0]] == 0) return "  0 everywhere: nothing here makes a difference";
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 5); ++i)
    text += fmt::format("  {} {:.3f}", p.labels[order[i]], m.values[order[i]]);
  return text +
         fmt::format("  (uniform {:.3f})",
                     1 / static_cast<double>(m.among.empty() ? order.size() : m.among.size()));
}

}  // namespace

void write_explanation(const Folder& folder, const Explanation& e, const Prepared& data) {
  const Folder to = folder / "explain";
  make_folder(to);
  ag::ArrayFile arrays;
  for (const MeanMap& map : e.maps) {
    write_file(to / (file_name(map.name) + ".csv"), long_form(map, data));
    arrays.add(file_name(map.name), map.weights);
  }
  for (const Profile& p : e.profiles) {
    std::string text = p.axis;
    for (const auto& m : p.measures) {
      text += ',' + m.name;
      arrays.add(p.axis + "_profile." + file_name(m.name),
                 ag::Tensor<double>({static_cast<Size>(m.values.size())}, m.values));
    }
    for (std::size_t i = 0; i < p.labels.size(); ++i) {
      text += '\n' + csv_cell(p.labels[i]);
      for (const auto& m : p.measures) text += fmt::format(",{:.9g}", m.values[i]);
    }
    write_file(to / (p.axis + "_profile.csv"), text + '\n');
  }
  ag::write_npz(to / "maps.npz", arrays);
  write_file(to / "agreement.csv", agreements_csv(e));
  write_file(to / "profiles.json", profiles_json(e).dump(2) + '\n');
}

std::string agreement_text(const Agreement& a) {
  if (a.value) return fmt::format("{:.2f}", *a.value);
  return "none, as " + a.flat + " is the same everywhere and ranks nothing";
}

void print_explanation(const Explanation& e) {
  if (e.window)
    fmt::print("Test window {}\n", *e.window);
  else
    fmt::print("Mean over {} test windows\n", e.windows);
  for (const Profile& p : e.profiles)
    for (const auto& m : p.measures) fmt::print("{:<8} {:<16}{}\n", p.axis, m.name, leaders(p, m));
  for (const Agreement& a : e.agreements)
    fmt::print("rank correlation over {}: {} and {}: {}\n", a.axis, a.first, a.second,
               agreement_text(a));
  for (const std::string& note : e.notes) fmt::print("note: {}\n", note);
}

}  // namespace forecast
