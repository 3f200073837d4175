// How a gradient is checked. The names are those of torch.autograd.gradcheck where it has them; the
// defaults are ours.
#pragma once
#include <cstdint>
#include <optional>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

enum class GradcheckMode {
  thorough,   // high-order differences, step chosen by themselves, at several points
  two_point,  // as PyTorch: (f(x + eps) - f(x - eps)) / (2 eps) at the given point only
};

struct GradcheckOptions {
  GradcheckMode mode = GradcheckMode::thorough;
  /// One random projection for each input instead of every element.
  bool fast_mode = false;
  /// The first step, times max(1, |x|) when thorough. Default 2^-7, two_point 1e-6.
  std::optional<double> eps{};
  /// Largest |a - n| / max(|a|, |n|) between analytic and numeric value. Default 1e-6, two_point
  /// 1e-3.
  std::optional<double> rtol{};
  /// Absolute difference allowed on top. Default 0 (a noise floor is worked out instead), two_point
  /// 1e-5.
  std::optional<double> atol{};
  /// How far two equal calls may differ.
  double nondet_tol = 0;
  /// Throw GradcheckError with the printed report instead of returning a failed one.
  bool raise_exception = false;
  /// Also at mirrored and perturbed values. Off: for an f that means nothing there and does not say
  /// so by NaN or an Error.
  bool other_points = true;
  /// For the random cotangents, directions and perturbed points.
  std::uint64_t seed = 1;
  /// Of the tapes on which f runs: {.training = true} checks a dropout with its mask fixed.
  RecordingOptions recording{};
};

struct GradcheckError : Error {
  using Error::Error;
};

}  // namespace axisgrad
