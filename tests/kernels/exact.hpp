// A scalar in long double with the functions that the formulas find by argument-dependent lookup:
// the oracle of the pointwise kernels.
#pragma once
#include <cmath>

namespace axisgrad::kernels {

struct Exact {
  long double v;
  Exact(long double x) : v(x) {}  // implicit, as for every V of a formula
  friend Exact operator+(Exact a, Exact b) { return a.v + b.v; }
  friend Exact operator-(Exact a, Exact b) { return a.v - b.v; }
  friend Exact operator*(Exact a, Exact b) { return a.v * b.v; }
  friend Exact operator/(Exact a, Exact b) { return a.v / b.v; }
  friend Exact operator-(Exact a) { return -a.v; }
  friend bool operator<(Exact a, Exact b) { return a.v < b.v; }
  friend bool operator>(Exact a, Exact b) { return a.v > b.v; }
  friend bool operator==(Exact a, Exact b) { return a.v == b.v; }
  friend bool operator!=(Exact a, Exact b) { return a.v != b.v; }
  friend Exact select(bool c, Exact a, Exact b) { return c ? a : b; }
  friend Exact exp(Exact a) { return std::exp(a.v); }
  friend Exact log(Exact a) { return std::log(a.v); }
  friend Exact log1p(Exact a) { return std::log1p(a.v); }
  friend Exact tanh(Exact a) { return std::tanh(a.v); }
  friend Exact expm1(Exact a) { return std::expm1(a.v); }
  friend Exact sin(Exact a) { return std::sin(a.v); }
  friend Exact cos(Exact a) { return std::cos(a.v); }
  friend Exact erf(Exact a) { return std::erf(a.v); }
  friend Exact pow(Exact a, Exact p) { return std::pow(a.v, p.v); }
  friend Exact sqrt(Exact a) { return std::sqrt(a.v); }
  friend Exact abs(Exact a) { return std::abs(a.v); }
};

}  // namespace axisgrad::kernels
