// Dropout of attention's weights: drawn inside the kernel, block by block, it is what
// dropout_mask() gives as a whole; the same in backward, on every path and for any number of
// threads; and it takes no memory.
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/pool.hpp>

#include "differences.hpp"

namespace ag = axisgrad;
using ag::Shape;
using ag::Size;
using ag::Tensor;
using ag::Var;
using ag::tests::distance;
using ag::tests::noise;

namespace {

constexpr double rate = .3;

struct Case {
  const char* title;
  Shape q, k, v, scores;  // by head where scores have the rank of q and the heads before the tokens
  bool by_head = false, causal = false;
  Shape mask{}, factors{};
};
const std::vector<Case> cases{
    {"no batch", {5, 4}, {7, 4}, {7, 3}, {5, 7}},
    {"weights kept", {3, 5, 2, 8}, {3, 7, 2, 8}, {3, 7, 2, 6}, {3, 2, 5, 7}, true},
    {"weights made again", {3, 45, 2, 1}, {3, 40, 2, 1}, {3, 40, 2, 1}, {3, 2, 45, 40}, true},
    {"one tile wide", {2, 171, 2, 6}, {2, 150, 2, 6}, {2, 150, 2, 5}, {2, 2, 171, 150}, true},
    {"tiles, causal, factors",
     {2, 2, 100, 3},
     {2, 2, 500, 3},
     {2, 2, 500, 4},
     {2, 2, 100, 500},
     false,
     true,
     {100, 500},
     {2, 1, 1, 500}},
    {"one tile wide, causal",
     {2, 150, 2, 6},
     {2, 151, 2, 6},
     {2, 151, 2, 5},
     {2, 2, 150, 151},
     true,
     true},
    {"a mask and factors",
     {2, 3, 5, 4},
     {2, 3, 7, 4},
     {2, 3, 7, 3},
     {2, 3, 5, 7},
     false,
     true,
     {5, 7},
     {3, 1, 7}}};

template <class T>
Tensor<T> third_hidden(const Shape& shape, T shown) {
  Tensor<T> x(shape, shown);
  for (Size i = 0; i < x.size(); i += 3) x.mutable_data()[i] = 0;
  return x;
}

enum class Way { inside, as_factors, with_weights };

template <class T>
Var<T> attend(const Case& c, const std::vector<Var<T>>& x, Way way) {
  ag::AttentionOptions<T> o{.causal = c.causal};
  if (c.mask.rank()) o.mask = Var<T>(third_hidden<T>(c.mask, 1));
  if (c.factors.rank()) o.weight_factors = Var<T>(third_hidden<T>(c.factors, T(1.5)));
  if (way == Way::as_factors) {
    const auto mask = ag::dropout_mask(x[0], c.scores, rate);
    o.weight_factors = c.factors.rank() ? o.weight_factors * mask : mask;
  } else {
    o.dropout = rate;
  }
  if (way == Way::with_weights)
    return (c.by_head ? ag::attention_by_head_with_weights(x[0], x[1], x[2], o)
                      : ag::scaled_dot_product_attention_with_weights(x[0], x[1], x[2], o))
        .out;
  return c.by_head ? ag::attention_by_head(x[0], x[1], x[2], o)
                   : ag::scaled_dot_product_attention(x[0], x[1], x[2], o);
}

constexpr ag::RecordingOptions training{.training = true, .seed = 5, .step = 3};

// The output, and the gradients by q, k and v of a fixed sum of it.
template <class T>
std::vector<Tensor<T>> results(const Case& c, Way way, bool create_graph = false) {
  ag::Tape<T> tape(training);
  const std::vector<Var<T>> x{tape.input(noise<T>(c.q, 1), {.gradient = true}),
                              tape.input(noise<T>(c.k, 2), {.gradient = true}),
                              tape.input(noise<T>(c.v, 3), {.gradient = true})};
  const auto y = attend(c, x, way);
  std::vector<Tensor<T>> all{y.value()};
  // Another attention writes over what the first one left in working memory.
  (void)attend<T>(c, {Var<T>(noise<T>(c.q, 9)), Var<T>(noise<T>(c.k, 9)), Var<T>(noise<T>(c.v, 9))},
                  Way::inside);
  for (const auto& g :
       ag::grad(ag::sum(y * Var<T>(noise<T>(y.shape(), 7))), x, {.create_graph = create_graph}))
    all.push_back(g.value());
  return all;
}

// Over the output and all gradients.
double largest(const std::vector<Tensor<double>>& a, const std::vector<Tensor<double>>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, distance(a[i], b[i]));
  return most;
}

template <class T>
void check_bits(const std::vector<Tensor<T>>& a, const std::vector<Tensor<T>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK(same_bits(a[i], b[i]));
  }
}

}  // namespace

