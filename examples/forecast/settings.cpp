#include "settings.hpp"

#include <charconv>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include <axisgrad/nn/data/csv_number.hpp>

#include "files.hpp"

namespace forecast {
namespace {

std::string described(const Json& value) {
  return std::string(value.type_name()) + ' ' + value.dump().substr(0, 40);
}

void set(std::string& to, const Json& value) {
  if (!value.is_string()) throw std::invalid_argument("a text");
  to = value.get<std::string>();
}
void set(bool& to, const Json& value) {
  if (!value.is_boolean()) throw std::invalid_argument("true or false");
  to = value.get<bool>();
}
void set(double& to, const Json& value) {
  if (!value.is_number()) throw std::invalid_argument("a number");
  to = value.get<double>();
}
template <std::integral I>
void set(I& to, const Json& value) {
  if (!value.is_number_integer() || (std::is_unsigned_v<I> && !value.is_number_unsigned()))
    throw std::invalid_argument("a whole number");
  to = value.get<I>();
}
// A list; texts and numbers stand for lists of one.
void set(Names& to, const Json& value) {
  Names names;
  for (const Json& one : value.is_array() ? value : Json::array({value})) {
    if (!one.is_string() && !one.is_number()) throw std::invalid_argument("a list of texts");
    names.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  }
  if (names == Names{""}) names.clear();
  to = std::move(names);
}

void require(bool holds, const char* option, const char* range, const auto& got) {
  if (!holds) axisgrad::fail("forecast", "--", option, " must be ", range, ", got ", got);
}

double number(const std::string& text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size())
    axisgrad::fail("forecast", "--split takes numbers, got '", text, "'");
  return x;
}

}  // namespace

Names split_list(std::string_view text) {
  Names parts{""};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
  }
  return parts;
}

Json to_json(Settings settings) {
  Json object{{"data", settings.data}};
  settings.visit([&](const char* name, auto& setting, const char*) { object[name] = setting; });
  return object;
}

void set_from_json(Settings& settings, const Json& object, const std::string& source) {
  if (!object.is_object()) axisgrad::fail("forecast", source, " is not a JSON object of settings");
  std::set<std::string> known{"data", "series"};  // "series": what a run folder adds
  const auto apply = [&](const char* name, auto& setting, const char*) {
    known.insert(name);
    const auto at = object.find(name);
    if (at == object.end()) return;
    try {
      set(setting, *at);
    } catch (const std::invalid_argument& wanted) {
      axisgrad::fail("forecast", source, ": '", name, "' must be ", wanted.what(), ", got ",
                     described(*at));
    }
  };
  apply("data", settings.data, "");
  settings.visit(apply);
  for (const auto& [name, value] : object.items())
    if (!known.contains(name))
      axisgrad::fail("forecast", source, ": there is no setting '", name,
                     "'; 'forecast train --help' lists them");
}

Json read_json(const std::string& path) {
  return axisgrad::parse_json(read_file(path), "forecast", "'" + path + "'");
}

void check(const Settings& s) {
  require(s.lookback >= 1, "lookback", "at least 1", s.lookback);
  require(s.horizon >= 1, "horizon", "at least 1", s.horizon);
  require(s.season >= 0, "season", "at least 0", s.season);
  require(s.units >= 1, "units", "at least 1", s.units);
  require(s.heads >= 1, "heads", "at least 1", s.heads);
  require(s.layers >= 1, "layers", "at least 1", s.layers);
  require(s.dropout >= 0 && s.dropout < 1, "dropout", "within [0, 1)", s.dropout);
  require(s.ridge >= 0, "ridge", "at least 0", s.ridge);
  require(s.epochs >= 1, "epochs", "at least 1", s.epochs);
  require(s.batch >= 1, "batch", "at least 1", s.batch);
  require(s.lr > 0, "lr", "above 0", s.lr);
  require(s.patience >= 0, "patience", "at least 0", s.patience);
  require(s.threads >= 0, "threads", "at least 0", s.threads);
  require(s.schedule == "constant" || s.schedule == "halve", "schedule", "constant or halve",
          s.schedule);
  require(s.missing == "error" || s.missing == "ffill" || s.missing == "interpolate-past" ||
              s.missing == "drop",
          "missing", "error, ffill, interpolate-past or drop", s.missing);
  require(s.date_order.empty() || s.date_order == "dmy" || s.date_order == "mdy" ||
              s.date_order == "ymd",
          "date-order", "dmy, mdy or ymd", s.date_order);
  if (!s.numbers.empty()) (void)axisgrad::number_form(s.numbers);
  require(s.split.size() == 3, "split", "three numbers: train,validation,test", s.split.size());
  require(!s.target.empty(), "target", "the name of a column", "none");
}

axisgrad::RowSplit split_rows(const Settings& settings, Size rows) {
  double part[3];
  bool shares = true;
  for (std::size_t i = 0; i < 3; ++i) {
    part[i] = number(settings.split[i]);
    shares = shares && part[i] <= 1;
  }
  if (shares)
    return axisgrad::split_in_order(
        rows, axisgrad::SplitFractions{.train = part[0], .validation = part[1], .test = part[2]});
  for (const double p : part)
    if (!(p >= 0 && p < 1e15 && p == std::floor(p)))
      axisgrad::fail("forecast", "--split mixes shares and numbers of rows: ", p);
  return axisgrad::split_in_order(rows,
                                  axisgrad::SplitCounts{.train = static_cast<Size>(part[0]),
                                                        .validation = static_cast<Size>(part[1]),
                                                        .test = static_cast<Size>(part[2])});
}

}  // namespace forecast
