// Scaled dot-product attention against plain loops; the fused path, the reference and the path that
// keeps the weights against each other; masks in all their forms; the public bug reports.
#include <limits>
#include <string>

#include <axisgrad/autograd/kernels/parallel.hpp>

#include "differences.hpp"

namespace ag = axisgrad;
using ag::Shape;
using ag::Size;
using ag::Tensor;
using ag::Var;
using ag::tests::distance;
using ag::tests::gradient;
using ag::tests::Inputs64;
using ag::tests::noise;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// One case: shapes of q, k, v with the tokens at -2, a mask of any shape, causal.
struct Case {
  std::string title;
  Shape q, k, v;
  Shape mask{};  // rank 0: none
  Shape additive{};
  bool causal = false;
  ag::CausalAlignment alignment = ag::CausalAlignment::last;
};

// A mask that hides every third key and all keys of some queries.
template <class T>
Tensor<T> holes(const Shape& shape, T shown = 1, T hidden = 0) {
  Tensor<T> m(shape, shown);
  const Size n = shape[shape.rank() - 1];
  for (Size i = 0; i < m.size(); ++i)
    if (i % 3 == 0 || i / n % 4 == 1) m.mutable_data()[i] = hidden;
  return m;
}

template <class T>
ag::AttentionOptions<T> options_of(const Case& c) {
  ag::AttentionOptions<T> o{.causal = c.causal, .causal_alignment = c.alignment};
  if (c.mask.rank()) o.mask = Var<T>(holes<T>(c.mask));
  if (c.additive.rank()) o.additive_mask = Var<T>(noise<T>(c.additive, 4));
  return o;
}

// The element at `index` of the scores' shape, of a tensor that broadcasts to it.
double broadcast_at(const Tensor<double>& x, const Shape& to, Size index) {
  Size at = 0, step = 1;
  for (int i = 1; i <= to.rank(); ++i) {
    const Size here = index % to[to.rank() - i];
    index /= to[to.rank() - i];
    if (i > x.rank()) continue;
    if (x.shape()[x.rank() - i] != 1) at += here * step;
    step *= x.shape()[x.rank() - i];
  }
  return x.data()[at];
}

