#include <algorithm>
#include <cmath>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/explain/which_axis.hpp>

namespace axisgrad::detail {
namespace {

constexpr std::string_view who = "which_axis";
constexpr double rounding = 1e-12;
constexpr Size most_samples = 8;   // probed one by one
constexpr Size most_crosses = 24;  // single outputs looked at for WhichAxis::crosses

// One axis of a tensor, or none: then there is a single position.
struct Positions {
  Size count = 1, inner = 1;

  Positions() = default;
  Positions(const Shape& shape, int axis)
      : count(shape[axis]), inner(shape.product(axis + 1, shape.rank())) {}
  Size of(Size element) const { return element / inner % count; }
};

struct Sides {
  Positions in, out;
  bool paired = false;
};

double largest(const Tensor<double>& x) {
  double m = 0;
  for (const double v : x.values()) m = std::max(m, std::abs(v));
  return m;
}

// What was found for one axis, over all points.
struct Table {
  explicit Table(const Sides& sides)
      : sides(sides),
        peak(static_cast<std::size_t>(sides.out.count * sides.in.count)),
        squares(peak.size()),
        change(peak.size()),
        scale(static_cast<std::size_t>(sides.out.count)) {}

  std::size_t at(Size out, Size in) const {
    return static_cast<std::size_t>(out * sides.in.count + in);
  }

  Sides sides;
  std::vector<double> peak, squares, change;  // by output and input position
  std::vector<double> scale;                  // largest |y| by output position
};

class Prober {
 public:
  Prober(const Probed& f, const Tensor<double>& x, const WhichAxisOptions& o)
      : f_(f), x_(x), o_(o), random_(mix_keys(o.seed, key_of("which_axis"))) {
    if (x.rank() < 3) fail(who, "expects x (batch, time, feature), got ", x.shape());
    if (x.size() == 0) fail(who, "x has no elements: ", x.shape());
    if (o.points < 1 || !(o.spread > 0))
      fail(who, ".points must be at least 1 and .spread above 0, got ", o.points, " and ",
           o.spread);
    require_finite(x, who, "x");
    spread_ = o.spread * deviation();
    const Probe probe = f_(constant(x_));
    y_ = probe.out.value();
    if (y_.empty()) fail(who, "f gave no value");
    require_finite(y_, who, "f(x)");
    if (!same_bits(y_, value(x_)))
      fail(who, "f gives different values for the same x: fix what is random in it");
    found_.input = x.shape(), found_.output = y_.shape();
    for (const auto& [name, weights] : probe.weights)
      if (!weights.value().empty()) found_.weights.push_back(sums(name, weights.value()));
    set_sides();
  }

  WhichAxis run() {
    Table time(time_), feature(feature_);
    for (int p = 0; p < o_.points; ++p) {
      point_ = p == 0 ? x_ : around();
      y_ = value(point_);
      derivatives(time, feature);
      changes(time), changes(feature);
      if (sample_.in.count > 1) other_samples();
    }
    found_.time = dependence(time), found_.feature = dependence(feature);
    if (sample_.in.count > 1) found_.mixes_samples = mixes_samples_;
    if (time_.paired && feature_.paired) found_.crosses = crosses_;
    look_for_leaks();
    return found_;
  }

 private:
  // Of all elements; of equal ones their size, or 1.
  double deviation() const {
    const double n = static_cast<double>(x_.size());
    double mean = 0, squares = 0;
    for (const double v : x_.values()) mean += v / n;
    for (const double v : x_.values()) squares += (v - mean) * (v - mean) / n;
    const double size = largest(x_);
    return std::sqrt(squares) > 1e-9 * size ? std::sqrt(squares) : size > 0 ? size : 1;
  }
  void set_sides() {
    const int time = resolve(o_.time, x_.rank(), who),
              feature = resolve(o_.feature, x_.rank(), who);
    if (time == 0 || feature == 0 || time == feature)
      fail(who, "time and feature are two axes of x behind the batch, got ", time, " and ",
           feature);
    const bool named = o_.output_time || o_.output_feature;
    const auto side = [&](int axis, const std::optional<Axis>& given, int by_default) {
      Sides s{Positions(x_.shape(), axis), {}};
      if (given || by_default < y_.rank()) {
        s.out = Positions(y_.shape(), resolve(given.value_or(by_default), y_.rank(), who));
        s.paired = s.in.count == s.out.count;
      }
      return s;
    };
    const int none = max_rank;
    time_ = side(time, o_.output_time, named || y_.rank() < 3 ? none : 1);
    feature_ = side(feature, o_.output_feature, named ? none : y_.rank() < 3 ? 1 : 2);
    const bool by_sample = y_.rank() > 0 && y_.shape()[0] == x_.shape()[0];
    sample_ = side(0, {}, by_sample ? 0 : none);
  }

