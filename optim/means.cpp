#include <algorithm>

#include <axisgrad/optim/means.hpp>

namespace axisgrad {

void Means::clear() {
  loss_ = samples_ = 0;
  std::fill(sums_.begin(), sums_.end(), 0.0);
}

std::vector<double> Means::metrics() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < sums_.size(); ++i) values.push_back(metric(i));
  return values;
}

}  // namespace axisgrad
