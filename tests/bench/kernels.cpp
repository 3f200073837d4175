// Single kernels, one thread. `kernels --benchmark_filter=softmax`; rates are of elements or of
// multiply-adds. AXISGRAD_ARCH chooses the architecture.
#include <vector>

#include <benchmark/benchmark.h>

#include <axisgrad/autograd/kernels/attention.hpp>
#include <axisgrad/autograd/kernels/gemm.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>

namespace {

using namespace axisgrad::kernels;
using benchmark::Counter;
using benchmark::State;

std::vector<float> values(Index n) {
  std::vector<float> x(static_cast<std::size_t>(n));
  unsigned k = 1;
  for (float& v : x) k = k * 1664525u + 1013904223u, v = float(k >> 8) * 0x1p-23f - 1;
  return x;
}
void count(State& state, const char* what, double each) {
  state.counters[what] = Counter(each, Counter::kIsIterationInvariantRate);
}

// Rows of n elements, 64 K elements in all.
void softmax_rows(State& state) {
  const Index n = state.range(0), rows = 65536 / n;
  const auto x = values(rows * n);
  std::vector<float> y(x.size());
  for (auto _ : state) table<float>().rows.softmax_rows(rows, n, x.data(), y.data());
  count(state, "elements/s", double(rows * n));
}
void softmax_backward_rows(State& state) {
  const Index n = state.range(0), rows = 65536 / n;
  const auto x = values(rows * n), y = values(rows * n);
  std::vector<float> d(x.size());
  for (auto _ : state)
    table<float>().rows.softmax_backward_rows(rows, n, y.data(), x.data(), d.data());
  count(state, "elements/s", double(rows * n));
}
void softmax_columns(State& state) {
  const Index n = state.range(0), columns = 65536 / n;
  const auto x = values(columns * n);
  std::vector<float> y(x.size());
  for (auto _ : state) table<float>().rows.softmax_columns(n, columns, columns, x.data(), y.data());
  count(state, "elements/s", double(columns * n));
}

// C = A B, (m,k) (k,n).
void product(State& state) {
  const Index m = state.range(0), n = state.range(1), k = state.range(2);
  const auto a = values(m * k), b = values(k * n);
  std::vector<float> c(static_cast<std::size_t>(m * n));
  for (auto _ : state) gemm<float>(1, m, n, k, {a.data(), k}, {b.data(), n}, {}, c.data(), n);
  count(state, "flop/s", 2 * double(m) * double(n) * double(k));
}

// A step of (batch, units).
void lstm_cell(State& state) {
  const Index rows = state.range(0), units = state.range(1), n = rows * units;
  const auto from = values(4 * n), c0 = values(n);
  std::vector<float> gates(from), c(c0), tanh_c(c0), h(c0);
  for (auto _ : state) {
    std::copy(from.begin(), from.end(), gates.begin());
    table<float>().lstm.cell({.rows = rows,
                              .units = units,
                              .gates = gates.data(),
                              .c_before = c0.data(),
                              .c = c.data(),
                              .tanh_c = tanh_c.data(),
                              .h = h.data(),
                              .h_row = units,
                              .next = nullptr,
                              .next_row = 0,
                              .factors = nullptr});
  }
  count(state, "elements/s", double(n));
}

// (outer, tokens, heads, size): forward, then backward.
void attention_step(State& state) {
  const Index outer = state.range(0), n = state.range(1), heads = state.range(2),
              size = state.range(3);
  const auto q = values(outer * n * heads * size), k = q, v = q, g = q;
  std::vector<float> out(q), dq(q), dk(q), dv(q);
  Attention<float> a;
  a.outer = outer, a.heads = heads, a.queries = a.keys = n, a.key_dim = a.value_dim = size;
  a.q = q.data(), a.k = k.data(), a.v = v.data(), a.scale = .5f;
  const bool keeps = keeps_weights(n, n, size, size);
  auto kept = values(outer * heads * n * (keeps ? n : row_statistics));
  AttentionResults<float> y{.out = out.data()};
  (keeps ? y.weights : y.statistics) = kept.data();
  AttentionGradients<float> to;
  to.out = g.data(), to.q = dq.data(), to.k = dk.data(), to.v = dv.data();
  for (auto _ : state) {
    attention<float>(a, y);
    attention_backward<float>(a, {.out = y.out, .weights = y.weights, .statistics = y.statistics},
                              to);
  }
  count(state, "scores/s", double(outer * heads * n * n));
}

// From a few features to the variables of the largest workload, also beside multiples of a vector.
void row_lengths(benchmark::internal::Benchmark* b) {
  for (int n : {4, 7, 10, 12, 16, 20, 32, 48, 64, 81, 96, 321}) b->Arg(n);
}
BENCHMARK(softmax_rows)->Apply(row_lengths);
BENCHMARK(softmax_backward_rows)->Apply(row_lengths);
BENCHMARK(softmax_columns)->Arg(4)->Arg(12)->Arg(20)->Arg(96);
BENCHMARK(product)
    ->Args({64, 128, 32})
    ->Args({64, 1024, 256})
    ->Args({256, 256, 256})
    ->Args({5136, 512, 512});
BENCHMARK(lstm_cell)->Args({64, 32})->Args({64, 256});
BENCHMARK(attention_step)
    ->Args({100, 4, 8, 8})
    ->Args({100, 12, 8, 8})
    ->Args({32, 7, 8, 32})
    ->Args({16, 128, 8, 64})
    ->Args({16, 321, 8, 64})
    ->Args({2, 2048, 4, 16});

}  // namespace

int main(int argc, char** argv) {
  set_threads(1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
