#include <algorithm>
#include <cmath>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/data/planted_dependency.hpp>

namespace axisgrad {
namespace {

constexpr double largest_radius = .9, first_own_past = .5, factor_memory = .8;
constexpr Size settling = 500;  // steps before the first that is given out

std::uint64_t u(Size i) { return static_cast<std::uint64_t>(i); }

void validate(const PlantedDependencyOptions& o) {
  if (o.points < 1 || o.series < 1 || o.parents < 1 || o.max_lag < 1 || o.noise_series < 1)
    fail("planted_dependency",
         "points, series, parents, max_lag and noise_series must be at least 1, got ", o.points,
         ", ", o.series, ", ", o.parents, ", ", o.max_lag, " and ", o.noise_series);
  if (o.parents >= o.series)
    fail("planted_dependency", o.parents, " parents of each series are more than the ",
         o.series - 1, " others there are");
}

std::vector<PlantedEdge> draw_edges(const PlantedDependencyOptions& o, std::uint64_t key) {
  const RandomStream random(mix_keys(key, 0));
  std::vector<PlantedEdge> edges;
  for (Size child = 0; child < o.series; ++child) {
    const auto others = shuffled(o.series - 1, mix_keys(key, u(child + 1)));
    for (Size k = 0; k < o.parents; ++k) {
      const Size other = others[static_cast<std::size_t>(k)];
      const double size = .4 + .2 * random.uniform(u(child), u(3 * k));
      const bool negative = random.bits(u(child), u(3 * k + 1)) & 1;
      const double lag = random.uniform(u(child), u(3 * k + 2)) * static_cast<double>(o.max_lag);
      edges.push_back(
          {child, other + (other >= child), 1 + static_cast<Size>(lag), negative ? -size : size});
    }
  }
  return edges;
}

// What a series is made of: its parents and its own last value.
struct System {
  std::vector<PlantedEdge> edges;
  double own_past;
};

Tensor<double> lag_matrices(const System& system, const PlantedDependencyOptions& o) {
  Tensor<double> a({o.max_lag, o.series, o.series}, 0.);
  for (const PlantedEdge& e : system.edges) a.set({e.lag - 1, e.child, e.parent}, e.coefficient);
  for (Size i = 0; i < o.series; ++i) a.set({0, i, i}, system.own_past);
  return a;
}

System draw(const PlantedDependencyOptions& o, std::uint64_t key) {
  System system{draw_edges(o, key), o.kind == PlantedKind::self ? first_own_past : 0};
  while (spectral_radius(lag_matrices(system, o)) > largest_radius) {
    for (PlantedEdge& e : system.edges) e.coefficient *= .95;
    system.own_past *= .95;
  }
  return system;
}

// Rows of u from `first` on get what the earlier ones cause, on top of what they hold (the noise).
void run(std::vector<double>& values, Size first, Size steps, const System& system,
         const PlantedDependencyOptions& o) {
  double* const at = values.data();
  for (Size t = first; t < steps; ++t) {
    double* const row = at + t * o.series;
    if (system.own_past != 0 && t > 0)
      for (Size i = 0; i < o.series; ++i) row[i] += system.own_past * row[i - o.series];
    for (const PlantedEdge& e : system.edges) {
      if (e.lag > t) continue;
      const double parent = at[(t - e.lag) * o.series + e.parent];
      row[e.child] +=
          e.coefficient *
          (o.kind == PlantedKind::abs ? 2 * (std::min(std::abs(parent), 3.) - .8) : parent);
    }
  }
}

// Of the linear kinds: sum of the squared responses to a unit of noise in each series.
std::vector<double> variances(const System& system, const PlantedDependencyOptions& o) {
  constexpr Size steps = 400;  // .9^400 is 5e-19
  std::vector<double> result(static_cast<std::size_t>(o.series), 0.);
  for (Size source = 0; source < o.series; ++source) {
    std::vector<double> response(static_cast<std::size_t>(steps * o.series), 0.);
    response[static_cast<std::size_t>(source)] = 1;
    run(response, 1, steps, system, o);
    for (std::size_t k = 0; k < response.size(); ++k)
      result[k % result.size()] += response[k] * response[k];
  }
  return result;
}

}  // namespace

double spectral_radius(const Tensor<double>& a) {
  if (a.rank() != 3 || a.shape()[1] != a.shape()[2] || a.size() == 0)
    fail("spectral_radius", "expects lag matrices (lags, V, V), got ", a.shape());
  const Size lags = a.shape()[0], v = a.shape()[1], n = lags * v;
  // The companion matrix: (x(t), x(t-1), ...) from (x(t-1), x(t-2), ...).
  Tensor<double> power({n, n}, 0.);
  double* const to = power.mutable_data();
  for (Size l = 0; l < lags; ++l)
    for (Size i = 0; i < v; ++i) std::copy_n(a.data() + (l * v + i) * v, v, to + i * n + l * v);
  for (Size k = v; k < n; ++k) to[k * n + k - v] = 1;
  // With A^(2^k) = s_k B_k, |B_k| = 1, squaring gives log s_k / 2^k = sum_j log|B_j^2| / 2^j.
  double log_radius = 0, share = 1;
  for (int k = 0; k <= 20; ++k, share /= 2) {
    const double size = norm(constant(power)).item();
    if (size == 0) return 0;
    log_radius += share * std::log(size);
    const Var<double> scaled = constant(power) / size;
    power = matmul(scaled, scaled).value();
  }
  return std::exp(log_radius);
}

template <Scalar T>
PlantedDependency<T> planted_dependency(const PlantedDependencyOptions& o) {
  validate(o);
  const std::uint64_t key = mix_keys(o.seed, key_of("planted_dependency"));
  System system = draw(o, mix_keys(key, 0));

  const Size extra = o.kind == PlantedKind::noise ? o.noise_series : 0, width = o.series + extra,
             steps = settling + o.points;
  const RandomStream noise(mix_keys(key, 1)), unrelated(mix_keys(key, 2)), hidden(mix_keys(key, 3));
  std::vector<double> series(static_cast<std::size_t>(steps * o.series));
  for (Size t = 0; t < steps; ++t)
    for (Size i = 0; i < o.series; ++i)
      series[static_cast<std::size_t>(t * o.series + i)] = noise.normal(u(t), u(i));
  run(series, 0, steps, system, o);

  Tensor<double> floor({width}, 1.);
  if (o.kind == PlantedKind::factor) {
    // loading_i = sd(u_i) / sd(f), so that f makes up half of the variance.
    const auto own = variances(system, o);
    constexpr double variance = 1 / (1 - factor_memory * factor_memory);
    double f = 0;
    for (Size t = 0; t < steps; ++t) {
      f = factor_memory * f + hidden.normal(u(t));
      for (Size i = 0; i < o.series; ++i)
        series[static_cast<std::size_t>(t * o.series + i)] +=
            std::sqrt(own[static_cast<std::size_t>(i)] / variance) * f;
    }
    for (Size i = 0; i < o.series; ++i)
      floor.set({i}, 1 + own[static_cast<std::size_t>(i)] / variance);
  }

  PlantedDependency<T> result{Tensor<T>({o.points, width}), Tensor<double>({width, width}, 0.),
                              std::move(system.edges), system.own_past, std::move(floor)};
  T* to = result.values.mutable_data();
  const double* from = series.data() + settling * o.series;
  for (Size t = 0; t < o.points; ++t) {
    for (Size i = 0; i < o.series; ++i) *to++ = static_cast<T>(*from++);
    for (Size i = 0; i < extra; ++i) *to++ = static_cast<T>(unrelated.normal(u(t), u(i)));
  }
  for (const PlantedEdge& e : result.edges) result.truth.set({e.child, e.parent}, 1);
  return result;
}

template PlantedDependency<float> planted_dependency(const PlantedDependencyOptions&);
template PlantedDependency<double> planted_dependency(const PlantedDependencyOptions&);

}  // namespace axisgrad
