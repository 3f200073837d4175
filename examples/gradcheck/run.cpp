#include "run.hpp"

#include <chrono>
#include <cmath>
#include <sstream>

#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/autograd/tape.hpp>

#include "single.hpp"

namespace checks {
namespace {

std::string where(const std::string& name, const Case& c) {
  return c.title.empty() ? name : name + " (" + c.title + ")";
}

std::string message(const Case& c, const std::string& text) {
  return c.title.empty() ? text + '\n' : c.title + ": " + text + '\n';
}

using Tensors = std::vector<ag::Tensor<double>>;

// The inputs moved by different parts of a half, so that of whole numbers none is 0 or equals
// another.
Tensors off_steps(Tensors inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const ag::RandomStream random(k);
    double* const x = inputs[k].mutable_data();
    for (ag::Size i = 0; i < inputs[k].size(); ++i)
      x[i] += .5 * random.uniform(static_cast<std::uint64_t>(i));
  }
  return inputs;
}

// Of the outputs' slopes by one element, the largest; a difference to both sides.
double slope_at(const Case& c, Tensors& inputs, std::size_t k, ag::Size i) {
  constexpr double step = 0x1p-20;
  const auto outputs = [&](double moved) {
    const double x = inputs[k].data()[i];
    inputs[k].mutable_data()[i] = x + moved;
    const auto ys = c.in_double(std::vector<ag::Var<double>>(inputs.begin(), inputs.end()));
    inputs[k].mutable_data()[i] = x;
    return ys;
  };
  const auto left = outputs(-step), right = outputs(step);
  double largest = 0;
  for (std::size_t o = 0; o < left.size(); ++o)
    for (ag::Size e = 0; e < left[o].value().size(); ++e) {
      const double slope = (right[o].value().data()[e] - left[o].value().data()[e]) / (2 * step);
      if (!(std::abs(slope) <= std::abs(largest))) largest = slope;
    }
  return largest;
}

class Run {
 public:
  Run(const Check& check, const RunOptions& options)
      : options_(options), result_{check.name, check.kind, options.order} {}

  void add(const Case& c) {
    try {
      if (!c.differentiable)
        require_constant(c);
      else if (in_double(c) && options_.single_precision)
        in_single(c);
    } catch (const std::exception& error) {
      failed(c, error.what());
    }
  }

  Result finish() {
    if (shown_ == 0 && hidden_ > 0) {
      result_.passed = false;
      result_.text += "every gradient is zero, so that a wrong rule would not show\n";
    }
    return std::move(result_);
  }

 private:
  void failed(const Case& c, const std::string& text) {
    result_.passed = false;
    result_.text += message(c, text);
  }

  // An op that is not differentiable must let no gradient through, and must have none: between its
  // steps no input may move it.
  void require_constant(const Case& c) {
    ag::Tape<double> tape;
    std::vector<ag::Var<double>> x;
    for (const auto& value : c.inputs) x.push_back(tape.input(value, {.gradient = true}));
    for (const auto& y : c.in_double(x))
      if (y.has_gradient()) failed(c, "is said to be constant, but is recorded");
    Tensors at = off_steps(c.inputs);
    for (std::size_t k = 0; k < at.size(); ++k)
      for (ag::Size i = 0; i < at[k].size(); ++i) {
        const double slope = slope_at(c, at, k, i);
        const std::string name = "input " + std::to_string(k);
        note(slope == 0 ? 0 : 1,
             {where(name, c), ag::gradchecking::index_of(at[k].shape(), i), 0, slope});
        if (slope != 0) failed(c, "is said to be constant, but " + name + " moves it");
      }
    ++shown_;
  }

  // A gradient that is zero by definition, as of a softmax over one position, hides nothing when
  // another case shows one.
  bool in_double(const Case& c) {
    const auto f = [&](const std::vector<ag::Var<double>>& x) { return c.in_double(x); };
    const ag::GradcheckOptions o{.other_points = c.other_points, .recording = c.recording};
    const auto report =
        options_.order == 1 ? ag::gradcheck(f, c.inputs, o) : ag::gradgradcheck(f, c.inputs, o);
    ++(report.hidden ? hidden_ : shown_);
    for (const auto& row : report.rows)
      if (!row.worst_point.empty())
        note(row.max_rel_error, {where(row.name, c), row.worst_index, row.analytic, row.numeric});
    const std::size_t rows = c.inputs.size() + c.parameters;
    if (options_.order == 1 && report.rows.size() < rows)
      failed(c, "of " + std::to_string(rows) + " inputs and parameters only " +
                    std::to_string(report.rows.size()) + " are on the tape: fed with constants?");
    if (report || report.hidden) return true;
    std::ostringstream text;
    text << report;
    failed(c, text.str());
    return false;
  }

  void in_single(const Case& c) {
    const SingleFinding found = compare_single(c, options_.order);
    note(found.error, {where(found.row, c), found.index, found.single, found.twice});
    if (found.error <= single_precision_tolerance) return;
    std::ostringstream text;
    text << found.row << ": the gradient in float is " << found.single << ", in double "
         << found.twice << ", a difference of " << found.error << " of the largest there, allowed "
         << single_precision_tolerance;
    failed(c, text.str());
  }

  void note(double error, Worst worst) {
    if (result_.worst && !(error > result_.max_rel_error || std::isnan(error))) return;
    result_.max_rel_error = error;
    result_.worst = std::move(worst);
  }

  const RunOptions& options_;
  Result result_;
  int shown_ = 0, hidden_ = 0;
};

}  // namespace

Result run(const Check& check, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Run run(check, options);
  std::vector<Case> cases = check.cases();
  if (options.first_case_only) cases.resize(1);
  for (const Case& c : cases) run.add(c);
  Result result = run.finish();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace checks
