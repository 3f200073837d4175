#include <algorithm>
#include <cmath>
#include <utility>

#include <axisgrad/autograd/gradcheck/difference.hpp>
#include <axisgrad/autograd/gradcheck/judge.hpp>

namespace axisgrad::gradchecking {
namespace {

Finding finding(Finding::Verdict verdict, double a, const Differences& n, const Limits& limits) {
  Finding f{verdict, n.value(), relative_error(a, n.value(), n.floor(), limits), n.floor()};
  f.zero = std::abs(a) <= f.floor && std::abs(f.numeric) <= f.floor;
  f.constant = n.moved() == 0;
  return f;
}

}  // namespace

double relative_error(double a, double n, double floor, const Limits& limits) {
  const double difference = std::abs(a - n) - limits.atol;
  if (difference <= 0) return 0;
  if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
  return difference /
         std::max({std::abs(a), std::abs(n), limits.rtol > 0 ? floor / limits.rtol : 0});
}

// The largest step has the least round-off; a smaller one is needed near kinks, poles and edges. So
// a right gradient is known at the first step in most cases. If it disagrees there, finer steps
// that round-off leaves meaningful may still overrule.
Finding judge(Problem& problem, Direction d, double a, double noise, const Limits& limits,
              int rounds) {
  const double x =
      d.index < 0 ? 0 : problem.rows[static_cast<unsigned>(d.row)].value.data()[d.index];
  double t = limits.eps * std::exp2(std::ceil(std::log2(std::max(1., std::abs(x)))));
  Finding result;
  bool first = true;
  for (int round = 0; round < rounds; ++round, t /= 16) {
    Differences n(problem, d, t, noise);
    if (!n.finite()) continue;
    // Here the analytic value serves as the second estimate: a wrong one does not meet the error of
    // a difference by chance.
    const double quick = relative_error(a, n.value(), n.floor(), limits);
    if (first && n.looks_smooth() && quick <= .01 * limits.rtol)
      return finding(Finding::right, a, n, limits);
    n.refine();
    if (!n.finite()) continue;
    const double size = std::max(std::abs(a), std::abs(n.value()));
    const bool meaningful = std::exchange(first, false) || n.floor() <= 1e-4 * size;
    if (n.kink()) {
      result =
          finding(n.between_sides(a, limits.rtol) ? Finding::kink : Finding::wrong, a, n, limits);
      continue;
    }
    const bool settled = n.spread() <= std::max(limits.rtol * std::abs(n.value()), n.floor());
    if (!settled || !(meaningful || result.verdict == Finding::unsettled)) continue;
    const bool agrees = relative_error(a, n.value(), n.floor(), limits) <= limits.rtol;
    if (agrees && meaningful) return finding(Finding::right, a, n, limits);
    if (result.verdict != Finding::wrong)
      result = finding(agrees ? Finding::right : Finding::wrong, a, n, limits);
  }
  if (first) result.verdict = Finding::edge;
  return result;
}

Finding judge_by_two_points(Problem& problem, Direction d, double a, const Limits& limits) {
  double moved = 0, moved_back = 0;
  const double forth = problem.change(d, limits.eps, moved),
               back = problem.change(d, -limits.eps, moved_back);
  Finding f;
  f.numeric = (forth - back) / (2 * limits.eps);
  f.verdict = std::abs(a - f.numeric) <= limits.atol + limits.rtol * std::abs(f.numeric)
                  ? Finding::right
                  : Finding::wrong;
  f.error =
      a == f.numeric ? 0 : std::abs(a - f.numeric) / std::max(std::abs(a), std::abs(f.numeric));
  f.zero = a == 0 && f.numeric == 0;
  f.constant = moved == 0 && moved_back == 0;
  return f;
}

}  // namespace axisgrad::gradchecking
