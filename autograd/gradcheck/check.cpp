// The check: points, rows, elements, verdicts.
#include <algorithm>
#include <cmath>
#include <sstream>

#include <axisgrad/autograd/gradcheck/difference.hpp>

namespace axisgrad {
namespace gradchecking {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What one element (or projection) came to.
struct Finding {
  enum { right, wrong, kink, edge, unsettled } is = unsettled;
  double numeric = std::numeric_limits<double>::quiet_NaN(), error = 0, floor = 0;
  bool zero = false,
       still = false;  // both values 0 as far as round-off lets one see; no output moved
};

bool differ(const std::vector<Tensor<double>>& a, const std::vector<Tensor<double>>& b,
            double tolerance, double& by) {
  if (a.size() != b.size()) return true;
  by = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k].shape() != b[k].shape()) return true;
    for (Size i = 0; i < a[k].size(); ++i) {
      const double x = a[k].data()[i], y = b[k].data()[i];
      if (x != y && !(std::isnan(x) && std::isnan(y)))
        by = std::max(by, std::isnan(x - y) ? infinity : std::abs(x - y));
    }
  }
  return by > tolerance;
}

double largest(const std::vector<Tensor<double>>& values) {
  double size = 0;
  for (const auto& y : values)
    for (const double v : y.values()) size = std::max(size, std::abs(v));
  return size;
}

// Values that fill the 24 bits of a float, and no more.
bool made_of_floats(const std::vector<Tensor<double>>& values) {
  Size full = 0;
  for (const auto& y : values)
    for (const double v : y.values()) {
      if (!std::isfinite(v)) continue;
      if (static_cast<double>(static_cast<float>(v)) != v) return false;
      int exponent;
      full += std::remainder(std::ldexp(std::frexp(v, &exponent), 14), 1.) != 0;
    }
  return full > 0;
}

class Check {
 public:
  Check(const Function& f, std::vector<Tensor<double>> inputs, int order,
        const GradcheckOptions& options)
      : options_(options),
        two_point_(options.mode == GradcheckMode::two_point),
        rtol_(options.rtol.value_or(two_point_ ? 1e-3 : 1e-6)),
        atol_(options.atol.value_or(two_point_ ? 1e-5 : 0)),
        eps_(options.eps.value_or(two_point_ ? 1e-6 : 0x1p-7)),
        problem_(f, std::move(inputs), order, options) {
    if (!(rtol_ >= 0 && atol_ >= 0 && eps_ > 0))
      fail("gradcheck", "needs eps > 0, rtol >= 0 and atol >= 0, got ", eps_, ", ", rtol_, " and ",
           atol_);
  }

  GradcheckReport run() {
    report_.tolerance = rtol_;
    for (const Row& row : problem_.rows) {
      report_.rows.push_back({row.name, row.value.shape()});
      states_.push_back({row.value});
    }
    if (problem_.single_precision)
      report_.failures.push_back(
          "f returns a Var<float>: it is not on the tape of the check, which is in double. Write f "
          "for any "
          "scalar type, as [](auto x) { ... }.");
    if (!at_point("the given point", true)) return finish();
    if (!two_point_) {
      // Each input sees both signs: zeros, too, since both points share u.
      const auto away = [](double x, double u) { return x + .125 * u * (1 + std::abs(x)); };
      move_to([&](double x, double u) { return x == 0 ? -away(x, u) : -x; }, true),
          at_point("the mirrored point -x", false);
      move_to(away, false), at_point("a perturbed point", false);
      if (all_zero())
        move_to([](double, double u) { return 2 * u; }, true),
            at_point("a point of values near 1", false);
    }
    return finish();
  }

 private:
  struct State {
    Tensor<double> given;
    bool zero = true, still = true;
    double blind = 0;  // fast mode: the largest error in one element that would not show
    Size edges = 0;
  };

  template <class Move>
  void move_to(const Move& move, bool inputs_only) {
    ++point_;
    for (std::size_t r = 0; r < problem_.rows.size(); ++r) {
      Row& row = problem_.rows[r];
      row.value = states_[r].given;
      if (row.frozen || row.value.size() == 0 || (inputs_only && row.kind != Row::input)) continue;
      double* x = row.value.mutable_data();
      for (Size i = 0; i < row.value.size(); ++i)
        x[i] = move(x[i], random_weight(options_.seed, r, static_cast<std::uint64_t>(i)));
    }
  }

