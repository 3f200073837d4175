// Lesson 2: how a wrong gradient is caught.
//
// You learn to hand your own op to gradcheck, to read its report, and why a tight tolerance
// matters. The op is swish, x sigmoid(x), with the rule dy/dx = s + x s (1 - s), s = sigmoid(x),
// written three times: right; with the second term forgotten, as happens when one reads "x times
// something"; and too large by a factor of 1.0005, as happens with a rounded constant.
#include <iostream>

#include <fmt/core.h>

#include <axisgrad/autograd/gradcheck/gradcheck.hpp>
#include <axisgrad/autograd/ops.hpp>

#include "common/lesson.hpp"

namespace ag = axisgrad;

namespace {

enum class Mistake { none, forgotten_term, factor };

template <Mistake mistake>
struct swish_op {
  static constexpr std::string_view name = "swish";
  template <ag::Scalar T>
  static void gradient(ag::Rule<T>& r) {
    const ag::Var<T> x = r.input(0), s = sigmoid(x);
    const ag::Var<T> slope = mistake == Mistake::forgotten_term ? s : s + x * s * (T(1) - s);
    r.add(0, r.cotangent() * slope * T(mistake == Mistake::factor ? 1.0005 : 1));
  }
};

// The value is computed on plain tensors, so nothing but the rule above says what its gradient is.
template <Mistake mistake, ag::Scalar T>
ag::Var<T> swish(const ag::Var<T>& x) {
  const ag::Var<T> values = x.detach();
  return ag::record<swish_op<mistake>, T>({&x}, (values * sigmoid(values)).value(), {.inputs = 1});
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "How a wrong gradient is caught", [](const lesson::Options&) {
    const ag::Tensor<double> x({2, 3}, {.1, -.2, .3, 1., -2., 3.});

    std::cout << "A forgotten term\n";
    const auto forgotten =
        ag::gradcheck([](const auto& v) { return swish<Mistake::forgotten_term>(v); }, x);
    std::cout << forgotten << "\nA factor of 1.0005\n";
    const auto scale = [](const auto& v) { return swish<Mistake::factor>(v); };
    const auto factor = ag::gradcheck(scale, x);
    std::cout << factor << "\nThe same under PyTorch's differences and tolerances\n";
    const auto loose =
        ag::gradcheck(scale, x, ag::GradcheckOptions{.mode = ag::GradcheckMode::two_point});
    std::cout << loose << "\nThe right rule\n";
    const auto correct = [](const auto& v) { return swish<Mistake::none>(v); };
    const auto right = ag::gradcheck(correct, x);
    std::cout << right << "\nIts second order: the gradient of the gradient\n";
    const auto second = ag::gradgradcheck(correct, x);
    std::cout << second << '\n';

    bool all = lesson::claim(!forgotten, "the forgotten term is caught");
    all &= lesson::claim(!factor, "the factor of 1.0005 is caught at the default tolerance, 1e-6");
    all &= lesson::claim(bool(loose), "with PyTorch's defaults (1e-3) it would have passed");
    all &= lesson::claim(right && second, "the right rule passes, first and second order");
    return all;
  });
}
