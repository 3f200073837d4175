#include "compare.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <axisgrad/autograd/error.hpp>

namespace axisgrad::reference {
namespace {

double largest(const ArrayFile& file, const std::string& name) {
  double most = 0;
  for (double x : file.tensor<double>(name))
    if (std::isfinite(x)) most = std::max(most, std::abs(x));
  return most;
}

double float_scale(const Entry& entry, const ArrayFile& file, const std::string& name) {
  if (!entry.zero_by_theory.contains(name)) return largest(file, name);
  const std::string prefix = name.substr(0, name.find('.') + 1);
  double most = 0;
  for (const StoredArray& array : file.arrays())
    if (array.name.starts_with(prefix)) most = std::max(most, largest(file, array.name));
  return most;
}

// How much of the tolerance a difference uses up; infinite where NaN or infinity meets a number.
double share(double got, double want, double allowed) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double off = std::abs(got - want);
  return std::isfinite(off) && allowed > 0 ? off / allowed
                                           : std::numeric_limits<double>::infinity();
}

}  // namespace

template <Scalar T>
Agreement compare(const Entry& entry, const ArrayFile& file, const std::string& name,
                  const Tensor<T>& got) {
  const Tensor<double> want = file.tensor<double>(name);
  if (got.empty() || got.shape() != want.shape())
    fail("golden", "array ", name, " has the shape ", got.shape(), ", expected ", want.shape());
  constexpr bool in_float = sizeof(T) == sizeof(float);
  const Tolerance tolerance = in_float ? entry.in_float : entry.in_double;
  const double scale = in_float ? float_scale(entry, file, name) : 0;

  Agreement worst;
  worst.array = name;
  worst.shape = want.shape();
  for (Size i = 0; i < want.size(); ++i) {
    const double g = static_cast<double>(got.data()[i]), w = want.data()[i];
    const double allowed = tolerance.atol + tolerance.rtol * (in_float ? scale : std::abs(w));
    const double s = share(g, w, allowed);
    if (s > 1) ++worst.outside;
    if (i == 0 || s > worst.share)
      worst.share = s, worst.at = i, worst.got = g, worst.want = w, worst.allowed = allowed;
  }
  return worst;
}

std::string describe(const Agreement& a) {
  std::string index;
  Size rest = a.at;
  for (int axis = a.shape.rank() - 1; axis >= 0; --axis) {
    index = fmt::format("{}{}{}", rest % a.shape[axis], index.empty() ? "" : ",", index);
    rest /= a.shape[axis];
  }
  return fmt::format(
      "{}[{}] is {:.17g}, expected {:.17g}: off by {:.2g}, allowed {:.2g} ({} of {} elements "
      "outside)",
      a.array, index, a.got, a.want, std::abs(a.got - a.want), a.allowed, a.outside,
      a.shape.size());
}

template Agreement compare<float>(const Entry&, const ArrayFile&, const std::string&,
                                  const Tensor<float>&);
template Agreement compare<double>(const Entry&, const ArrayFile&, const std::string&,
                                   const Tensor<double>&);

}  // namespace axisgrad::reference