  // False when nothing more can be said.
  bool at_point(const std::string& name, bool given) {
    problem_.start_point(options_.seed + 100 * point_);
    std::vector<Tensor<double>> analytic;
    try {
      analytic = problem_.gradients();
    } catch (const GradcheckError& error) {
      report_.failures.push_back("Differentiating at " + name + " fails: " + error.what());
      return false;
    } catch (const Error&) {
      if (given) throw;
      return true;  // f refuses these values
    }
    if (given && (!repeatable(analytic) || !finite_outputs())) return false;
    const double noise = two_point_ ? 0 : noise_here();
    for (int r = 0; r < static_cast<int>(problem_.rows.size()); ++r) {
      const Row& row = problem_.rows[static_cast<unsigned>(r)];
      if (row.frozen || row.value.size() == 0) continue;
      const Tensor<double>& a = analytic[static_cast<unsigned>(r)];
      if (options_.fast_mode)
        element({r, -1}, projection(r, a), noise, name, given);
      else
        for (Size i = 0; i < a.size(); ++i) element({r, i}, a.data()[i], noise, name, given);
    }
    return true;
  }

  bool repeatable(const std::vector<Tensor<double>>& analytic) {
    const auto first = problem_.base();
    const auto again = problem_.gradients();
    const auto plain = problem_.outputs();
    double by = 0;
    const char* what = differ(first, problem_.base(), options_.nondet_tol, by) ||
                               differ(first, plain, options_.nondet_tol, by)
                           ? "outputs"
                       : differ(analytic, again, options_.nondet_tol, by) ? "gradients"
                                                                          : nullptr;
    if (!what) return same_under_create_graph();
    std::ostringstream text;
    text << "Not deterministic: the " << what << " of two equal calls differ by up to " << by
         << ". Nothing else can be checked; fix the seed or the mask of whatever is random.";
    report_.failures.push_back(text.str());
    return false;
  }

  // Two ways to one gradient: allowed to differ by round-off.
  bool same_under_create_graph() {
    double by = 0;
    if (problem_.under_create_graph().empty() ||
        !differ(problem_.base(), problem_.under_create_graph(), rtol_ * largest(problem_.base()),
                by))
      return true;
    std::ostringstream text;
    text << "The first gradient differs by up to " << by
         << " when it is to be differentiated again (create_graph): a rule, or a fused op's "
            "reference, gives something else then.";
    report_.failures.push_back(text.str());
    return false;
  }

  bool finite_outputs() {
    Size infinite = 0;
    for (std::size_t k = 0; k < problem_.base().size(); ++k)
      for (const double v : problem_.base()[k].values()) {
        infinite += std::isinf(v);
        if (!std::isnan(v)) continue;
        report_.failures.push_back("Output " + std::to_string(k) + " is NaN at the given point.");
        return false;
      }
    if (infinite)
      report_.remarks.push_back(std::to_string(infinite) +
                                " outputs are infinite at the given point; they are left out.");
    return true;
  }

  double noise_here() {
    double noise = measure_noise(problem_);
    if (made_of_floats(problem_.base()))
      floats_ += point_ > 0, noise = std::max(noise, 6e-8 * problem_.magnitude());
    if (problem_.magnitude() > 0) roughness_ = std::max(roughness_, noise / problem_.magnitude());
    return noise;
  }

  double projection(int r, const Tensor<double>& a) const {
    double sum = 0;
    const double* x = problem_.rows[static_cast<unsigned>(r)].value.data();
    for (Size i = 0; i < a.size(); ++i) sum += a.data()[i] * problem_.along({r}, r, i, x[i]);
    return sum;
  }

