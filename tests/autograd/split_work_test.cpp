// Fused ops at sizes at which their work is cut into parts for the threads: the samples of the
// table are too small for that.
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/ops/dual_stage.hpp>
#include <axisgrad/autograd/ops/gate.hpp>

#include "differences.hpp"

namespace ag = axisgrad;
using ag::Var;
using ag::tests::distance;
using ag::tests::gradient;
using ag::tests::Inputs64;
using ag::tests::noise;

namespace {

Inputs64 inputs(const std::vector<ag::Shape>& shapes) {
  Inputs64 xs;
  for (const ag::Shape& shape : shapes) xs.push_back(noise<double>(shape, xs.size()));
  for (auto& x : xs)
    for (double& v : std::span(x.mutable_data(), static_cast<std::size_t>(x.size()))) v *= .3;
  return xs;
}
Var<double> weighed(const Var<double>& y, std::uint64_t seed) {
  return ag::sum(y * Var<double>(noise<double>(y.shape(), seed)));
}

// The gradients by one thread and by three.
void check_threads(const ag::tests::Function64& f, const Inputs64& xs) {
  const int before = ag::kernels::threads();
  ag::kernels::set_threads(1);
  const Inputs64 one = gradient(f, xs);
  ag::kernels::set_threads(3);
  const Inputs64 three = gradient(f, xs);
  ag::kernels::set_threads(before);
  for (std::size_t k = 0; k < xs.size(); ++k) {
    CAPTURE(k);
    CHECK(same_bits(one[k], three[k]));
  }
}

}  // namespace

TEST_CASE("split work: the encoder of the dual-stage network") {
  const ag::Size B = 61, T = 8, N = 6, K = 7, U = 48;
  const auto f = [](const std::vector<Var<double>>& x) {
    const auto y = ag::input_attention_lstm<double>({x[0], x[1], x[2], x[3], x[4], x[5], x[6]});
    return weighed(y.h, 1) + weighed(y.weights, 2);
  };
  check_threads(f,
                inputs({{B, T, N}, {B, K, N}, {K, 2 * U}, {K}, {N, 4 * U}, {U, 4 * U}, {4 * U}}));
}

TEST_CASE("split work: the decoder of the dual-stage network") {
  const ag::Size B = 61, T = 8, N = 6, M = 5, K = 7, U = 50;
  const auto f = [](const std::vector<Var<double>>& x) {
    const auto y = ag::temporal_attention_lstm<double>(
        {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]});
    return weighed(y.h, 1) + weighed(y.context, 2) + weighed(y.weights, 3);
  };
  check_threads(f, inputs({{B, T},
                           {B, N, M},
                           {B, N, K},
                           {K, 2 * U},
                           {K},
                           {1 + M},
                           {1},
                           {1, 4 * U},
                           {U, 4 * U},
                           {4 * U}}));
}

TEST_CASE("split work: the gate over time, whose weight gradient is added up part by part") {
  const auto f = [](const std::vector<Var<double>>& x) {
    const auto y = ag::time_gate(x[0], x[1], x[2]);
    return weighed(y.out, 1) + weighed(y.weights, 2);
  };
  const Inputs64 xs = inputs({{700, 24, 8}, {24, 24}, {24}});
  check_threads(f, xs);
  const Inputs64 fused = gradient(f, xs), reference = gradient(f, xs, true);
  for (std::size_t k = 0; k < xs.size(); ++k) CHECK(distance(fused[k], reference[k]) < 1e-11);
}
