#include "oracle.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace oracle {

double Numbers::uniform() {  // splitmix64
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

double Numbers::in(Range range) {
  if (range.whole) return std::floor(range.low + (range.high - range.low + 1) * uniform());
  for (;;) {
    const double x = range.low + (range.high - range.low) * uniform();
    if (std::abs(x) >= range.gap) return x;
  }
}

Tensor<double> Numbers::tensor(const Shape& shape, Range range) {
  Tensor<double> x(shape);
  std::generate_n(x.mutable_data(), x.size(), [&] { return in(range); });
  return x;
}

Tensors draw(const Sample& sample, std::uint64_t seed) {
  Numbers numbers(seed);
  Tensors xs;
  for (const auto& input : sample.inputs) xs.push_back(numbers.tensor(input.shape, input.range));
  return xs;
}

Tensors differences(const Scalar& f, const Tensors& xs) {
  Tensors slopes;
  for (std::size_t k = 0; k < xs.size(); ++k) {
    Tensor<double> slope(xs[k].shape());
    for (Size i = 0; i < slope.size(); ++i) {
      auto central = [&](double h) {
        Tensors moved = xs;
        double& x = moved[k].mutable_data()[i];
        const double at = x, above = at + h, below = at - h;
        x = above;
        const double high = f(moved);
        moved[k].mutable_data()[i] = below;
        return (high - f(moved)) / (above - below);
      };
      constexpr double h = 0x1p-11;
      slope.mutable_data()[i] = (4 * central(h / 2) - central(h)) / 3;
    }
    slopes.push_back(slope);
  }
  return slopes;
}

double size_of_terms(const Tensor<double>& a, const Tensor<double>& b) {
  double sum = 0;
  for (Size i = 0; i < a.size(); ++i) sum += std::abs(a.data()[i] * b.data()[i]);
  return sum;
}

double dot(const Tensor<double>& a, const Tensor<double>& b) {
  double sum = 0;
  for (Size i = 0; i < a.size(); ++i) sum += a.data()[i] * b.data()[i];
  return sum;
}

std::string difference(const Tensors& a, const Tensors& b, double relative, double noise) {
  std::ostringstream text;
  if (a.size() != b.size()) text << a.size() << " tensors against " << b.size();
  for (std::size_t k = 0; text.str().empty() && k < a.size(); ++k) {
    if (a[k].shape() != b[k].shape()) {
      text << "number " << k << ": shape " << a[k].shape() << " against " << b[k].shape();
      break;
    }
    for (Size i = 0; i < a[k].size(); ++i) {
      const double x = a[k].data()[i], y = b[k].data()[i];
      if (x == y || std::abs(x - y) <= relative * std::max(std::abs(x), std::abs(y)) + noise)
        continue;
      text.precision(17);
      text << "number " << k << " of shape " << a[k].shape() << ", element " << i << ": " << x
           << " against " << y;
      break;
    }
  }
  return text.str();
}

bool all_zero(const Tensor<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return v == 0; });
}

Tensors scaled(const Tensors& xs, double factor) {
  Tensors result = xs;
  for (Tensor<double>& x : result)
    std::transform(x.begin(), x.end(), x.mutable_data(), [&](double v) { return factor * v; });
  return result;
}

std::vector<Var<double>> leaves(axisgrad::Tape<double>& tape, const Tensors& xs) {
  std::vector<Var<double>> vars;
  for (const Tensor<double>& x : xs) vars.push_back(tape.input(x, {.gradient = true}));
  return vars;
}

Tensors values(const std::vector<Var<double>>& xs) {
  Tensors result;
  for (const Var<double>& x : xs) result.push_back(x.value());
  return result;
}

}  // namespace oracle
