// Drawings of recordings, for Graphviz: to_dot(loss) > graph.dot, dot -Tsvg graph.dot > graph.svg
#pragma once
#include <string>

#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

/// The recording that y is on, in the DOT language: ops (boxes) with their names, values along the
/// arrows with their shapes; leaves are parameters by name and inputs that ask for a gradient,
/// dashed where no gradient flows. Drawn is what y follows from and nothing else. Error for a
/// constant, or when the recording is over: draw before backward().
template <Scalar T>
[[nodiscard]] std::string to_dot(const Var<T>& y);

}  // namespace axisgrad
