#include "planted_matrix.hpp"

#include <algorithm>
#include <cmath>

#include <axisgrad/autograd/ops.hpp>

#include "gradients.hpp"

namespace ag = axisgrad;

namespace lesson {

ag::Dataset<float> copy_task(const ag::Shape& shape, ag::Axis axis, const Sources& source,
                             std::uint64_t seed) {
  const auto x = normal_values<float>(shape, seed);
  return {x, ag::take(ag::constant(x), source, axis).value()};
}

void SeedMatrices::add(const ag::Tensor<float>& weights) {
  matrices.push_back(ag::mean(ag::constant(ag::Tensor<double>(weights)), {0, 1}).value());
}

ag::Tensor<double> SeedMatrices::mean() const {
  ag::Var<double> sum = ag::constant(matrices.at(0));
  for (std::size_t s = 1; s < matrices.size(); ++s) sum = sum + ag::constant(matrices[s]);
  return (sum / static_cast<double>(seeds())).value();
}

double SeedMatrices::uniform() const { return 1 / static_cast<double>(matrices.at(0).shape()[1]); }

double SeedMatrices::weight() const {
  const auto m = mean();
  double sum = 0;
  for (std::size_t i = 0; i < source.size(); ++i) sum += m(i, source[i]);
  return sum / static_cast<double>(source.size());
}

int SeedMatrices::found() const {
  return static_cast<int>(std::count_if(matrices.begin(), matrices.end(), [&](const auto& m) {
    const auto largest = ag::argmax(ag::constant(m), -1).value();
    return std::equal(source.begin(), source.end(), largest.begin(),
                      [](ag::Size planted, double at) { return at == double(planted); });
  }));
}

double asymmetry(const ag::Tensor<double>& m) {
  const auto v = ag::constant(m);
  return ag::max(abs(v - ag::swap_axes(v, 0, 1))).item();
}

double off_one(const ag::Tensor<float>& weights, ag::Axis axis) {
  return ag::max(abs(ag::sum(ag::constant(ag::Tensor<double>(weights)), axis) - 1)).item();
}

}  // namespace lesson