  void element(Direction d, double a, double noise, const std::string& point, bool given) {
    const auto r = static_cast<unsigned>(d.row);
    GradcheckRow& row = report_.rows[r];
    State& state = states_[r];
    if (!given && !std::isfinite(a)) return;  // outside the domain
    const Finding found =
        two_point_ ? two_point(d, a) : judge(d, a, noise, row.wrong < 16 ? 10 : 2);
    if (found.is == Finding::edge || (found.is == Finding::unsettled && !given)) {
      state.edges += given;
      return;
    }
    ++row.checked;
    state.zero &= found.zero, state.still &= found.still;
    if (d.index < 0)
      state.blind = std::max(state.blind, 2 * std::max(rtol_ * std::abs(a), found.floor));
    if (found.is == Finding::kink) {
      ++row.kinks;
      return;
    }
    const bool wrong = found.is != Finding::right;
    row.wrong += wrong;
    row.max_abs_error = std::max(
        row.max_abs_error,
        std::isnan(found.numeric - a) ? infinity : std::abs((a - found.numeric) / problem_.unit()));
    if (!(found.error > row.max_rel_error) && !row.worst_point.empty()) return;
    row.max_rel_error = found.error;
    row.worst_point = point;
    row.worst_index = index_of(row.shape, d.index);
    row.analytic = a / problem_.unit(), row.numeric = found.numeric / problem_.unit();
  }

  // |a - n| / max(|a|, |n|), where values below the round-off of f count as that large. At most
  // rtol exactly when |a - n| <= max(rtol max(|a|, |n|), floor).
  double error(double a, double n, double floor) const {
    const double difference = std::max(0., std::abs(a - n) - atol_);
    if (std::isnan(difference) || std::isinf(a)) return infinity;
    const double size = std::max({std::abs(a), std::abs(n), rtol_ > 0 ? floor / rtol_ : 0});
    return difference == 0 ? 0 : difference / size;
  }

  Finding two_point(Direction d, double a) {
    double moved = 0, moved_back = 0;
    const double n =
        (problem_.change(d, eps_, moved) - problem_.change(d, -eps_, moved_back)) / (2 * eps_);
    Finding found;
    found.numeric = n;
    found.error = a == n ? 0 : std::abs(a - n) / std::max(std::abs(a), std::abs(n));
    found.is = std::abs(a - n) <= atol_ + rtol_ * std::abs(n) ? Finding::right : Finding::wrong;
    found.zero = a == 0 && n == 0, found.still = moved == 0 && moved_back == 0;
    return found;
  }

  // Shrinks the step until estimates agree with each other and with a. When they agree with each
  // other only, the finest step that round-off leaves meaningful has the last word.
  Finding judge(Direction d, double a, double noise, int rounds) {
    const double x =
        d.index < 0 ? 0 : problem_.rows[static_cast<unsigned>(d.row)].value.data()[d.index];
    double t = eps_ * std::exp2(std::ceil(std::log2(std::max(1., std::abs(x)))));
    Finding result;
    bool any_finite = false;
    for (int round = 0; round < rounds; ++round, t /= 16) {
      Differences n(problem_, d, t, noise);
      if (!n.finite()) continue;
      const bool first = !std::exchange(any_finite, true);
      const double quick = error(a, n.value(), n.floor());
      if (first && n.looks_smooth() && quick <= .01 * rtol_) return finding(Finding::right, a, n);
      n.refine();
      if (!n.finite()) continue;
      if (n.kink()) {
        result = finding(n.between_sides(a, rtol_) ? Finding::kink : Finding::wrong, a, n);
        continue;
      }
      const double size = std::max(std::abs(a), std::abs(n.value()));
      const bool meaningful = n.floor() <= 1e-4 * size,
                 settled = n.spread() <= std::max(rtol_ * std::abs(n.value()), n.floor());
      if (!settled || (!meaningful && result.is != Finding::unsettled)) continue;
      const bool agrees = error(a, n.value(), n.floor()) <= rtol_;
      if (agrees && (first || meaningful)) return finding(Finding::right, a, n);
      if (agrees || result.is != Finding::wrong)
        result = finding(agrees ? Finding::right : Finding::wrong, a, n);
    }
    if (!any_finite) result.is = Finding::edge;
    if (result.is == Finding::unsettled) result.error = infinity;
    return result;
  }