  double normal() { return random_.normal(drawn_++); }
  Tensor<double> around() {
    Tensor<double> x = x_;
    double* v = x.mutable_data();
    for (Size i = 0; i < x.size(); ++i) v[i] += spread_ * normal();
    return x;
  }
  Tensor<double> value(const Tensor<double>& x) const {
    const Tensor<double> y = f_(constant(x)).out.value();
    if (y.shape() != y_.shape())
      fail(who, "the shape of f(x) depends on the values of x: got ", y_.shape(), " and ",
           y.shape());
    for (const double v : y.values())
      if (!std::isfinite(v))
        fail(who, "f gives ", v, " within ", spread_, " of x: a smaller .spread may help");
    return y;
  }

  // Rows of the Jacobian, those of one output position together: with random cotangents a
  // structural zero stays one, and what is none does not cancel.
  void derivatives(Table& time, Table& feature) {
    Tape<double> tape;
    const Var<double> x = tape.input(point_, {.gradient = true}), y = f_(x).out;
    for (Table* table : {&time, &feature})
      for (Size i = 0; i < y_.size(); ++i) {
        double& s = table->scale[static_cast<std::size_t>(table->sides.out.of(i))];
        s = std::max(s, std::abs(y_.data()[i]));
      }
    if (!y.has_gradient()) return;
    const auto gradient = [&](const auto& chosen) {
      Tensor<double> v(y.shape(), 0.);
      double* to = v.mutable_data();
      for (Size i = 0; i < v.size(); ++i)
        if (chosen(i)) to[i] = normal();
      return grad<double>(y, x, {.cotangents = {constant(v)}}).value();
    };
    for (Table* table : {&time, &feature})
      for (Size out = 0; out < table->sides.out.count; ++out) {
        const auto g = gradient([&](Size i) { return table->sides.out.of(i) == out; });
        for (Size i = 0; i < g.size(); ++i) {
          const std::size_t at = table->at(out, table->sides.in.of(i));
          table->peak[at] = std::max(table->peak[at], std::abs(g.data()[i]));
          table->squares[at] += g.data()[i] * g.data()[i];
        }
      }
    for (Size b = 0; b < std::min(sample_.in.count, most_samples) && sample_.in.count > 1; ++b) {
      const auto g =
          gradient([&](Size i) { return sample_.out.of(i) == (sample_.paired ? b : 0); });
      mixes_samples_ |= seen(g, [&](Size i) { return sample_.in.of(i) != b; });
    }
    if (time_.paired && feature_.paired) look_for_crosses(gradient);
  }
  // Whether a gradient is more than rounding somewhere.
  bool seen(const Tensor<double>& g, const auto& where) const {
    const double least = rounding * std::max(largest(g), largest(y_) / spread_);
    for (Size i = 0; i < g.size(); ++i)
      if (where(i) && std::abs(g.data()[i]) > least) return true;
    return false;
  }
  void look_for_crosses(const auto& gradient) {
    const Size all = time_.out.count * feature_.out.count;
    for (Size k = 0; k < std::min(all, most_crosses) && !crosses_; ++k) {
      const Size cell = all <= most_crosses ? k : k * all / most_crosses;
      const Size t = cell / feature_.out.count, f = cell % feature_.out.count;
      const auto g =
          gradient([&](Size i) { return time_.out.of(i) == t && feature_.out.of(i) == f; });
      crosses_ = seen(g, [&](Size i) { return time_.in.of(i) != t && feature_.in.of(i) != f; });
    }
  }

  // Other values in one position of the input: how much does each position of the output change?
  std::vector<double> changed(const Positions& in, Size position, const Positions& out) {
    Tensor<double> x = point_;
    double* v = x.mutable_data();
    for (Size i = 0; i < x.size(); ++i)
      if (in.of(i) == position) v[i] = x_.data()[i] + spread_ * normal();
    const Tensor<double> y = value(x);
    std::vector<double> change(static_cast<std::size_t>(out.count));
    for (Size i = 0; i < y.size(); ++i) {
      double& c = change[static_cast<std::size_t>(out.of(i))];
      c = std::max(c, std::abs(y.data()[i] - y_.data()[i]));
    }
    return change;
  }
  void changes(Table& table) {
    for (Size in = 0; in < table.sides.in.count; ++in) {
      const auto change = changed(table.sides.in, in, table.sides.out);
      for (Size out = 0; out < table.sides.out.count; ++out) {
        double& c = table.change[table.at(out, in)];
        c = std::max(c, change[static_cast<std::size_t>(out)]);
      }
    }
  }
  void other_samples() {
    for (Size b = 0; b < std::min(sample_.in.count, most_samples); ++b) {
      const auto change = changed(sample_.in, b, sample_.out);
      for (Size out = 0; out < sample_.out.count; ++out) {
        const bool own = sample_.paired && out == b;
        // Without a batch axis in the output, a second sample that it depends on is mixed in.
        const bool other = sample_.paired ? !own : b > 0;
        mixes_samples_ |= other && change[static_cast<std::size_t>(out)] > rounding * largest(y_);
      }
    }
  }