TEST_CASE(
    "attention: dropout inside gives the bits of dropout_mask() as factors, with weights or not") {
  for (const Case& c : cases) {
    CAPTURE(c.title);
    const auto inside = results<float>(c, Way::inside);
    check_bits(inside, results<float>(c, Way::with_weights));
    if (c.factors.rank() == 0) check_bits(inside, results<float>(c, Way::as_factors));
    CHECK(largest(results<double>(c, Way::inside), results<double>(c, Way::as_factors)) < 1e-14);
  }
}

TEST_CASE("attention: dropout is the same in the reference, and in derivatives of second order") {
  for (const Case& c : cases) {
    CAPTURE(c.title);
    CHECK(largest(results<double>(c, Way::inside), results<double>(c, Way::inside, true)) < 1e-11);
  }
  // Differences of the gradient, each taken on a recording that draws the same.
  const Case& c = cases[0];
  const auto q = noise<double>(c.q, 1), k = noise<double>(c.k, 2), v = noise<double>(c.v, 3),
             along = noise<double>(c.q, 8);
  const auto slope = [&](double h, bool twice) {
    ag::Tape<double> tape(training);
    Tensor<double> moved = q;
    for (Size i = 0; i < q.size(); ++i) moved.mutable_data()[i] += h * along.data()[i];
    const auto x = tape.input(moved, {.gradient = true});
    const auto loss =
        ag::sum(ag::square(attend<double>(c, {x, Var<double>(k), Var<double>(v)}, Way::inside)));
    return (twice ? ag::hvp(loss, {x}, {Var<double>(along)}) : ag::grad(loss, std::vector{x}))[0]
        .value();
  };
  const auto ahead = slope(1e-5, false), behind = slope(-1e-5, false), second = slope(0, true);
  double most = 0;
  for (Size i = 0; i < q.size(); ++i) {
    const double difference = (ahead.data()[i] - behind.data()[i]) / 2e-5;
    CHECK(std::abs(difference - second.data()[i]) < 1e-7);
    most = std::max(most, std::abs(difference));
  }
  CHECK(most > 1e-2);
}

TEST_CASE("attention: dropout depends neither on threads nor on how the batch is dealt out") {
  const int before = ag::kernels::threads();
  ag::kernels::set_threads(1);
  const auto one = results<float>(cases[3], Way::inside);
  ag::kernels::set_threads(3);
  check_bits(one, results<float>(cases[3], Way::inside));
  ag::kernels::set_threads(before);

  const auto x = noise<double>({4, 6, 2, 3}, 1);
  const auto of = [&](Size first, Size count) {
    ag::Tape<double> tape({.training = true, .seed = 2, .first_sample = first});
    const auto part = tape.input(
        ag::slice(Var<double>(x), {.axis = 0, .begin = first, .end = first + count}).value());
    return ag::attention_by_head(part, part, part, {.dropout = .5}).value();
  };
  const auto whole = of(0, 4), head = of(0, 1), tail = of(1, 3);
  CHECK(std::equal(head.begin(), head.end(), whole.begin()));
  CHECK(std::equal(tail.begin(), tail.end(), whole.begin() + head.size()));
}

TEST_CASE("attention: dropout in training only, of a rate that is one") {
  const auto x = noise<double>({2, 3, 4}, 1);
  const auto run = [&](const ag::RecordingOptions& recording, double p) {
    ag::Tape<double> tape(recording);
    const auto y = tape.input(x);
    return ag::scaled_dot_product_attention(y, y, y, {.dropout = p}).value();
  };
  CHECK(same_bits(run({}, .5), run({}, 0)));
  CHECK(same_bits(run(training, 0), run({}, 0)));
  CHECK(!same_bits(run(training, .5), run({}, 0)));
  CHECK(distance(run(training, 1), Tensor<double>({2, 3, 4}, 0.)) == 0);
  CHECK_THROWS_WITH_AS(run(training, 1.5), "[dropout] the rate must lie in [0, 1], got 1.5",
                       ag::Error);
}

TEST_CASE(
    "attention: memory grows with the tokens, not with their square, with dropout as without") {
  for (double p : {0., .1}) {
    const auto bytes = [&](Size tokens) {
      ag::pool::trim();
      {
        ag::Tape<float> tape(training);
        const auto x = tape.input(noise<float>({1, tokens, 2, 8}, 1), {.gradient = true});
        (void)ag::grad(ag::sum(ag::attention_by_head(x, x, x, {.dropout = p})), x);
      }
      return double(ag::pool::statistics().cached_bytes);  // all that was used at one time
    };
    const double some = bytes(512), more = bytes(2048);
    CAPTURE(some);
    CHECK(more < 4.5 * some);
  }
}