struct Plain {
  Tensor<double> out, weights, scores;
};
// softmax(q k^T / sqrt(P) + masks) v, loop by loop.
Plain plain(const Case& c, const Tensor<double>& q, const Tensor<double>& k,
            const Tensor<double>& v) {
  const int r = c.q.rank();
  const Size batch = c.q.product(0, r - 2), m = c.q[r - 2], p = c.q[r - 1], n = c.k[r - 2],
             w = c.v[r - 1];
  const Shape scores = c.q.with(r - 1, n);
  const auto o = options_of<double>(c);
  Plain y{Tensor<double>(c.q.with(r - 1, w), 0.), Tensor<double>(scores, 0.),
          Tensor<double>(scores)};
  for (Size b = 0; b < batch; ++b)
    for (Size i = 0; i < m; ++i) {
      std::vector<double> s(static_cast<std::size_t>(n));
      double most = -infinity, total = 0;
      for (Size j = 0; j < n; ++j) {
        const Size at = (b * m + i) * n + j;
        double dot = 0;
        for (Size e = 0; e < p; ++e)
          dot += q.data()[(b * m + i) * p + e] * k.data()[(b * n + j) * p + e];
        double& x = s[static_cast<std::size_t>(j)];
        y.scores.mutable_data()[at] = x = dot / std::sqrt(double(p));
        if (c.additive.rank()) x += broadcast_at(o.additive_mask.value(), scores, at);
        const Size last = c.alignment == ag::CausalAlignment::last ? i + n - m : i;
        if (c.causal && j > last) x = -infinity;
        if (c.mask.rank() && broadcast_at(o.mask.value(), scores, at) == 0) x = -infinity;
        most = std::max(most, x);
      }
      if (most == -infinity) continue;
      for (double x : s) total += std::exp(x - most);
      for (Size j = 0; j < n; ++j) {
        const double weight = std::exp(s[static_cast<std::size_t>(j)] - most) / total;
        y.weights.mutable_data()[(b * m + i) * n + j] = weight;
        for (Size e = 0; e < w; ++e)
          y.out.mutable_data()[(b * m + i) * w + e] += weight * v.data()[(b * n + j) * w + e];
      }
    }
  return y;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const Shape ranks[][3] = {{{5, 4}, {7, 4}, {7, 3}},
                            {{2, 7, 3}, {2, 5, 3}, {2, 5, 6}},
                            {{3, 2, 5, 4}, {3, 2, 7, 4}, {3, 2, 7, 6}},
                            {{2, 3, 2, 4, 5}, {2, 3, 2, 4, 5}, {2, 3, 2, 4, 1}}};
  for (const auto& [q, k, v] : ranks) {
    const int r = q.rank();
    const Size m = q[r - 2], n = k[r - 2];
    const Shape full = q.with(r - 1, n);
    for (const Shape& mask : {Shape{}, Shape{m, n}, Shape{m, 1}, Shape{n}, full})
      for (const Shape& additive : {Shape{}, Shape{m, n}, full.with(r - 2, 1)})
        for (int causal = 0; causal < 3; ++causal)
          all.push_back({"", q, k, v, mask, additive, causal > 0,
                         causal == 2 ? ag::CausalAlignment::first : ag::CausalAlignment::last});
  }
  // Matrices that are worked on in tiles; the last one is shorter, the last row of tiles lower.
  for (bool causal : {false, true})
    for (const Shape& mask : {Shape{}, Shape{2, 1, 150}})
      all.push_back({"one tile wide", {2, 171, 6}, {2, 150, 6}, {2, 150, 5}, mask, {}, causal});
  for (int causal = 0; causal < 3; ++causal) {
    const auto alignment = causal == 2 ? ag::CausalAlignment::first : ag::CausalAlignment::last;
    for (const auto& [mask, additive] : {std::pair<Shape, Shape>{{}, {}},
                                         {{460}, {60, 460}},
                                         {{60, 1}, {}},
                                         {{2, 60, 460}, {1, 460}}})
      all.push_back(
          {"tiles", {2, 60, 3}, {2, 460, 3}, {2, 460, 4}, mask, additive, causal > 0, alignment});
    all.push_back({"tiles, queries that see nothing",
                   {1, 200, 3},
                   {1, 60, 3},
                   {1, 60, 4},
                   {},
                   {200, 1},
                   causal > 0,
                   alignment});
  }
  all.push_back({"blocks of rows", {1, 300, 120}, {1, 290, 120}, {1, 290, 3}, {}, {}, true});
  all.push_back({"many keys, few queries", {3, 2, 4}, {3, 9000, 4}, {3, 9000, 2}});
  all.push_back({"deep heads", {1, 520, 257}, {1, 520, 257}, {1, 520, 2}});
  for (Case& c : all) {
    std::ostringstream text;
    text << c.title << " q" << c.q << " k" << c.k << " mask" << c.mask << " additive" << c.additive
         << " causal " << c.causal << int(c.alignment);
    c.title = text.str();
  }
  return all;
}

template <class T>
void check_values(const Case& c, double tolerance) {
  const auto q = noise<T>(c.q, 1), k = noise<T>(c.k, 2), v = noise<T>(c.v, 3);
  const auto in_double = [](const Tensor<T>& x) {
    if constexpr (std::is_same_v<T, double>)
      return x;
    else
      return Tensor<double>(x);
  };
  const Plain right = plain(c, in_double(q), in_double(k), in_double(v));
  const auto o = options_of<T>(c);
  const auto y = ag::scaled_dot_product_attention_with_weights(Var<T>(q), Var<T>(k), Var<T>(v), o);
  CHECK(distance(y.out.value(), right.out) < tolerance);
  CHECK(distance(y.weights.value(), right.weights) < tolerance);
  CHECK(distance(y.scores.value(), right.scores) < 10 * tolerance);
  // Hidden is exactly 0, and asking for the weights changes no bit of the output.
  Size leaks = 0;
  for (Size i = 0; i < right.weights.size(); ++i)
    leaks += right.weights.data()[i] == 0 && y.weights.value().data()[i] != 0;
  CHECK(leaks == 0);
  CHECK(same_bits(ag::scaled_dot_product_attention(Var<T>(q), Var<T>(k), Var<T>(v), o).value(),
                  y.out.value()));
}

// Sum of the outputs times fixed numbers: a loss whose gradient reaches everything.
Var<double> weighed(const Var<double>& y, std::uint64_t seed) {
  return ag::sum(y * Var<double>(noise<double>(y.shape(), seed)));
}

}  // namespace

