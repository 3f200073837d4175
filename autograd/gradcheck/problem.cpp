#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <axisgrad/autograd/gradcheck/problem.hpp>
#include <axisgrad/autograd/random.hpp>

namespace axisgrad::gradchecking {
namespace {

Tensor<double> random(const Shape& shape, std::uint64_t seed, std::uint64_t stream) {
  Tensor<double> w(shape);
  double* to = w.mutable_data();
  for (Size i = 0; i < w.size(); ++i)
    to[i] = random_weight(seed, stream, static_cast<std::uint64_t>(i));
  return w;
}

}  // namespace

double random_weight(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const std::uint64_t bits = mix_keys(mix_keys(seed, stream), index);
  const double u = std::ldexp(static_cast<double>(bits >> 12), -52);  // [0, 1)
  return (.25 + .75 * u) * (bits & 1 ? 1 : -1);
}

Problem::Problem(const Function& f, std::vector<Tensor<double>> inputs, int order,
                 const GradcheckOptions& options)
    : f_(f), order_(order), recorded_(options.recording), plain_(options.recording) {
  if (inputs.empty()) fail("gradcheck", "needs at least one input");
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].empty()) fail("gradcheck", "input ", k, " is empty: it has no value");
    rows.push_back({Row::input, "input " + std::to_string(k), std::move(inputs[k])});
  }
  recorded_.options().gradient = true;
  plain_.options().gradient = order > 1;
  run(recorded_, true);
  find_rows();
  start_point(options.seed);
  if (order > 1) return;
  try {
    evaluate();
  } catch (const Error&) {  // f itself takes a gradient
    records_always_ = plain_.options().gradient = true;
    evaluate();
  }
}

// Parameters in the order in which they were made, then the cotangents.
void Problem::find_rows() {
  for (const auto& leaf : recorded_.leaves()) {
    const std::string& name = leaf.cell->name;
    rows.push_back({Row::parameter,
                    name.empty() ? "parameter " + std::to_string(leaf.cell->id) : name,
                    leaf.var.value(), leaf.cell->id, !leaf.var.has_gradient()});
  }
  for (std::size_t k = 0; k < result_.ys.size(); ++k) {
    const Shape& shape = result_.ys[k].shape();
    if (order_ == 1)
      shapes_.push_back(shape);
    else
      rows.push_back({Row::cotangent, "cotangent " + std::to_string(k), random(shape, 0, k)});
  }
  for (const Row& row : rows)
    if (order_ > 1 && row.kind != Row::cotangent && !row.frozen)
      shapes_.push_back(row.value.shape());
}

void Problem::start_point(std::uint64_t seed) {
  directions_.clear(), weights_.clear();
  for (std::size_t r = 0; r < rows.size(); ++r)
    directions_.push_back(random(rows[r].value.shape(), seed, 1000 + r));
  for (std::size_t k = 0; k < shapes_.size(); ++k)
    weights_.push_back(random(shapes_[k], seed, 2000 + k));
}

void Problem::run(Tape<double>& tape, bool gradient) {
  inputs_.clear(), cotangents_.clear(), result_.ys.clear(), values_.clear();
  tape.clear();
  for (const Row& row : rows) {
    if (row.kind == Row::parameter)
      tape.substitute(row.id, row.value);
    else
      (row.kind == Row::input ? inputs_ : cotangents_)
          .push_back(tape.input(row.value, {.gradient = gradient}));
  }
  f_(inputs_, result_);
  single_precision |= result_.other_precision;
}

// What the gradient is taken by; a default Var for a parameter that this run did not use.
std::vector<Var<double>> Problem::variables(Tape<double>& tape, bool with_cotangents) const {
  std::vector<Var<double>> all(inputs_);
  for (const Row& row : rows) {
    if (row.kind != Row::parameter || row.frozen) continue;
    Var<double> found;
    for (const auto& leaf : tape.leaves())
      if (leaf.cell->id == row.id) found = leaf.var;
    all.push_back(found.on_tape() ? found : tape.input(row.value, {.gradient = true}));
  }
  if (with_cotangents) all.insert(all.end(), cotangents_.begin(), cotangents_.end());
  return all;
}

std::vector<Var<double>> Problem::first_gradients(Tape<double>& tape, bool create_graph) {
  return grad<double>(
      result_.ys, variables(tape, false),
      {.create_graph = create_graph, .cotangents = cotangents_, .allow_constant = true});
}

