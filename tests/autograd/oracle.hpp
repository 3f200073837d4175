// What the table test checks the ops against: differences of the function itself. Independent of
// the public gradient check on purpose, and small enough to be read at a glance.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/tape.hpp>

namespace oracle {

using axisgrad::Range;
using axisgrad::Sample;
using axisgrad::Shape;
using axisgrad::Size;
using axisgrad::Tensor;
using axisgrad::Var;

using Tensors = std::vector<Tensor<double>>;
/// A number made of tensors.
using Scalar = std::function<double(const Tensors&)>;

/// Numbers that look random and are the same on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  /// In [0, 1).
  double uniform();
  /// In the range, its gap around zero left out.
  double in(Range range);
  Tensor<double> tensor(const Shape& shape, Range range = {-1, 1, .1});

 private:
  std::uint64_t state_;
};

/// Inputs for a sample.
Tensors draw(const Sample& sample, std::uint64_t seed);

/// f's slope by every element of every x: central differences at two steps, extrapolated (error of
/// order h^4).
Tensors differences(const Scalar& f, const Tensors& xs);

/// sum |a b|: how large the terms of a weighted sum are.
double size_of_terms(const Tensor<double>& a, const Tensor<double>& b);
/// sum a b
double dot(const Tensor<double>& a, const Tensor<double>& b);

/// Empty when every element of a and b agrees to |a - b| <= relative * max(|a|, |b|) + noise, else
/// where they do not.
std::string difference(const Tensors& a, const Tensors& b, double relative, double noise);

bool all_zero(const Tensor<double>& x);
/// Every element times a factor.
Tensors scaled(const Tensors& xs, double factor);

/// Leaves of these values that ask for a gradient.
std::vector<Var<double>> leaves(axisgrad::Tape<double>& tape, const Tensors& xs);
Tensors values(const std::vector<Var<double>>& xs);

}  // namespace oracle