TEST_CASE("attention: values, weights and scores as plain loops give them, on every path") {
  for (const Case& c : cases()) {
    INFO(c.title);
    check_values<double>(c, 1e-13);
    check_values<float>(c, 3e-6);
  }
}

TEST_CASE("attention: gradients of the fused path, the reference and with weights are equal") {
  for (const Case& c : cases()) {
    INFO(c.title);
    Inputs64 xs{noise<double>(c.q, 1), noise<double>(c.k, 2), noise<double>(c.v, 3)};
    if (c.additive.rank()) xs.push_back(noise<double>(c.additive, 4));
    const auto options = [&](const std::vector<Var<double>>& x) {
      auto o = options_of<double>(c);
      if (c.additive.rank()) o.additive_mask = x[3];
      return o;
    };
    const auto alone = [&](const std::vector<Var<double>>& x) {
      return weighed(ag::scaled_dot_product_attention(x[0], x[1], x[2], options(x)), 7);
    };
    const auto kept = [&](const std::vector<Var<double>>& x) {
      return weighed(
          ag::scaled_dot_product_attention_with_weights(x[0], x[1], x[2], options(x)).out, 7);
    };
    const auto all = [&](const std::vector<Var<double>>& x) {
      const auto y = ag::scaled_dot_product_attention_with_weights(x[0], x[1], x[2], options(x));
      return weighed(y.out, 7) + weighed(y.weights, 8) + weighed(y.scores, 9);
    };
    const auto fused = gradient(alone, xs), reference = gradient(alone, xs, true),
               with_weights = gradient(kept, xs), all_fused = gradient(all, xs),
               all_reference = gradient(all, xs, true);
    for (std::size_t k = 0; k < xs.size(); ++k) {
      CAPTURE(k);
      CHECK(distance(fused[k], reference[k]) < 1e-12);
      CHECK(same_bits(fused[k], with_weights[k]));
      CHECK(distance(all_fused[k], all_reference[k]) < 1e-11);
    }
  }
}

TEST_CASE("attention: gradients by one input alone, of one result alone") {
  const Case some[] = {
      {"kept", {2, 5, 4}, {2, 7, 4}, {2, 7, 3}, {}, {5, 7}},
      {"kept, causal", {2, 7, 4}, {2, 5, 4}, {2, 5, 3}, {7, 5}, {7, 5}, true},
      {"blocks, the first sees nothing", {1, 600, 3}, {1, 30, 3}, {1, 30, 4}, {}, {600, 1}, true},
      {"tiles", {2, 60, 3}, {2, 460, 3}, {2, 460, 4}, {}, {60, 460}},
      {"tiles, causal", {1, 200, 3}, {1, 60, 3}, {1, 60, 4}, {60}, {200, 1}, true}};
  for (const Case& c : some)
    for (int result = 0; result < 3; ++result) {
      INFO(c.title);
      CAPTURE(result);
      const Inputs64 xs{noise<double>(c.q, 1), noise<double>(c.k, 2), noise<double>(c.v, 3),
                        noise<double>(c.additive, 4)};
      const auto of = [&](const std::vector<Var<double>>& x) {
        auto o = options_of<double>(c);
        o.additive_mask = x[3];
        if (result == 0) return weighed(ag::scaled_dot_product_attention(x[0], x[1], x[2], o), 7);
        const auto y = ag::scaled_dot_product_attention_with_weights(x[0], x[1], x[2], o);
        return weighed(result == 1 ? y.weights : y.scores, 8);
      };
      const Inputs64 reference = gradient(of, xs, true);
      for (std::size_t k = 0; k < xs.size(); ++k) {
        CAPTURE(k);
        const auto by_one = [&](const std::vector<Var<double>>& x) {
          std::vector<Var<double>> all(xs.begin(), xs.end());
          all[k] = x[0];
          return of(all);
        };
        CHECK(distance(gradient(by_one, {xs[k]})[0], reference[k]) < 1e-11);
      }
    }
}