std::vector<Tensor<double>> Problem::gradients() {
  run(recorded_, true);
  try {
    std::vector<Var<double>> ys = order_ == 1 ? result_.ys : first_gradients(recorded_, true),
                             weights;
    base_.clear();
    for (std::size_t k = 0; k < ys.size(); ++k) {
      base_.push_back(ys[k].value());
      if (k >= shapes_.size() || base_[k].shape() != shapes_[k])
        fail("gradcheck", "the number or shape of the outputs changes from call to call");
      double* w = weights_[k].mutable_data();
      for (Size i = 0; i < base_[k].size(); ++i)
        if (!std::isfinite(base_[k].data()[i])) w[i] = 0;
      weights.push_back(Var<double>(weights_[k]));
    }
    const auto found = grad<double>(ys, variables(recorded_, order_ > 1),
                                    {.cotangents = weights, .allow_constant = true});
    std::vector<Tensor<double>> result;
    std::size_t next = 0;
    for (const Row& row : rows)
      result.push_back(row.frozen ? Tensor<double>() : found[next++].value());
    if (order_ > 1) under_create_graph_ = std::exchange(base_, evaluate());
    return result;
  } catch (const Error& error) {
    throw GradcheckError(error.what());
  }
}

const std::vector<Tensor<double>>& Problem::evaluate() {
  run(plain_, order_ > 1 || records_always_);
  if (order_ == 1)
    for (const auto& y : result_.ys) values_.push_back(y.value());
  else
    for (const auto& g : first_gradients(plain_, false)) values_.push_back(g.value());
  return values_;
}

std::vector<Tensor<double>> Problem::outputs() { return evaluate(); }

double Problem::magnitude() const {
  double sum = 0;
  for (std::size_t k = 0; k < base_.size(); ++k)
    for (Size i = 0; i < base_[k].size(); ++i)
      if (const double w = weights_[k].data()[i]; w != 0)
        sum += std::pow(w * base_[k].data()[i], 2);
  return std::sqrt(sum);
}

double Problem::along(Direction d, int row, Size i, double x) const {
  return directions_[static_cast<unsigned>(row)].data()[i] *
         (d.row < 0 ? std::abs(x) : std::max(1., std::abs(x)));
}

double Problem::project(int row, const Tensor<double>& gradient) const {
  const double* x = rows[static_cast<unsigned>(row)].value.data();
  double sum = 0;
  for (Size i = 0; i < gradient.size(); ++i) sum += gradient.data()[i] * along({row}, row, i, x[i]);
  return sum;
}

void Problem::move(Direction d, double t) {
  for (int r = 0; r < static_cast<int>(rows.size()); ++r) {
    Row& row = rows[static_cast<unsigned>(r)];
    if ((d.row >= 0 && d.row != r) || row.frozen || row.value.size() == 0) continue;
    double* x = row.value.mutable_data();
    if (d.index >= 0)
      x[d.index] += t;
    else
      for (Size i = 0; i < row.value.size(); ++i) x[i] += t * along(d, r, i, x[i]);
  }
}

double Problem::change(Direction d, double t, double& moved) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  // Nothing else may hold the values while they are written, or they would be copied each time.
  inputs_.clear(), cotangents_.clear(), result_.ys.clear(), plain_.clear(), recorded_.clear();
  double* element =
      d.index >= 0 ? rows[static_cast<unsigned>(d.row)].value.mutable_data() + d.index : nullptr;
  const double before = element ? *element : 0;
  if (!element) {
    origin_.clear();
    for (const Row& row : rows) origin_.push_back(row.value);
  }
  move(d, t);
  double sum = 0;
  moved = 0;
  try {
    const auto& y = evaluate();
    if (y.size() != base_.size()) sum = nan;
    for (std::size_t k = 0; k < y.size() && k < base_.size(); ++k) {
      if (y[k].shape() != base_[k].shape()) sum = nan;
      const double *to = y[k].data(), *from = base_[k].data(), *w = weights_[k].data();
      for (Size i = 0; !std::isnan(sum) && i < y[k].size(); ++i) {
        if (w[i] == 0) continue;
        const double step = w[i] * (to[i] - from[i]);
        sum += step, moved += std::abs(step);
      }
    }
  } catch (const Error&) {
    sum = nan;
  }
  inputs_.clear(), cotangents_.clear(), result_.ys.clear(), plain_.clear(), values_.clear();
  if (element)
    rows[static_cast<unsigned>(d.row)].value.mutable_data()[d.index] = before;
  else
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r].value = origin_[r];
  origin_.clear();
  return std::isfinite(sum) ? sum : nan;
}

}  // namespace axisgrad::gradchecking
