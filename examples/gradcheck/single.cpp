#include "single.hpp"

#include <cmath>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/gradcheck/report.hpp>
#include <axisgrad/autograd/random.hpp>

namespace checks {
namespace {

// Away from 0, so that each has a say: |u| in [1/4, 1).
template <ag::Scalar T>
ag::Tensor<T> weights(const ag::Shape& shape, std::uint64_t key) {
  const ag::RandomStream random(key);
  ag::Tensor<T> w(shape);
  for (ag::Size i = 0; i < w.size(); ++i) {
    const double u = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
    w.mutable_data()[i] = static_cast<T>(static_cast<float>(std::copysign(.25, u) + .75 * u));
  }
  return w;
}

struct Row {
  std::string name;
  ag::Tensor<double> gradient;
};

template <ag::Scalar T>
std::vector<Row> gradients(const Case& c, const Function<T>& f, int order) {
  ag::Tape<T> tape(c.recording);
  std::vector<ag::Var<T>> xs, cotangents;
  std::vector<std::string> names;
  for (const auto& x : c.inputs) {
    names.push_back("input " + std::to_string(xs.size()));
    xs.push_back(tape.input(ag::Tensor<T>(x), {.gradient = true}));
  }
  const auto ys = f(xs);
  for (const auto& leaf : tape.leaves()) {
    names.push_back(leaf.cell->name);
    xs.push_back(leaf.var);
  }
  for (const auto& y : ys)
    cotangents.push_back(
        tape.input(weights<T>(y.shape(), 100 + cotangents.size()), {.gradient = order == 2}));
  auto found = ag::grad<T>(ys, xs, {.create_graph = order == 2, .cotangents = cotangents});
  if (order == 2) {
    std::vector<ag::Var<T>> vs;
    for (const auto& g : found) vs.push_back(ag::constant(weights<T>(g.shape(), 200 + vs.size())));
    for (std::size_t k = 0; k < cotangents.size(); ++k) {
      names.push_back("cotangent " + std::to_string(k));
      xs.push_back(cotangents[k]);
    }
    found = ag::grad<T>(found, xs, {.cotangents = vs});
  }
  std::vector<Row> rows;
  for (std::size_t k = 0; k < found.size(); ++k)
    rows.push_back({names[k], ag::Tensor<double>(found[k].value())});
  return rows;
}

double largest(const ag::Tensor<double>& x) {
  double most = 0;
  for (const double v : x) most = std::max(most, std::abs(v));
  return most;
}

}  // namespace

SingleFinding compare_single(const Case& c, int order) {
  const auto single = gradients<float>(c, c.in_float, order);
  const auto twice = gradients<double>(c, c.in_double, order);
  double of_all = 0;  // a row far below the others is what cancellation left of them
  for (const Row& row : twice) of_all = std::max(of_all, largest(row.gradient));
  SingleFinding found{.row = single.empty() ? "" : single[0].name};
  for (std::size_t k = 0; k < twice.size(); ++k) {
    const auto &a = single[k].gradient, &b = twice[k].gradient;
    const double scale = std::max(largest(b), 1e-2 * of_all);
    for (ag::Size i = 0; i < b.size(); ++i) {
      const double difference = std::abs(a.data()[i] - b.data()[i]);
      const double error = difference == 0 ? 0 : difference / scale;
      if (error <= found.error) continue;
      found = {error, twice[k].name, ag::gradchecking::index_of(b.shape(), i), a.data()[i],
               b.data()[i]};
    }
  }
  return found;
}

}  // namespace checks
