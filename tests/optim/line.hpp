// What the tests of fit share: a line to fit, and the data around it.
#pragma once
#include <cmath>
#include <string>
#include <string_view>

#include <axisgrad/nn/dense.hpp>
#include <axisgrad/optim/fit.hpp>
#include <axisgrad/optim/sgd.hpp>

#include "../error_of.hpp"

namespace ag = axisgrad;
using ag::Dataset, ag::Dense, ag::Shape, ag::Size, ag::Tensor, ag::Var;

inline constexpr auto silent = ag::Verbose::silent;

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// y = 2 x1 - x2 + .5 and a disturbance that no line explains.
template <class T>
Dataset<T> line(Size n) {
  Tensor<T> x(Shape{n, 2}), y(Shape{n, 1});
  for (Size i = 0; i < n; ++i) {
    const double a = std::sin(1.0 * static_cast<double>(i)),
                 b = std::cos(2.3 * static_cast<double>(i));
    x.set({i, 0}, static_cast<T>(a)), x.set({i, 1}, static_cast<T>(b));
    y.set({i, 0}, static_cast<T>(2 * a - b + .5 + .3 * a * b));
  }
  return {x, y};
}

template <class T>
struct Line {
  Dense<T> dense{2, 1};
  ag::Parameters<T> parameters = ag::parameters(dense);
  Line() {
    dense.kernel.set_value(Tensor<T>({2, 1}, {T(.1), T(-.2)}));
    dense.bias.set_value(Tensor<T>({1}, T(0)));
  }
  auto model() const {
    return [this](auto x) { return dense(x); };
  }
};