  Finding finding(decltype(Finding::is) is, double a, const Differences& n) const {
    Finding f;
    f.is = is, f.numeric = n.value(), f.floor = n.floor(), f.error = error(a, f.numeric, f.floor);
    f.zero = std::abs(a) <= f.floor && std::abs(f.numeric) <= f.floor;
    f.still = n.moved() == 0;
    return f;
  }

  static std::vector<Size> index_of(const Shape& shape, Size at) {
    std::vector<Size> index;
    for (int a = 0; at >= 0 && a < shape.rank(); ++a) {
      const Size step = shape.product(a + 1, shape.rank());
      index.push_back(at / step), at %= step;
    }
    return index;
  }

  // Of all rows that were checked; false when none was.
  template <class Is>
  bool everywhere(const Is& is) const {
    bool all = true, any = false;
    for (std::size_t r = 0; r < states_.size(); ++r)
      if (report_.rows[r].checked) all &= is(states_[r]), any = true;
    return all && any;
  }
  bool all_zero() const {
    return everywhere([](const State& s) { return s.zero; });
  }

  GradcheckReport finish() {
    const bool constant = everywhere([](const State& s) { return s.still; });
    report_.hidden = all_zero() && !constant && report_.failures.empty();
    if (constant && report_.failures.empty())
      report_.remarks.push_back(
          "The outputs do not depend on anything that was varied, so this says nothing about the "
          "rules.");
    for (std::size_t r = 0; r < states_.size(); ++r)
      finish(report_.rows[r], states_[r], problem_.rows[r]);
    if (floats_ > 0)
      report_.remarks.push_back(
          "The outputs are float32 values: something inside f rounds to float, so differences tell "
          "less.");
    else if (roughness_ > 1e-9) {
      std::ostringstream text;
      text << "The outputs are rough, by " << roughness_
           << " of their size: float32 inside f, or cancellation. Smaller errors cannot be seen.";
      report_.remarks.push_back(text.str());
    }
    if (two_point_)
      report_.remarks.push_back(
          "Two-point differences at the given point only: branches that it does not reach, and "
          "gradients near atol, are not checked.");
    return std::move(report_);
  }

  void finish(GradcheckRow& row, const State& state, const Row& source) {
    auto remark = [&](const auto&... parts) {
      std::ostringstream text;
      (text << ... << parts);
      row.remarks.push_back(text.str());
    };
    if (source.frozen)
      remark("frozen: not checked");
    else if (row.shape.size() == 0)
      remark("has no elements");
    if (row.checked == 0)
      row.verdict = GradcheckVerdict::not_checked;
    else if (row.wrong)
      row.verdict = GradcheckVerdict::failed;
    else if (report_.hidden)
      row.verdict = GradcheckVerdict::hidden;
    else if (row.kinks == row.checked)
      row.verdict = GradcheckVerdict::kink;
    if (row.checked && state.still)
      remark("the outputs do not depend on it");
    else if (row.checked && state.zero)
      remark("its gradient is zero everywhere");
    if (row.kinks)
      remark(row.kinks, " of ", row.checked,
             " sit on a kink: the slopes of the two sides differ, and the gradient is one of them "
             "or between");
    if (state.edges)
      remark(state.edges,
             " at the edge of the domain: f is not finite on one side, not checked there");
    if (options_.fast_mode && row.checked && !state.zero)
      remark("fast mode: one random projection for all ", row.shape.size(),
             " elements. An error below ", state.blind,
             " in a single element (as in a small one beside large ones) cannot be seen, and which "
             "element is wrong is not told");
  }

  const GradcheckOptions options_;
  const bool two_point_;
  const double rtol_, atol_, eps_;
  Problem problem_;
  std::uint64_t point_ = 0;
  std::vector<State> states_;
  GradcheckReport report_;
  int floats_ = 0;
  double roughness_ = 0;
};

}  // namespace

GradcheckReport check(const Function& f, std::vector<Tensor<double>> inputs, int order,
                      const GradcheckOptions& options) {
  GradcheckReport report = Check(f, std::move(inputs), order, options).run();
  if (options.raise_exception && !report) {
    std::ostringstream text;
    text << "[gradcheck] the gradient was not found right\n" << report;
    throw GradcheckError(text.str());
  }
  return report;
}

}  // namespace gradchecking
}  // namespace axisgrad
