// What the tests need of every op: a name and samples. Each family file ends with the list of its
// ops; catalogue.cpp joins them, and one table test (tests/autograd/ops_test.cpp) checks every
// entry in value and gradient, first and second order.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <axisgrad/autograd/op.hpp>
#include <axisgrad/autograd/ops/pointwise.hpp>

namespace axisgrad {

struct SampleInput {
  Shape shape;
  Range range{};
};

/// One call of an op: f takes the inputs as a span of Vars, of either scalar type.
struct Sample {
  std::string title;  // what is special, for messages: "axes 0 and 2"
  std::vector<SampleInput> inputs;
  std::function<Var<double>(std::span<const Var<double>>)> in_double;
  std::function<Var<float>(std::span<const Var<float>>)> in_float;
  // Fused ops: the same result in public ops, which value and gradient are compared with.
  std::function<Var<double>(std::span<const Var<double>>)> reference{};
};
template <class F>
Sample sample(std::string title, std::vector<SampleInput> inputs, F f) {
  return {std::move(title), std::move(inputs), f, f};
}
template <class F>
Sample with_reference(Sample sample, F f) {
  sample.reference = f;
  return sample;
}

enum class Kind { pointwise, structured, fused };

struct OpEntry {
  std::string_view name;
  Kind kind;
  std::vector<Sample> samples;
  bool differentiable = true;
};

/// An op that can be listed has a name and samples; without them this does not compile.
template <class Op>
concept Listed = requires {
  { Op::name } -> std::convertible_to<std::string_view>;
  { Op::samples() } -> std::same_as<std::vector<Sample>>;
};
template <Listed... Ops>
std::vector<OpEntry> family(Kind kind = Kind::structured) {
  return {OpEntry{Ops::name, kind, Ops::samples(), axisgrad::differentiable<Ops>}...};
}

/// Shapes for an op of n broadcasting inputs: equal, broadcast on either side, size-1 axes,
/// scalars, an empty axis.
std::vector<std::vector<Shape>> pointwise_sample_shapes(int n);

std::vector<OpEntry> pointwise_family();
std::vector<OpEntry> reduce_family();
std::vector<OpEntry> statistics_family();
std::vector<OpEntry> scan_family();
std::vector<OpEntry> shape_family();
std::vector<OpEntry> indexing_family();
std::vector<OpEntry> arrange_family();
std::vector<OpEntry> matmul_family();
std::vector<OpEntry> softmax_family();
std::vector<OpEntry> norm_family();
std::vector<OpEntry> dropout_family();
std::vector<OpEntry> loss_family();
std::vector<OpEntry> categorical_family();
std::vector<OpEntry> categorical_logits_family();
std::vector<OpEntry> lstm_family();
std::vector<OpEntry> attention_family();
std::vector<OpEntry> gate_family();
std::vector<OpEntry> input_attention_family();
std::vector<OpEntry> temporal_attention_family();

/// Every op of the library.
std::vector<OpEntry> all_ops();

}  // namespace axisgrad
