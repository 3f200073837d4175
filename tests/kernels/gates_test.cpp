// The logistic function and tanh of the recurrent kernels, seen through an LSTM's cell.
#include "common.hpp"

namespace axisgrad::kernels {
namespace {

template <class T>
struct Cell {
  std::vector<T> gates, c, tanh_c, h, next;
};

// One row of n units: gates i, f, g, o before their activations, the state before.
template <class T>
Cell<T> cell(Index n, const std::vector<T>& gates, const std::vector<T>& before) {
  Cell<T> y{gates, before, before, before, before};
  table<T>().lstm.cell({.rows = 1,
                        .units = n,
                        .gates = y.gates.data(),
                        .c_before = before.data(),
                        .c = y.c.data(),
                        .tanh_c = y.tanh_c.data(),
                        .h = y.h.data(),
                        .h_row = n,
                        .next = y.next.data(),
                        .next_row = n,
                        .factors = nullptr});
  return y;
}

// Points from tiny to where the functions have long reached their limits, of both signs.
template <class T>
std::vector<T> points() {
  std::vector<T> x{T(0), T(-0.0)};
  const T limit = sizeof(T) == 4 ? T(120) : T(800);
  std::mt19937 random(5);
  std::uniform_real_distribution<T> near(T(-10), T(10)), far(-limit, limit);
  for (int e = 0; e < 40; ++e) x.push_back(std::ldexp(T(1.1), -3 * e));
  for (int i = 0; i < 20000; ++i) x.push_back(near(random)), x.push_back(far(random));
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) x.push_back(-x[i]);
  return x;
}

template <class T>
void check_activations() {
  const std::vector<T> x = points<T>(), zeros(x.size(), T(0));
  const Index n = Index(x.size());
  std::vector<T> gates;
  for (int k = 0; k < 4; ++k) gates.insert(gates.end(), x.begin(), x.end());
  const Cell<T> y = cell<T>(n, gates, zeros);
  double logistic = 0, tanh = 0;
  for (Index i = 0; i < n; ++i) {
    const long double v = x[std::size_t(i)];
    keep_worst(logistic, ulps(y.gates[std::size_t(i)], 1 / (1 + std::exp(-v))));
    keep_worst(tanh, ulps(y.gates[std::size_t(2 * n + i)], std::tanh(v)));
  }
  MESSAGE(arch() << ": logistic " << logistic << " ulp, tanh " << tanh << " ulp");
  CHECK(logistic <= 3);
  CHECK(tanh <= 3);
  CHECK(same_bits(y.h, y.next));
}

template <class T>
void check_limits() {
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> x{infinity, -infinity, T(1e30), T(-1e30), nan};
  std::vector<T> gates;
  for (int k = 0; k < 4; ++k) gates.insert(gates.end(), x.begin(), x.end());
  const Cell<T> y = cell<T>(5, gates, std::vector<T>(5, T(0)));
  const std::vector<T> logistic(y.gates.begin(), y.gates.begin() + 4),
      tanh(y.gates.begin() + 10, y.gates.begin() + 14);
  CHECK(logistic == std::vector<T>{1, 0, 1, 0});
  CHECK(tanh == std::vector<T>{1, -1, 1, -1});
  CHECK(std::isnan(y.gates[4]));
  CHECK(std::isnan(y.gates[14]));
}

// A unit's place in the row must not matter: whole vectors and the rest are computed alike.
template <class T>
void check_places() {
  std::mt19937 random(7);
  for (Index n : {1, 3, 8, 17, 33}) {
    CAPTURE(n);
    const auto gates = normal<T>(random, 4 * n), before = normal<T>(random, n);
    const Cell<T> all = cell<T>(n, gates, before);
    for (Index i = 0; i < n; ++i) {
      std::vector<T> own;
      for (Index k = 0; k < 4; ++k) own.push_back(gates[std::size_t(k * n + i)]);
      const Cell<T> one = cell<T>(1, own, {before[std::size_t(i)]});
      CHECK(same_bits(one.h, {all.h[std::size_t(i)]}));
      CHECK(same_bits(one.c, {all.c[std::size_t(i)]}));
    }
  }
}

}  // namespace

TEST_CASE("gates: the logistic function and tanh within 3 units of the last place") {
  for_each_arch([] { check_activations<float>(), check_activations<double>(); });
}

TEST_CASE("gates: infinities and NaN") {
  for_each_arch([] { check_limits<float>(), check_limits<double>(); });
}

TEST_CASE("gates: the bits of a unit do not depend on its place") {
  for_each_arch([] { check_places<float>(), check_places<double>(); });
}

}  // namespace axisgrad::kernels
