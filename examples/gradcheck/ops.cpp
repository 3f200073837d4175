// Ops: their samples are declared beside them, in autograd/ops/.
#include <algorithm>
#include <cmath>

#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/random.hpp>

#include "check.hpp"

namespace checks {
namespace {

// Elements of the range, its gap around 0 left out.
ag::Tensor<double> draw(const ag::SampleInput& input, const ag::RandomStream& random) {
  const ag::Range& r = input.range;
  ag::Tensor<double> x(input.shape);
  std::uint64_t next = 0;
  const auto one = [&] {
    const double u = random.uniform(next++);
    return r.whole ? std::floor(r.low + u * (r.high - r.low + 1)) : r.low + u * (r.high - r.low);
  };
  std::generate_n(x.mutable_data(), x.size(), [&] {
    double v = one();
    while (!r.whole && std::abs(v) < r.gap) v = one();
    return static_cast<double>(static_cast<float>(v));
  });
  return x;
}

template <ag::Scalar T, class F>
Function<T> listed(F f) {  // one result as a list
  return [f](std::span<const ag::Var<T>> x) { return std::vector{f(x)}; };
}

// Whether its mirrored and moved values are within the range, or near it on both sides.
bool both_signs(const ag::SampleInput& input) {
  return input.range.low < 0 && input.range.high > 0;
}

// Each sample at several points of its ranges.
std::vector<Case> cases(const ag::OpEntry& op) {
  constexpr std::uint64_t draws = 3;
  std::vector<Case> all;
  for (const ag::Sample& sample : op.samples)
    for (std::uint64_t k = 0; k < draws; ++k) {
      Case c{.title = sample.title,
             .in_double = listed<double>(sample.in_double),
             .in_float = listed<float>(sample.in_float),
             .differentiable = op.differentiable,
             .other_points = std::all_of(sample.inputs.begin(), sample.inputs.end(), both_signs)};
      for (const ag::SampleInput& input : sample.inputs)
        c.inputs.push_back(
            draw(input, ag::RandomStream(ag::mix_keys(ag::key_of(op.name) + k, c.inputs.size()))));
      all.push_back(std::move(c));
    }
  return all;
}

}  // namespace

std::vector<Check> op_checks() {
  std::vector<Check> all;
  for (const ag::OpEntry& op : ag::all_ops())
    all.push_back({std::string(op.name), "op", [op] { return cases(op); }});
  return all;
}

std::vector<Check> all_checks() {
  std::vector<Check> all = op_checks();
  for (auto* more : {module_checks, model_checks})
    for (Check& check : more()) all.push_back(std::move(check));
  return all;
}

}  // namespace checks
