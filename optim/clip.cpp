#include <algorithm>
#include <cmath>

#include <axisgrad/optim/clip.hpp>

namespace axisgrad {
namespace {

template <Scalar T>
bool has_gradient(const Parameter<T>& p) {
  return p.trainable() && !p.grad().empty();
}

template <Scalar T>
double sum_of_squares(const Tensor<T>& x, double scale) {
  // Four sums, so that one addition need not wait for the other; the order is fixed.
  double sums[4]{};
  const T* v = x.data();
  const Size n = x.size();
  for (Size i = 0; i < n; ++i) {
    const double y = static_cast<double>(v[i]) * scale;
    sums[i % 4] += y * y;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <Scalar T>
double norm_scaled(const Parameters<T>& parameters, double scale) {
  double sum = 0;
  for (const Parameter<T>* p : parameters)
    if (has_gradient(*p)) sum += sum_of_squares(p->grad(), scale);
  return std::sqrt(sum);
}

}  // namespace

template <Scalar T>
double global_norm(const Parameters<T>& parameters) {
  const double norm = norm_scaled(parameters, 1);
  if (std::isnan(norm) || (norm > 1e-140 && norm < 1e140)) return norm;
  // Squares may have left the range of double: again, relative to the largest element.
  double largest = 0;
  for (const Parameter<T>* p : parameters)
    if (has_gradient(*p))
      for (T g : p->grad()) largest = std::max(largest, std::abs(static_cast<double>(g)));
  if (largest == 0 || std::isinf(largest)) return largest;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(largest), -1000));
  return norm_scaled(parameters, 1 / unit) * unit;
}

template <Scalar T>
double clip_by_global_norm(const Parameters<T>& parameters, double max_norm, ClipOptions options) {
  if (!(max_norm > 0))
    fail("clip_by_global_norm", "max_norm must be greater than 0, got ", max_norm);
  const double norm = global_norm(parameters);
  if (!std::isfinite(norm)) {
    if (options.non_finite == NonFinite::error)
      fail("clip_by_global_norm", "the norm of the gradients is ", norm);
    return norm;
  }
  const double factor = max_norm / (norm + (options.convention == Convention::torch ? 1e-6 : 0));
  if (!(factor < 1)) return norm;
  for (Parameter<T>* p : parameters)
    if (has_gradient(*p)) {
      T* g = p->mutable_grad().mutable_data();
      std::transform(g, g + p->grad().size(), g,
                     [f = static_cast<T>(factor)](T x) { return f * x; });
    }
  return norm;
}

template <Scalar T>
void clip_by_value(const Parameters<T>& parameters, double limit) {
  if (!(limit > 0)) fail("clip_by_value", "the limit must be greater than 0, got ", limit);
  for (Parameter<T>* p : parameters)
    if (has_gradient(*p)) {
      T* g = p->mutable_grad().mutable_data();
      std::transform(g, g + p->grad().size(), g, [high = static_cast<T>(limit)](T x) {
        return std::isnan(x) ? x : std::clamp(x, -high, high);
      });
    }
}

template double clip_by_global_norm(const Parameters<float>&, double, ClipOptions);
template double clip_by_global_norm(const Parameters<double>&, double, ClipOptions);
template void clip_by_value(const Parameters<float>&, double);
template void clip_by_value(const Parameters<double>&, double);
template double global_norm(const Parameters<float>&);
template double global_norm(const Parameters<double>&);

}  // namespace axisgrad