TEST_CASE("attention: first and second derivatives against differences") {
  const Case small[] = {
      {"plain", {2, 3, 2}, {2, 4, 2}, {2, 4, 3}},
      {"causal and masked", {2, 4, 2}, {2, 3, 2}, {2, 3, 1}, {4, 3}, {}, true},
      {"additive", {2, 3, 2}, {2, 4, 2}, {2, 4, 3}, {}, {3, 4}},
  };
  for (const Case& c : small) {
    INFO(c.title);
    Inputs64 xs{noise<double>(c.q, 1), noise<double>(c.k, 2), noise<double>(c.v, 3)};
    if (c.additive.rank()) xs.push_back(noise<double>(c.additive, 4));
    ag::tests::check_derivatives(
        [&](const std::vector<Var<double>>& x) {
          auto o = options_of<double>(c);
          if (c.additive.rank()) o.additive_mask = x[3];
          const auto y = ag::scaled_dot_product_attention_with_weights(x[0], x[1], x[2], o);
          return weighed(y.out, 7) + weighed(y.weights * y.weights * y.scores, 8) +
                 weighed(ag::square(ag::scaled_dot_product_attention(x[0], x[1], x[2], o)), 9);
        },
        xs);
  }
}

TEST_CASE("attention: heads beside each other are the same as heads in front") {
  const Shape q{2, 3, 5, 4}, k{2, 3, 7, 4}, v{2, 3, 7, 6};  // (B, H, T, P)
  const Case c{"", q, k, v, {2, 1, 5, 7}, {3, 1, 7}, true};
  ag::tests::Inputs64 xs{noise<double>(q, 1), noise<double>(k, 2), noise<double>(v, 3)};
  const auto in_front = [&](const std::vector<Var<double>>& x) {
    const auto y =
        ag::scaled_dot_product_attention_with_weights(x[0], x[1], x[2], options_of<double>(c));
    return weighed(y.out, 7) + weighed(y.weights, 8) + weighed(y.scores, 9);
  };
  const auto beside = [&](const std::vector<Var<double>>& x) {
    const auto t = [](const Var<double>& y) { return ag::swap_axes(y, 1, 2); };
    const auto y =
        ag::attention_by_head_with_weights(t(x[0]), t(x[1]), t(x[2]), options_of<double>(c));
    CHECK(same_bits(ag::attention_by_head(t(x[0]), t(x[1]), t(x[2]), options_of<double>(c)).value(),
                    y.out.value()));
    return weighed(t(y.out), 7) + weighed(y.weights, 8) + weighed(y.scores, 9);
  };
  const auto a = gradient(in_front, xs), b = gradient(beside, xs), r = gradient(beside, xs, true);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(distance(a[i], b[i]) < 1e-13);
    CHECK(distance(b[i], r[i]) < 1e-12);
  }
}

TEST_CASE("attention: batch axes broadcast") {
  const auto q = noise<double>({2, 1, 3, 4}, 1), k = noise<double>({5, 6, 4}, 2),
             v = noise<double>({2, 1, 6, 2}, 3);
  const auto wide = [](const Tensor<double>& x, const Shape& s) {
    return ag::expand(Var<double>(x), s);
  };
  const auto y = ag::scaled_dot_product_attention(Var<double>(q), Var<double>(k), Var<double>(v));
  CHECK(
      same_bits(y.value(), ag::scaled_dot_product_attention(
                               wide(q, {2, 5, 3, 4}), wide(k, {2, 5, 6, 4}), wide(v, {2, 5, 6, 2}))
                               .value()));
}

TEST_CASE("attention: bits do not depend on the number of threads") {
  const int before = ag::kernels::threads();
  for (const auto& [q, k] : {std::pair<Shape, Shape>{{64, 48, 4, 16}, {64, 40, 4, 16}},
                             {{2, 500, 1, 32}, {2, 700, 1, 32}}}) {
    const auto run = [q = q, k = k](int threads) {
      ag::kernels::set_threads(threads);
      ag::Tape<float> tape;
      std::vector<Var<float>> xs{tape.input(noise<float>(q, 1), {.gradient = true}),
                                 tape.input(noise<float>(k, 2), {.gradient = true}),
                                 tape.input(noise<float>(k, 3), {.gradient = true})};
      const auto y = ag::attention_by_head(xs[0], xs[1], xs[2], {.causal = true});
      auto all = ag::grad(ag::sum(ag::square(y)), xs);
      all.push_back(y);
      return all;
    };
    const auto one = run(1), three = run(3);
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(same_bits(one[i].value(), three[i].value()));
  }
  ag::kernels::set_threads(before);
}
