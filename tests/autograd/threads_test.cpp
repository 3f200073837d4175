// What several threads may do at once: tapes of their own over shared parameters.
#include <thread>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/tape.hpp>
#include <axisgrad/nn/parameter.hpp>

using namespace axisgrad;

namespace {

Parameter<double> parameter(const Tensor<double>& value) {
  Parameter<double> p(value.shape());
  p.set_value(value);
  return p;
}

}  // namespace

TEST_CASE("inference: many threads with one set of parameters") {
  const auto w = parameter(Tensor<double>({16, 16}, .1));
  const Tensor<double> x({4, 16}, 2.);
  const auto infer = [&] {
    Tape<double> tape;
    return tanh(matmul(tape.input(x), tape.watch(w))).value();
  };
  const Tensor<double> expected = infer();
  std::vector<std::thread> threads;
  std::vector<char> right(4, false);
  for (char& r : right)
    threads.emplace_back([&] {
      bool all = true;
      for (int i = 0; i < 200; ++i) all = all && same_bits(infer(), expected);
      r = all;
    });
  for (auto& t : threads) t.join();
  for (char r : right) CHECK(r);
}

TEST_CASE("tapes in several threads, gradients at once: grad() writes to no parameter") {
  const auto w = parameter(Tensor<double>({1}, 3.));
  std::vector<std::thread> threads;
  std::vector<double> slopes(4);
  for (double& slope : slopes)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        Tape<double> tape;
        slope = grad<double>(sum(square(tape.watch(w))), std::vector{&w})[0].item();
      }
    });
  for (auto& t : threads) t.join();
  for (double slope : slopes) CHECK(slope == 6);
}
