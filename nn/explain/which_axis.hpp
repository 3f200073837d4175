// Which axis does this look at? A function of (batch, time, feature) is probed at several points:
// by its derivatives, and by putting other values into one step, one feature or one sample at a
// time. The answer is a value, a sentence and two small pictures.
//
//   const auto which = which_axis(block, x);          // a module, a lambda, a whole model
//   std::cout << which;
//   which.time.pattern == Pattern::mixed              // steps see other steps
#pragma once
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <axisgrad/autograd/axis.hpp>
#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

struct WhichAxisOptions {
  Axis time = Axis::time, feature = Axis::feature;  // of x
  /// Of the output. When both are left out: axes 1 and 2 of an output of rank 3 or more; of rank 2,
  /// axis 1 holds features and there is no time. When one is left out, there is only the other.
  std::optional<Axis> output_time{}, output_feature{};
  /// x itself, and points around it: a dependence that is hidden at one, behind a relu or where two
  /// paths cancel, shows at another.
  int points = 4;
  double spread = 1;  // how far they are, and the other values, in standard deviations of x
  std::uint64_t seed = 1;
};

/// How an output position depends on an input position. A jump: the value changes and no derivative
/// tells, as behind a comparison, rounding or stop_gradient.
enum class Influence { none, derivative, jump };

/// Where the output positions of one axis take their values from.
///   none   nowhere: they do not depend on x
///   own    each from its own position alone
///   moved  each from one position, which is another one for some of them
///   mixed  some from several positions
enum class Pattern { none, own, moved, mixed };

/// What the positions of one axis of the output see of those of one axis of the input.
struct AxisDependence {
  Size outputs = 1, inputs = 1;  // positions; 1 when the output has no such axis
  bool paired = false;           // the output has the axis, with as many positions as the input
  Pattern pattern = Pattern::none;
  std::vector<Influence> influence{};  // outputs * inputs, row-major
  /// (outputs, inputs): the norm of that block of the Jacobian, root mean square over points.
  Tensor<double> strength{};

  Influence at(Size output, Size input) const {
    return influence[static_cast<std::size_t>(output * inputs + input)];
  }
  bool depends(Size output, Size input) const { return at(output, input) != Influence::none; }
  /// Dependences that are jumps, and those weaker than 1e-6 of the strongest of their row.
  Size jumps() const;
  Size weak() const;
};

/// What attention weights sum to 1 along, when a function returns weights.
struct WeightSums {
  std::string name{};  // of the member that holds them: "weights", "time_weights"
  Shape shape{};
  std::vector<int> axes{};  // one axis; several for a joint softmax; empty: no sum is 1
  Size positions = 1;       // on these axes together
  Size empty_rows = 0;      // that sum to 0: nothing to attend to
};

struct WhichAxis {
  Shape input{}, output{};
  AxisDependence time{}, feature{};
  /// Whether an output step depends on a later input step; unknown unless time is paired.
  std::optional<bool> sees_later{};
  Size later_from = 0, later_to = 0;  // the output step and the farthest later step that it sees
  /// Whether a value depends on others of another step and another feature at once; unknown unless
  /// both axes are paired. Without it, what a value sees lies in its own step or its own feature.
  std::optional<bool> crosses{};
  /// Whether the output of one sample depends on another sample; unknown for a batch of one.
  std::optional<bool> mixes_samples{};
  std::vector<WeightSums> weights{};  // empty when none are returned

  /// In one or two sentences.
  [[nodiscard]] std::string sentence() const;
  /// Two small pictures side by side, rows output positions, columns input positions: # depends,
  /// + weakly (below 1e-6 of the strongest of the row), ! by a jump, . not.
  [[nodiscard]] std::string pictures() const;
};
/// The sentence and the pictures.
std::ostream& operator<<(std::ostream& out, const WhichAxis& which);

namespace detail {

struct Probe {
  Var<double> out;
  std::vector<std::pair<std::string, Var<double>>> weights{};
};
using Probed = std::function<Probe(const Var<double>&)>;

WhichAxis which_axis(const Probed& f, const Tensor<double>& x, const WhichAxisOptions& options);

inline void add_weights(Probe& probe, const std::string& name, const Var<double>& weights) {
  probe.weights.emplace_back(name, weights);
}
inline void add_weights(Probe& probe, const std::string& name,
                        const std::vector<Var<double>>& by_layer) {
  for (std::size_t i = 0; i < by_layer.size(); ++i)
    add_weights(probe, name + '[' + std::to_string(i) + ']', by_layer[i]);
}

template <class R>
Probe as_probe(const R& r) {
  if constexpr (requires { r.out; }) {
    Probe probe{r.out};
    if constexpr (requires { r.weights; }) add_weights(probe, "weights", r.weights);
    if constexpr (requires { r.time_weights; }) add_weights(probe, "time_weights", r.time_weights);
    if constexpr (requires { r.feature_weights; })
      add_weights(probe, "feature_weights", r.feature_weights);
    if constexpr (requires { r.alpha; }) add_weights(probe, "alpha", r.alpha);
    if constexpr (requires { r.beta; }) add_weights(probe, "beta", r.beta);
    return probe;
  } else if constexpr (requires { r.sequence(); }) {
    return {r.sequence()};
  } else if constexpr (requires { std::tuple_size<R>::value; }) {
    Probe probe{std::get<0>(r)};
    if constexpr ((std::tuple_size_v<R>) > 1) add_weights(probe, "weights", std::get<1>(r));
    return probe;
  } else {
    static_assert(std::is_convertible_v<R, Var<double>>,
                  "which_axis: f must return a Var<double>, a struct with a member out, a pair of "
                  "output and weights, or the result of an LSTM");
    return {r};
  }
}

}  // namespace detail

/// Probes f, a function of x (rank 3 or more, axis 0 the batch) that returns a Var, a struct with
/// `out` and perhaps `weights` (one, or one for each layer), `time_weights`, `feature_weights`,
/// `alpha`, `beta`, a pair of output and weights, or an LSTM's result (its sequence); a module that
/// has with_weights(x) is asked for them. It is computed in double with its parameters as they are.
/// About (T + F + samples) backward passes and as many calls for each
/// point. Differences below 1e-12 of the outputs and gradients around them count as rounding. Error
/// when f differs between equal calls, or gives NaN at a point. Deterministic: the same f, x and
/// options give the same answer.
template <class F, Scalar T>
[[nodiscard]] WhichAxis which_axis(F&& f, const Tensor<T>& x,
                                   const WhichAxisOptions& options = {}) {
  const detail::Probed probed = [&f](const Var<double>& v) {
    constexpr bool with_weights = requires { f.with_weights(v); };
    static_assert(
        with_weights || requires { f(v); }, "f must take a Var<double>");
    if constexpr (with_weights)
      return detail::as_probe(f.with_weights(v));
    else
      return detail::as_probe(f(v));
  };
  return detail::which_axis(probed, Tensor<double>(x), options);
}

}  // namespace axisgrad
