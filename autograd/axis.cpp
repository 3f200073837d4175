#include <algorithm>

#include <axisgrad/autograd/axis.hpp>
#include <axisgrad/autograd/error.hpp>

namespace axisgrad {

Axes::Axes(std::initializer_list<Axis> axes) : count_(static_cast<int>(axes.size())) {
  if (axes.size() > max_rank) fail("axes", "at most ", max_rank, " axes, got ", axes.size());
  std::transform(axes.begin(), axes.end(), axes_.begin(), [](Axis a) { return a.number; });
}

Axes::Axes(std::span<const int> axes) : count_(static_cast<int>(axes.size())) {
  if (axes.size() > max_rank) fail("axes", "at most ", max_rank, " axes, got ", axes.size());
  std::copy(axes.begin(), axes.end(), axes_.begin());
}

int resolve(Axis axis, int rank, std::string_view where) {
  const int a = axis.number < 0 ? axis.number + rank : axis.number;
  if (a < 0 || a >= rank)
    fail(where, "axis ", axis.number, " is out of range for a tensor of rank ", rank);
  return a;
}

unsigned resolve(const Axes& axes, int rank, std::string_view where) {
  if (axes.all()) return (1u << rank) - 1;
  unsigned set = 0;
  for (int number : axes) {
    const unsigned bit = 1u << resolve(Axis(number), rank, where);
    if (set & bit) fail(where, "axis ", number, " is named twice for a tensor of rank ", rank);
    set |= bit;
  }
  return set;
}

}  // namespace axisgrad
