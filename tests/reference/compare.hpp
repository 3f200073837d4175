// The criterion of the reference arrays:
//   double: |got - want| <= atol + rtol |want|, element by element
//   float:  |got - want| <= atol + rtol s, s the largest |want| of the array; for an array that is
//           zero by theory, and holds rounding noise only, of all grad. (or hv.) arrays of the file
// NaN agrees with NaN, an infinity with itself.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "entry.hpp"

namespace axisgrad::reference {

template <Scalar T>
using Arrays = std::map<std::string, Tensor<T>>;

/// The comparison of one array, at the element that comes nearest to the tolerance or exceeds it
/// most.
struct Agreement {
  std::string array;
  double share = 0;          // |got - want| over what is allowed; the array agrees when it is <= 1
  Size at = 0, outside = 0;  // the element, and how many are outside
  double got = 0, want = 0, allowed = 0;
  Shape shape;

  bool holds() const { return outside == 0; }
};

/// `name[i,j] is G, expected W, ...`
[[nodiscard]] std::string describe(const Agreement& agreement);

/// Error when the shapes differ.
template <Scalar T>
[[nodiscard]] Agreement compare(const Entry& entry, const ArrayFile& file, const std::string& name,
                                const Tensor<T>& got);

}  // namespace axisgrad::reference
