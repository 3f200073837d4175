// Clipping of gradients. Apart from zero_gradients() these are the only functions that change a
// gradient between backward() and step().
#pragma once
#include <axisgrad/optim/optimizer.hpp>

namespace axisgrad {

/// What to do when the norm of the gradients is infinite or NaN. Scaling by it would turn the
/// finite ones into 0 and the others into NaN, so it is never done.
enum class NonFinite {
  untouched,  // leave the gradients as they are; the returned norm tells
  error       // Error, the gradients as they are
};

struct ClipOptions {
  Convention convention = Convention::keras;
  NonFinite non_finite = NonFinite::untouched;
};

/// Scales all gradients by one factor so that the norm of all together is at most max_norm: Keras
/// max_norm / norm, torch max_norm / (norm + 1e-6), never greater than 1. Returns the norm before.
/// Parameters without a gradient and frozen ones do not count. Error unless max_norm > 0 (infinity:
/// only measure).
template <Scalar T>
double clip_by_global_norm(const Parameters<T>& parameters, double max_norm,
                           ClipOptions options = {});

/// Each element g becomes min(max(g, -limit), limit); a NaN stays. Error unless limit > 0.
template <Scalar T>
void clip_by_value(const Parameters<T>& parameters, double limit);

/// Euclidean norm of all gradients together, without overflow on the way.
template <Scalar T>
[[nodiscard]] double global_norm(const Parameters<T>& parameters);

}  // namespace axisgrad
