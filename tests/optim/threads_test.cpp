// Training in several threads at once, each with a model of its own.
#include <thread>

#include <doctest/doctest.h>

#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/optim/adam.hpp>

#include "line.hpp"

namespace {

struct Model {
  using scalar = float;
  ag::TimeAttentionBlock<float> attention{6};
  ag::LSTM<float> lstm{{.inputs = 3, .units = 5, .dropout = .2}};
  Dense<float> head{5, 1};

  auto operator()(const auto& x) const { return head(lstm(attention(x)).last()); }
  void visit(auto&& visitor) {
    visitor("attention", attention), visitor("lstm", lstm), visitor("head", head);
  }
};

// All values after three epochs.
std::vector<Tensor<float>> trained(std::uint64_t seed) {
  Tensor<float> x({40, 6, 3}), y({40, 1});
  for (Size i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = static_cast<float>(std::sin(1.7 * static_cast<double>(i)));
  for (Size i = 0; i < 40; ++i) y.mutable_data()[i] = x(i, 4, 1);
  Model model;
  const auto parameters = ag::parameters(model);
  ag::initialise(parameters, seed);
  ag::Adam<float> adam{{.learning_rate = 1e-2}};
  (void)ag::fit(model, parameters, adam, ag::mse, Dataset<float>{x, y},
                {.epochs = 3, .batch_size = 8, .seed = seed, .verbose = silent});
  std::vector<Tensor<float>> values;
  for (const auto* p : parameters) values.push_back(p->value());
  return values;
}

}  // namespace

TEST_CASE("eight threads, each training a model, give the bits of one after the other") {
  constexpr std::size_t n = 8;
  std::vector<std::vector<Tensor<float>>> together(n);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < n; ++k)
    threads.emplace_back([&together, k] { together[k] = trained(k + 1); });
  for (auto& t : threads) t.join();
  for (std::size_t k = 0; k < n; ++k) {
    const auto alone = trained(k + 1);
    REQUIRE(alone.size() == together[k].size());
    for (std::size_t i = 0; i < alone.size(); ++i) CHECK(ag::same_bits(alone[i], together[k][i]));
  }
  CHECK(!ag::same_bits(together[0][0], together[1][0]));
}
