// Prints a checksum of the bits of values and gradients over a spread of ops, at sizes below and
// above those where the kernels go parallel. tests/checks/threads.sh and clang.sh compare the lines
// of two runs. --arch prints the architecture in use.
#include <cstdint>
#include <cstring>
#include <exception>
#include <iomanip>
#include <iostream>
#include <string>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/kernels/table.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/optim/adam.hpp>

using namespace axisgrad;

namespace {

// FNV-1a
template <Scalar T>
std::uint64_t checksum(std::uint64_t sum, const Tensor<T>& x) {
  for (T v : x.values()) {
    unsigned char bytes[sizeof v];
    std::memcpy(bytes, &v, sizeof v);
    for (unsigned char b : bytes) sum = (sum ^ b) * 0x100000001b3u;
  }
  return sum;
}

// In [-1, 1), by integer arithmetic alone.
template <Scalar T>
Tensor<T> numbers(const Shape& shape, std::uint32_t seed) {
  Tensor<T> x(shape);
  T* at = x.mutable_data();
  for (Size i = 0; i < x.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    at[i] = static_cast<T>(static_cast<std::int32_t>(seed) >> 8) / T(1 << 23);
  }
  return x;
}

template <Scalar T, class F>
void print(const std::string& name, std::initializer_list<Shape> shapes, F f) {
  Tape<T> tape;
  std::vector<Var<T>> xs;
  for (const Shape& s : shapes)
    xs.push_back(
        tape.input(numbers<T>(s, 7 + static_cast<std::uint32_t>(xs.size())), {.gradient = true}));
  const Var<T> y = f(xs);
  std::uint64_t sum = checksum(0xcbf29ce484222325u, y.value());
  for (const auto& g :
       grad<T>(std::vector{y}, xs, {.cotangents = {constant(numbers<T>(y.shape(), 99))}}))
    sum = checksum(sum, g.value());
  std::cout << name << (sizeof(T) == 4 ? " float " : " double ") << std::hex << std::setw(16)
            << std::setfill('0') << sum << '\n';
}

// A training of a few steps: attention, LSTM and a dense layer, at a batch that goes parallel.
template <Scalar T>
void print_training() {
  TimeAttentionBlock<T> attention{16};
  LSTM<T> lstm{{.inputs = 8, .units = 64}};
  Dense<T> head{64, 1};
  const auto list = parameters(attention, lstm, head);
  initialise(list, 7);
  Adam<T> adam{{.learning_rate = T(.01)}};
  adam.bind(list);
  const Tensor<T> x = numbers<T>({1024, 16, 8}, 3), target = numbers<T>({1024, 1}, 4);
  Tape<T> tape({.training = true});
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (int step = 0; step < 5; ++step) {
    zero_gradients(list);
    const Var<T> loss = mse(head(lstm(attention(tape.input(x))).last()), Var<T>(target));
    sum = checksum(sum, loss.value());
    backward(loss);
    adam.step();
  }
  for (const auto* p : list) sum = checksum(sum, p->value());
  std::cout << "training" << (sizeof(T) == 4 ? " float " : " double ") << std::hex << std::setw(16)
            << std::setfill('0') << sum << '\n';
}

template <Scalar T>
void print_all() {
  for (Size n : {Size(1000), Size(1) << 20}) {
    const std::string size = std::to_string(n) + ' ';
    // In which order a compiler calls the operands of + is its own affair, and so is the order in
    // which gradients of one x are then summed: a statement for each use.
    print<T>(size + "exp, tanh, sigmoid", {{n}}, [](auto& x) {
      const auto a = exp(x[0]), b = tanh(x[0]), c = sigmoid(x[0]);
      return a * b + c;
    });
    print<T>(size + "log, sqrt, log1p", {{n}}, [](auto& x) {
      const auto a = log(square(x[0]) + 1), b = sqrt(abs(x[0]) + T(.1)), c = log1p(abs(x[0]));
      return a + b + c;
    });
    print<T>(size + "binary_crossentropy", {{n}},
             [](auto& x) { return binary_crossentropy_from_logits(x[0], sigmoid(x[0])); });
    print<T>(size + "broadcast rows", {{n / 50, 50}, {50}},
             [](auto& x) { return x[0] * x[1] - x[0] / (square(x[1]) + 1); });
    print<T>(size + "broadcast columns", {{n / 50, 50}, {n / 50, 1}},
             [](auto& x) { return x[0] * x[1]; });
    print<T>(size + "sum", {{n}}, [](auto& x) { return sum(x[0]); });
    print<T>(size + "sum rows", {{n / 50, 50}}, [](auto& x) { return sum(x[0], 1); });
    print<T>(size + "mean columns", {{n / 50, 50}}, [](auto& x) { return mean(x[0], 0); });
    print<T>(size + "max", {{n / 50, 50}}, [](auto& x) { return max(x[0], 0) + max(x[0]); });
    print<T>(size + "softmax last", {{n / 50, 50}}, [](auto& x) { return softmax(x[0], -1); });
    print<T>(size + "softmax inner", {{n / 500, 10, 50}}, [](auto& x) { return softmax(x[0], 1); });
    print<T>(size + "transpose, slice, concat", {{n / 500, 10, 50}}, [](auto& x) {
      const auto t = swap_axes(x[0], 0, 2);
      return concat(std::vector{t, slice(t, {.axis = 1, .begin = 2, .step = 3})}, 1);
    });
  }
  for (Size n : {Size(20), Size(320)}) {
    const std::string size = std::to_string(n) + ' ';
    print<T>(size + "matmul", {{n, n + 3}, {n + 3, n + 1}},
             [](auto& x) { return matmul(x[0], x[1]); });
    print<T>(size + "matmul transposed", {{n + 3, n}, {n + 1, n + 3}}, [](auto& x) {
      return matmul(x[0], x[1], {true, true});
    });
    print<T>(size + "matmul batch", {{n, 17, 30}, {n, 30, 9}},
             [](auto& x) { return matmul(x[0], x[1]); });
    print<T>(size + "matmul long inner", {{9, n * n}, {n * n, 5}},
             [](auto& x) { return matmul(x[0], x[1]); });
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 1 && std::string(argv[1]) == "--arch") {
    std::cout << kernels::arch() << '\n';
    return 0;
  }
  print_all<float>();
  print_all<double>();
  print_training<float>();
  print_training<double>();
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
