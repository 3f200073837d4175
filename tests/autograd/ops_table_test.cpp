// What the table test needs of the table: samples that could show a wrong gradient. An op whose
// samples lack something fails here.
#include <algorithm>
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include <axisgrad/autograd/ops.hpp>

#include "oracle.hpp"

using namespace axisgrad;

namespace {

bool all_different(const Shape& s) {
  return std::set<Size>(s.begin(), s.end()).size() == static_cast<std::size_t>(s.rank());
}

template <class F>
bool some_sample(const OpEntry& op, const F& f) {
  return std::any_of(op.samples.begin(), op.samples.end(), f);
}
template <class F>
bool some_input(const OpEntry& op, const F& f) {
  return some_sample(op, [&](const Sample& s) {
    return std::any_of(s.inputs.begin(), s.inputs.end(),
                       [&](const SampleInput& i) { return f(i.shape); });
  });
}

// Whether the title names an axis of the first input that is not its last.
bool inner_axis(const Sample& s) {
  static const std::regex axis("ax[ie]s (-?[0-9]+)");
  std::smatch found;
  if (!std::regex_search(s.title, found, axis)) return false;
  const int number = std::stoi(found[1]), rank = s.inputs[0].shape.rank();
  return (number < 0 ? number + rank : number) < rank - 1;
}

}  // namespace

TEST_CASE("the table: names are unique, every op has samples") {
  std::set<std::string_view> names;
  for (const OpEntry& op : all_ops()) {
    CAPTURE(op.name);
    CHECK(names.insert(op.name).second);
    CHECK(!op.samples.empty());
  }
  CHECK(all_ops().size() >= 37);
}

TEST_CASE("the table: axes of different sizes, one of size 1, one that is not the last") {
  for (const OpEntry& op : all_ops()) {
    CAPTURE(op.name);
    CHECK(some_input(
        op, [](const Shape& s) { return s.rank() >= 2 && s.size() > 4 && all_different(s); }));
    CHECK(some_input(op, [](const Shape& s) {
      return s.rank() >= 2 && s.size() > 1 && std::count(s.begin(), s.end(), 1);
    }));
    const bool has_axes = some_sample(op, [](const Sample& s) {
      return std::regex_search(s.title, std::regex("\\bax[ie]s -?[0-9]"));
    });
    if (has_axes) CHECK(some_sample(op, inner_axis));
  }
}

TEST_CASE(
    "the table: pointwise inputs have both signs where the range allows, and broadcast on either "
    "side") {
  for (const OpEntry& op : all_ops()) {
    if (op.kind != Kind::pointwise) continue;
    CAPTURE(op.name);
    for (const Sample& s : op.samples)
      for (const SampleInput& i : s.inputs) {
        CHECK(i.range.low < i.range.high);
        if (i.range.low >= 0 || i.range.high <= 0 || i.shape.size() < 30) continue;
        const Tensor<double> x = oracle::Numbers(1).tensor(i.shape, i.range);
        CHECK(std::any_of(x.begin(), x.end(), [](double v) { return v < 0; }));
        CHECK(std::any_of(x.begin(), x.end(), [](double v) { return v > 0; }));
      }
    const std::size_t inputs = op.samples[0].inputs.size();
    for (std::size_t k = 0; inputs > 1 && k < inputs; ++k) {
      CAPTURE(k);
      CHECK(some_sample(op, [&](const Sample& s) {
        std::vector<Var<double>> xs;
        for (const auto& x : oracle::draw(s, 1)) xs.push_back(constant(x));
        const Shape y = s.in_double(xs).shape();
        return y.size() > 0 && s.inputs[k].shape != y;
      }));
    }
  }
}
