// Lesson 3: a model, a loss, an optimizer, fit.
//
// You learn the five lines of a training, and to hold a model against a method whose answer is
// known: a Dense layer without activation under the mean squared error is linear regression, so
// training must arrive where the normal equations do.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/fit.hpp>

#include "common/lesson.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size features = 3;

// y = 2 x0 - x1 + .5 x2 + .7 + noise of standard deviation .1
ag::Dataset<double> noisy_plane(ag::Size samples) {
  const ag::RandomStream random(ag::key_of("noisy plane"));
  const double slope[features] = {2, -1, .5};
  ag::Tensor<double> x({samples, features}), y({samples, 1});
  for (ag::Size n = 0; n < samples; ++n) {
    const auto sample = static_cast<std::uint64_t>(n);
    double sum = .7 + .1 * random.normal(sample, features);
    for (ag::Size f = 0; f < features; ++f) {
      const double value = random.normal(sample, static_cast<std::uint64_t>(f));
      x.mutable_data()[n * features + f] = value;
      sum += slope[f] * value;
    }
    y.mutable_data()[n] = sum;
  }
  return {x, y};
}

// Least squares by the normal equations (X^T X) w = X^T y, X with a column of ones behind it,
// solved by Gaussian elimination. X^T X is positive definite, so no pivoting is needed.
std::vector<double> least_squares(const ag::Dataset<double>& data) {
  const auto ones = ag::constant(ag::Tensor<double>({data.samples(), 1}, 1.));
  const auto x = ag::concat<double>({ag::constant(data.x), ones}, 1);
  constexpr ag::Size n = features + 1;
  auto a = ag::matmul(x, x, {.transpose_a = true}).value();
  auto w = ag::matmul(x, ag::constant(data.y), {.transpose_a = true}).value();
  double *m = a.mutable_data(), *v = w.mutable_data();
  for (ag::Size k = 0; k < n; ++k)
    for (ag::Size i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = m[i * n + k] / m[k * n + k];
      for (ag::Size j = k; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
      v[i] -= factor * v[k];
    }
  for (ag::Size k = 0; k < n; ++k) v[k] /= m[k * n + k];
  return {w.begin(), w.end()};
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "A model, a loss, an optimizer, fit", [](const lesson::Options&) {
    const auto data = noisy_plane(512);

    ag::Dense<double> model(features, 1);
    const auto parameters = ag::parameters(model);
    ag::initialise(parameters, 1);
    ag::Adam<double> adam({.learning_rate = .05});
    const int epochs = 200;
    const auto history =
        ag::fit(model, parameters, adam, ag::mse, data,
                {.epochs = epochs, .batch_size = data.samples(), .verbose = ag::Verbose::silent});

    const auto exact = least_squares(data);
    std::vector<double> trained(model.kernel.value().begin(), model.kernel.value().end());
    trained.push_back(model.bias.value().item());
    fmt::print("{:8}{:>10}{:>16}{:>10}\n", "", "trained", "least squares", "true");
    const double truth[features + 1] = {2, -1, .5, .7};
    double worst = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      fmt::print("{:8}{:>10.4f}{:>16.4f}{:>10.1f}\n", k < features ? fmt::format("w{}", k) : "bias",
                 trained[k], exact[k], truth[k]);
      worst = std::max(worst, std::abs(trained[k] - exact[k]));
    }
    fmt::print("\nLoss {:.4f} in epoch 1, {:.6f} in epoch {}; the noise alone has .01.\n",
               history.epochs.front().loss, history.epochs.back().loss, epochs);
    const double allowed = 1e-3;
    return lesson::claim(worst < allowed,
                         fmt::format("training ends within {} of least squares: the largest "
                                     "difference is {:.1e}",
                                     allowed, worst));
  });
}
