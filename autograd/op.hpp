// Kinds of op. An op of the library or of a user is a struct
//
//   struct my_op {
//     static constexpr std::string_view name = "my_op";
//     // trivially copyable; left out when there are none
//     struct Options {...};
//     // in public ops, so that it can itself be differentiated
//     template <Scalar T> static void gradient(Rule<T>&);
//     // fused ops only: the outputs in public ops
//     template <Scalar T> static std::vector<Var<T>> reference(Rule<T>&);
//     // may be left out: floating-point operations of a call, for a profile
//     template <Scalar T> static double flops(Inputs<T>, const Options&);
//   };
//
// whose function computes the result and calls record<my_op>.
#pragma once
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

template <Scalar T>
class Rule;
template <Scalar T>
class Sweep;
template <Scalar T>
struct Node;

template <Scalar T>
struct OpInfo {
  std::string_view name;
  /// Adds the cotangents of the inputs to the rule. Null: not differentiable, never recorded.
  void (*gradient)(Rule<T>&) = nullptr;
  /// For an op whose gradient works on raw buffers: its result in public ops, for derivatives of
  /// higher order.
  std::vector<Var<T>> (*reference)(Rule<T>&) = nullptr;
  /// Floating-point operations of a call, for a profile. Null: not counted.
  double (*flops)(std::span<const Var<T>* const> inputs, const void* options) = nullptr;
};

struct NoOptions {};
template <class Op>
struct options_of {
  using type = NoOptions;
};
template <class Op>
requires requires { typename Op::Options; }
struct options_of<Op> {
  using type = typename Op::Options;
};

/// False for an op that says `static constexpr bool differentiable = false`: its result is a
/// constant for backward.
template <class Op>
inline constexpr bool differentiable = true;
template <class Op>
requires requires { Op::differentiable; }
inline constexpr bool differentiable<Op> = Op::differentiable;

template <class Op, Scalar T>
inline constexpr OpInfo<T> op_info = [] {
  OpInfo<T> info{Op::name};
  if constexpr (differentiable<Op>) info.gradient = &Op::template gradient<T>;
  if constexpr (requires { &Op::template reference<T>; })
    info.reference = &Op::template reference<T>;
  if constexpr (requires { &Op::template flops<T>; })
    info.flops = [](std::span<const Var<T>* const> inputs, const void* options) {
      return Op::template flops<T>(inputs, *static_cast<const typename Op::Options*>(options));
    };
  return info;
}();

/// Which inputs and outputs a gradient rule will want to see again: of the first 32 of either. An
/// op may have more, as concat does.
struct Saves {
  unsigned inputs = 0;   // bit k: input k
  unsigned outputs = 0;  // bit k: output k
  static constexpr bool has(unsigned set, int k) { return k >= 0 && k < 32 && (set >> k & 1); }
};

template <Scalar T>
using Inputs = std::span<const Var<T>* const>;

/// Puts an op on the tape of its inputs and turns its results into Vars. Records nothing when no
/// input asks for a gradient, and needs no tape when all are constants. The outputs are moved from.
/// Error for inputs of two tapes or of a recording that is over.
template <Scalar T>
void record(const OpInfo<T>& op, Inputs<T> inputs, std::span<Tensor<T>> outputs, Saves saves,
            const void* options, std::size_t options_size, std::span<Var<T>> results);

/// Whether record() would put a differentiable op of these inputs on a tape: what it alone needs
/// can be left out otherwise.
template <Scalar T>
[[nodiscard]] bool is_recorded(Inputs<T> inputs, std::string_view where);

/// Options are copied to the tape, byte by byte.
template <class Options>
inline constexpr bool fits_tape = std::is_trivially_copyable_v<Options> &&
                                  sizeof(Options) <= 4096 &&
                                  alignof(Options) <= alignof(std::max_align_t);

template <class Op, Scalar T>
[[nodiscard]] Var<T> record(Inputs<T> inputs, Tensor<T> y, Saves saves = {},
                            const typename options_of<Op>::type& options = {}) {
  static_assert(fits_tape<typename options_of<Op>::type>);
  Var<T> result;
  record<T>(op_info<Op, T>, inputs, {&y, 1}, saves, &options, sizeof options, {&result, 1});
  return result;
}
template <class Op, Scalar T>
[[nodiscard]] Var<T> record(std::initializer_list<const Var<T>*> inputs, Tensor<T> y,
                            Saves saves = {}, const typename options_of<Op>::type& options = {}) {
  return record<Op, T>(Inputs<T>(inputs.begin(), inputs.size()), std::move(y), saves, options);
}
/// The same for an op with several outputs.
template <class Op, Scalar T, std::size_t N>
[[nodiscard]] std::array<Var<T>, N> record(std::initializer_list<const Var<T>*> inputs,
                                           std::array<Tensor<T>, N> ys, Saves saves = {},
                                           const typename options_of<Op>::type& options = {}) {
  static_assert(fits_tape<typename options_of<Op>::type>);
  std::array<Var<T>, N> results;
  record<T>(op_info<Op, T>, {inputs.begin(), inputs.size()}, ys, saves, &options, sizeof options,
            results);
  return results;
}

/// What a gradient rule sees of the node that it differentiates.
template <Scalar T>
class Rule {
 public:
  int inputs() const;
  /// Whether the gradient of input k is wanted.
  bool needs(int k) const;
  /// The shape of input k, saved or not.
  Shape shape(int k) const;
  /// Input k, which record() was told to save (Error otherwise); on the tape when the gradient is
  /// to be differentiated again, else a constant.
  Var<T> input(int k) const;
  Var<T> output(int k = 0) const;
  /// The cotangent of output k; zeros when that output was not used.
  Var<T> cotangent(int k = 0) const;
  bool has_cotangent(int k) const;
  /// The same as values, for a rule that works on buffers; of outputs that have a cotangent.
  /// Invalid after add().
  const Tensor<T>& input_value(int k) const;
  const Tensor<T>& output_value(int k = 0) const;
  const Tensor<T>& cotangent_value(int k = 0) const;
  bool has_shape(int k, const Shape& shape) const;
  template <class Options>
  const Options& options() const {
    return *static_cast<const Options*>(options_data());
  }
  /// Adds to the gradient of input k; ignored when it is not wanted. Error unless it has the
  /// input's shape.
  void add(int k, const Var<T>& g);
  void add(int k, Tensor<T>&& g);
  /// Whether what the rule computes is recorded (create_graph).
  bool recording() const;

 private:
  friend class Sweep<T>;
  Rule(Sweep<T>& sweep, const Node<T>& node) : sweep_(sweep), node_(node) {}
  const void* options_data() const;
  std::size_t saved(const char* what, unsigned set, int k, std::size_t first) const;
  std::size_t saved_input(int k) const;
  std::size_t saved_output(int k) const;
  Var<T> saved(std::size_t position) const;

  Sweep<T>& sweep_;
  const Node<T>& node_;
};

}  // namespace axisgrad