  AxisDependence dependence(const Table& table) const {
    const Sides& s = table.sides;
    AxisDependence d{s.out.count, s.in.count, s.paired};
    d.influence.resize(table.peak.size(), Influence::none);
    d.strength = Tensor<double>(Shape{s.out.count, s.in.count}, 0.);
    bool any = false, several = false, other = false;
    for (Size out = 0; out < s.out.count; ++out) {
      const std::size_t row = table.at(out, 0);
      const double scale = table.scale[static_cast<std::size_t>(out)];
      double least = scale / spread_;
      for (Size in = 0; in < s.in.count; ++in)
        least = std::max(least, table.peak[row + static_cast<std::size_t>(in)]);
      Size sees = 0;
      for (Size in = 0; in < s.in.count; ++in) {
        const std::size_t at = table.at(out, in);
        if (table.peak[at] > rounding * least) {
          d.influence[at] = Influence::derivative;
          d.strength.mutable_data()[at] = std::sqrt(table.squares[at] / o_.points);
        } else if (table.change[at] > rounding * scale) {
          d.influence[at] = Influence::jump;
        }
        if (d.influence[at] == Influence::none) continue;
        ++sees, other |= in != out;
      }
      any |= sees > 0, several |= sees > 1;
    }
    d.pattern = !any                 ? Pattern::none
                : several            ? Pattern::mixed
                : other || !s.paired ? Pattern::moved
                                     : Pattern::own;
    return d;
  }

  void look_for_leaks() {
    const AxisDependence& time = found_.time;
    if (!time.paired) return;
    found_.sees_later = false;
    Size farthest = 0;
    for (Size out = 0; out < time.outputs; ++out)
      for (Size in = out + 1; in < time.inputs; ++in)
        if (time.depends(out, in) && in - out > farthest) {
          farthest = in - out;
          found_.sees_later = true, found_.later_from = out, found_.later_to = in;
        }
  }

  // The axes along which all sums are 1 (or 0, of rows with nothing to attend to).
  static std::optional<Size> empty_rows(const Tensor<double>& w, unsigned axes) {
    const Shape kept = w.shape().without(axes);
    std::vector<double> sums(static_cast<std::size_t>(kept.size()));
    std::vector<Size> index(static_cast<std::size_t>(w.rank()));
    for (Size i = 0; i < w.size(); ++i) {
      Size row = 0;
      for (int a = 0; a < w.rank(); ++a)
        if (!(axes >> a & 1u)) row = row * w.shape()[a] + Positions(w.shape(), a).of(i);
      sums[static_cast<std::size_t>(row)] += w.data()[i];
    }
    Size empty = 0;
    for (const double sum : sums) {
      if (sum == 0)
        ++empty;
      else if (!(std::abs(sum - 1) < 1e-5))
        return {};
    }
    return empty < kept.size() ? std::optional(empty) : std::nullopt;
  }
  static WeightSums sums(const std::string& name, const Tensor<double>& w) {
    WeightSums found{name, w.shape()};
    const auto look = [&](unsigned axes) {
      const auto empty = empty_rows(w, axes);
      if (!empty) return false;
      found.empty_rows = *empty;
      for (int a = 0; a < w.rank(); ++a)
        if (axes >> a & 1u) found.axes.push_back(a), found.positions *= w.shape()[a];
      return true;
    };
    // A single axis, the last first; one of one position, where any weight of 1 sums to 1, only
    // when no other does. Then two axes: a joint softmax.
    for (const bool several : {true, false})
      for (int a = w.rank() - 1; a >= 1; --a)
        if ((w.shape()[a] > 1) == several && look(1u << a)) return found;
    for (int a = w.rank() - 1; a >= 2; --a)
      for (int b = a - 1; b >= 1; --b)
        if (look(1u << a | 1u << b)) return found;
    return found;
  }

  const Probed& f_;
  Tensor<double> x_, point_, y_;
  WhichAxisOptions o_;
  RandomStream random_;
  std::uint64_t drawn_ = 0;
  double spread_ = 1;
  Sides time_, feature_, sample_;
  bool mixes_samples_ = false, crosses_ = false;
  WhichAxis found_;
};

}  // namespace

WhichAxis which_axis(const Probed& f, const Tensor<double>& x, const WhichAxisOptions& options) {
  return Prober(f, x, options).run();
}

}  // namespace axisgrad::detail
