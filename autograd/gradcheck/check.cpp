// The check: its points, its rows, and what is said of them.
#include <cmath>

#include <axisgrad/autograd/gradcheck/difference.hpp>
#include <axisgrad/autograd/gradcheck/judge.hpp>

namespace axisgrad::gradchecking {
namespace {

using Values = std::vector<Tensor<double>>;

// The largest absolute difference; NaN equals NaN.
double distance(const Values& a, const Values& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    for (Size i = 0; i < a[k].size(); ++i) {
      const double x = a[k].data()[i], y = b[k].data()[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      largest = std::max(largest, std::isfinite(x - y) ? std::abs(x - y)
                                                       : std::numeric_limits<double>::infinity());
    }
  return largest;
}

class Check {
 public:
  Check(const Function& f, Values inputs, int order, const GradcheckOptions& options)
      : options_(options),
        two_point_(options.mode == GradcheckMode::two_point),
        limits_{options.eps.value_or(two_point_ ? 1e-6 : 0x1p-7),
                options.rtol.value_or(two_point_ ? 1e-3 : 1e-6),
                options.atol.value_or(two_point_ ? 1e-5 : 0)},
        problem_(f, std::move(inputs), order, options) {
    if (!(limits_.eps > 0 && limits_.rtol >= 0 && limits_.atol >= 0))
      fail("gradcheck", "needs eps > 0, rtol >= 0 and atol >= 0, got ", limits_.eps, ", ",
           limits_.rtol, " and ", limits_.atol);
    report_.tolerance = limits_.rtol;
    for (const Row& row : problem_.rows) {
      report_.rows.push_back({row.name, row.value.shape()});
      states_.push_back({row.value});
    }
  }

  GradcheckReport run() {
    if (problem_.single_precision)
      report_.failures.push_back(
          "f returns a Var<float>, which is not on the tape of the check (it is in double): write "
          "f for any "
          "scalar, as [](auto x) { ... }.");
    if (at_point("the given point", true) && !two_point_ && options_.other_points) {
      // Every input element sees both signs: zeros too, since the two points share u.
      const auto away = [](double x, double u) { return x + .125 * u * (1 + std::abs(x)); };
      move_to([&](double x, double u) { return x == 0 ? -away(x, u) : -x; }, true);
      at_point("the mirrored point -x", false);
      move_to(away, false);
      at_point("a perturbed point", false);
      if (everywhere(&State::zero)) {  // saturated, maybe
        move_to([](double, double u) { return 2 * u; }, true);
        at_point("a point of values near 1", false);
      }
    }
    finish();
    return std::move(report_);
  }

 private:
  struct State {
    Tensor<double> given;
    bool zero = true, constant = true;
    double unseen = 0;  // fast mode: an error in one element that would not show
    Size skipped = 0;   // at the given point
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

  // False when nothing more can be said. Away from the given point, what is not finite or is
  // refused by f is outside the domain.
  bool at_point(const std::string& point, bool given) {
    problem_.start_point(options_.seed + 100 * point_);
    Values gradients;
    try {
      gradients = problem_.gradients();
    } catch (const GradcheckError& error) {
      report_.failures.push_back(text_of("Differentiating at ", point, " fails: ", error.what()));
      return false;
    } catch (const Error&) {
      if (given) throw;
      return true;
    }
    if (given && !(repeatable(gradients) && without_nan())) return false;
    const double noise = two_point_ ? 0 : measure_noise(problem_), size = problem_.magnitude();
    if (size > 0) roughness_ = std::max(roughness_, noise / size);
    for (int r = 0; r < static_cast<int>(problem_.rows.size()); ++r) {
      const Tensor<double>& a = gradients[static_cast<unsigned>(r)];
      if (a.size() == 0) continue;  // frozen, or without elements
      if (options_.fast_mode)
        element({r, -1}, problem_.project(r, a), noise, point, given);
      else
        for (Size i = 0; i < a.size(); ++i) element({r, i}, a.data()[i], noise, point, given);
    }
    return true;
  }

  bool repeatable(const Values& gradients) {
    const Values base = problem_.base(), under_create_graph = problem_.under_create_graph();
    const double outputs = distance(base, problem_.outputs()),
                 again = distance(gradients, problem_.gradients());
    if (std::max(outputs, again) > options_.nondet_tol)
      report_.failures.push_back(text_of(
          "Not deterministic: the ", outputs > options_.nondet_tol ? "outputs" : "gradients",
          " of two equal calls differ by up to ", std::max(outputs, again),
          ". Nothing else can be checked; fix the seed or the mask of whatever is random."));
    // Second order: two ways to the first gradient, which may differ by round-off.
    const double other = distance(under_create_graph, base);
    if (other > limits_.rtol * (1 + problem_.magnitude()))
      report_.failures.push_back(
          text_of("The first gradient differs by up to ", other,
                  " when it is to be differentiated again "
                  "(create_graph): a rule, or a fused op's reference, gives something else then."));
    return report_.failures.empty();
  }

  bool without_nan() {
    Size infinite = 0;
    for (const Tensor<double>& y : problem_.base())
      for (const double v : y.values()) {
        infinite += std::isinf(v);
        if (!std::isnan(v)) continue;
        report_.failures.push_back(
            text_of("Output ", &y - problem_.base().data(), " is NaN at the given point."));
        return false;
      }
    if (infinite)
      report_.remarks.push_back(
          text_of(infinite, " output elements are infinite at the given point and left out."));
    return true;
  }

  void element(Direction d, double a, double noise, const std::string& point, bool given) {
    GradcheckRow& row = report_.rows[static_cast<unsigned>(d.row)];
    State& state = states_[static_cast<unsigned>(d.row)];
    if (!given && !std::isfinite(a)) return;
    const int rounds = row.wrong < 16 ? 10 : 2;  // all wrong: that is clear soon
    const Finding f = two_point_ ? judge_by_two_points(problem_, d, a, limits_)
                                 : judge(problem_, d, a, noise, limits_, rounds);
    const bool tells = f.verdict != Finding::edge && f.verdict != Finding::unsettled;
    if (!tells && !std::isnan(a)) {
      state.skipped += given;
      return;
    }
    ++row.checked;
    state.zero &= f.zero, state.constant &= f.constant;
    state.unseen =
        std::max(state.unseen, 4 * std::max(limits_.atol + limits_.rtol * std::abs(a), f.floor));
    if (f.verdict == Finding::kink) {
      ++row.kinks;
      return;
    }
    row.wrong += f.verdict != Finding::right;  // NaN, if not wrong
    const double difference = std::abs((a - f.numeric) / problem_.unit());
    row.max_abs_error = std::isnan(difference) ? f.error : std::max(row.max_abs_error, difference);
    if (f.error <= (1 + 1e-6) * row.max_rel_error && !row.worst_point.empty())
      return;  // the first of equals
    row.max_rel_error = f.error;
    row.worst_point = point;
    if (d.index >= 0) row.worst_index = unravel_index(row.shape, d.index);
    row.analytic = a / problem_.unit(), row.numeric = f.numeric / problem_.unit();
  }

  // Of all rows that were checked; false when none was.
  bool everywhere(bool State::*is) const {
    bool all = true, any = false;
    for (std::size_t r = 0; r < states_.size(); ++r)
      if (report_.rows[r].checked) all &= states_[r].*is, any = true;
    return all && any;
  }

  void finish() {
    auto& remarks = report_.remarks;
    if (report_.failures.empty() && everywhere(&State::constant))
      remarks.push_back(
          "The outputs depend on nothing that was varied, so this says nothing about the rules.");
    else
      report_.hidden = report_.failures.empty() && everywhere(&State::zero);
    for (std::size_t r = 0; r < states_.size(); ++r)
      finish(report_.rows[r], states_[r], problem_.rows[r].frozen);
    if (roughness_ > 1e-9)
      remarks.push_back(text_of("The outputs are rough, by ", roughness_,
                                " of their size: float32 inside f, or cancellation. Smaller "
                                "errors cannot be seen."));
    if (two_point_)
      remarks.push_back(
          "Two-point differences at the given point only: branches that it does not reach, and "
          "gradients below atol, are "
          "not checked.");
  }

  void finish(GradcheckRow& row, const State& state, bool frozen) const {
    using enum GradcheckVerdict;
    const bool nowhere = row.checked == 0 && state.skipped > 0;
    row.verdict = row.wrong || nowhere       ? failed
                  : row.checked == 0         ? not_checked
                  : report_.hidden           ? hidden
                  : row.kinks == row.checked ? kink
                                             : passed;
    auto& remarks = row.remarks;
    if (frozen)
      remarks.push_back("frozen, so not checked");
    else if (row.shape.size() == 0)
      remarks.push_back("has no elements");
    if (row.kinks)
      remarks.push_back(
          text_of(row.kinks, " of ", row.checked,
                  " sit on a kink: the slopes of its two sides differ, and the gradient is one "
                  "of them or between"));
    if (state.skipped)
      remarks.push_back(text_of(state.skipped,
                                " not checked at the given point: f is finite on one side only, or "
                                "the differences settle at no step (a jump, or noise)"));
    if (row.checked == 0) return;
    if (state.zero)
      remarks.push_back(state.constant ? "the outputs do not depend on it"
                                       : "its gradient is zero everywhere");
    else if (options_.fast_mode)
      remarks.push_back(
          text_of("fast mode makes one random projection of all ", row.shape.size(),
                  " elements: an error below ", state.unseen,
                  " in a single element (as in a small one beside large ones) cannot be "
                  "seen, nor which element is wrong"));
  }

  const GradcheckOptions options_;
  const bool two_point_;
  const Limits limits_;
  Problem problem_;
  std::uint64_t point_ = 0;
  std::vector<State> states_;
  GradcheckReport report_;
  double roughness_ = 0;  // the largest round-off seen, beside the outputs
};

}  // namespace

GradcheckReport check(const Function& f, Values inputs, int order,
                      const GradcheckOptions& options) {
  GradcheckReport report = Check(f, std::move(inputs), order, options).run();
  if (options.raise_exception && !report)
    throw GradcheckError(text_of("[gradcheck] the gradient was not found right\n", report));
  return report;
}

}  // namespace axisgrad::gradchecking
