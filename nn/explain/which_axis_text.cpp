#include <algorithm>
#include <ostream>
#include <sstream>

#include <axisgrad/nn/explain/which_axis.hpp>

namespace axisgrad {
namespace {

constexpr double weak_share = 1e-6;

double strongest(const AxisDependence& d, Size row) {
  const double* begin = d.strength.data() + row * d.inputs;
  return *std::max_element(begin, begin + d.inputs);
}
bool is_weak(const AxisDependence& d, Size out, Size in) {
  return d.at(out, in) == Influence::derivative &&
         d.strength.data()[out * d.inputs + in] < weak_share * strongest(d, out);
}

struct Words {
  const char *one, *many;  // "time step", "time steps"
};
constexpr Words steps{"time step", "time steps"}, features{"feature", "features"};

std::string does(const AxisDependence& d, const Words& w) {
  const std::string one = w.one, many = w.many;
  switch (d.pattern) {
    case Pattern::mixed:
      return "mixes " + many;
    case Pattern::moved:
      if (d.paired) return "moves " + many;
      return d.outputs == 1 ? "takes one " + one : "takes one " + one + " for each output position";
    case Pattern::own:
      return "keeps each " + one + " apart";
    case Pattern::none:
      break;
  }
  return "sees no " + one;
}

std::string mixing(const WhichAxis& w) {
  const Pattern t = w.time.pattern, f = w.feature.pattern;
  if (t == Pattern::none && f == Pattern::none) return "does not depend on x";
  if (t == Pattern::own && f == Pattern::own)
    return "mixes nothing: each value depends on itself alone";
  if (t == Pattern::mixed && f == Pattern::mixed) {
    std::string both = "mixes both time steps and features";
    if (w.crosses)
      both += *w.crosses ? ", also other steps of other features"
                         : ", but a value sees only its own step and its own feature";
    return both;
  }
  const bool feature_first = f == Pattern::mixed;
  return feature_first ? does(w.feature, features) + " and " + does(w.time, steps)
                       : does(w.time, steps) + " and " + does(w.feature, features);
}

// Input positions that no output position sees.
std::string unused(const AxisDependence& d, const Words& w) {
  std::vector<Size> free;
  for (Size in = 0; in < d.inputs; ++in) {
    bool used = false;
    for (Size out = 0; out < d.outputs; ++out) used |= d.depends(out, in);
    if (!used) free.push_back(in);
  }
  if (free.empty() || static_cast<Size>(free.size()) == d.inputs) return "";
  std::ostringstream text;
  const bool many = free.size() > 1;
  text << "; nothing depends on " << (many ? w.many : w.one);
  for (std::size_t i = 0; i < free.size() && i < 4; ++i) text << (i ? ", " : " ") << free[i];
  if (free.size() > 4) text << " and " << free.size() - 4 << " more";
  return text.str();
}

std::string about_weights(const WeightSums& s, const WhichAxis& w) {
  std::ostringstream text;
  text << " Its " << s.name << ' ' << s.shape;
  if (s.axes.empty()) {
    text << " sum to 1 along no axis.";
    return text.str();
  }
  text << " sum to 1 along " << (s.axes.size() > 1 ? "axes " : "axis ");
  for (std::size_t i = 0; i < s.axes.size(); ++i) text << (i ? " and " : "") << s.axes[i];
  const Size n = s.positions, t = w.time.inputs, f = w.feature.inputs;
  text << ", of " << n << (n == 1 ? " position" : " positions");
  if (n == 1)
    text << ": every weight is 1, and nothing is attended to";
  else if (t == f && n == t)
    text << ": as many as there are time steps, and features; another x would tell which";
  else if (n == t)
    text << ": the time steps";
  else if (n == f)
    text << ": the features";
  else if (n == t * f)
    text << ": all time steps of all features";
  else
    text << ": neither the " << t << " time steps nor the " << f << " features";
  text << '.';
  if (s.empty_rows > 0)
    text << ' ' << s.empty_rows << (s.empty_rows == 1 ? " row has" : " rows have")
         << " nothing to attend to.";
  return text.str();
}

std::string remarks(const WhichAxis& w) {
  std::ostringstream text;
  const Size jumps = w.time.jumps() + w.feature.jumps(), weak = w.time.weak() + w.feature.weak();
  if (jumps > 0)
    text << " Where ! stands the value changes but no derivative tells: a comparison, rounding, or "
            "stop_gradient.";
  if (weak > 0) text << " Where + stands the dependence is below 1e-6 of the strongest in its row.";
  if (w.time.inputs == 1 || w.feature.inputs == 1)
    text << " There is only one " << (w.time.inputs == 1 ? steps.one : features.one) << ": whether "
         << (w.time.inputs == 1 ? steps.many : features.many) << " are mixed cannot be seen.";
  if (w.time.inputs == w.feature.inputs && w.output.rank() > 2)
    text << " There are as many time steps as features: a mix-up of the two axes fits without an "
            "error; try sizes that differ.";
  return text.str();
}

// The matrix as lines of text; long axes are shown in blocks, each by its strongest mark.
std::vector<std::string> picture(const AxisDependence& d, const std::string& title) {
  constexpr Size most = 32;
  const Size out_block = (d.outputs + most - 1) / most, in_block = (d.inputs + most - 1) / most;
  constexpr std::string_view order = ".+!#";
  std::vector<std::string> lines{title};
  for (Size out = 0; out < d.outputs; out += out_block) {
    std::string label = std::to_string(out);
    std::string line = std::string(label.size() < 4 ? 4 - label.size() : 0, ' ') + label + ' ';
    for (Size in = 0; in < d.inputs; in += in_block) {
      std::size_t mark = 0;
      for (Size o = out; o < std::min(out + out_block, d.outputs); ++o)
        for (Size i = in; i < std::min(in + in_block, d.inputs); ++i)
          mark = std::max(mark, d.at(o, i) == Influence::none   ? 0u
                                : d.at(o, i) == Influence::jump ? 2u
                                : is_weak(d, o, i)              ? 1u
                                                                : std::size_t(3));
      line += order[mark];
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

Size AxisDependence::jumps() const {
  return std::count(influence.begin(), influence.end(), Influence::jump);
}
Size AxisDependence::weak() const {
  Size n = 0;
  for (Size out = 0; out < outputs; ++out)
    for (Size in = 0; in < inputs; ++in) n += is_weak(*this, out, in);
  return n;
}

std::string WhichAxis::sentence() const {
  std::ostringstream text;
  text << input << " -> " << output << ": it " << mixing(*this) << unused(time, steps)
       << unused(feature, features);
  if (sees_later && time.pattern != Pattern::none && time.pattern != Pattern::own) {
    if (*sees_later)
      text << "; steps see later ones (step " << later_from << " sees step " << later_to << ")";
    else
      text << "; no step sees a later one";
  }
  if (!mixes_samples)
    text << "; with one sample it cannot be seen whether samples are mixed";
  else
    text << (*mixes_samples ? "; SAMPLES OF THE BATCH ARE MIXED" : "; samples stay apart");
  text << '.';
  for (const WeightSums& sums : weights) text << about_weights(sums, *this);
  text << remarks(*this);
  return text.str();
}

std::string WhichAxis::pictures() const {
  auto left = picture(time, time.outputs == 1 && !time.paired ? "output by input steps"
                                                              : "output steps by input steps");
  const auto right = picture(feature, "output features by input features");
  std::size_t width = 0;
  for (const std::string& line : left) width = std::max(width, line.size());
  std::string text;
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string line = i < left.size() ? left[i] : "";
    if (i < right.size()) line += std::string(width + 4 - line.size(), ' ') + right[i];
    text += "  " + line + "\n";
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const WhichAxis& which) {
  return out << which.sentence() << "\n" << which.pictures();
}

}  // namespace axisgrad
