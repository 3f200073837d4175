// summary(), tied and frozen parameters.
#include <sstream>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/dropout.hpp>
#include <axisgrad/nn/flatten.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/sequential.hpp>
#include <axisgrad/nn/summary.hpp>
#include <axisgrad/optim/sgd.hpp>

#include "../autograd/differences.hpp"

namespace ag = axisgrad;
using ag::Shape, ag::Size, ag::Tensor;
using ag::tests::noise;
using V = ag::Var<double>;

namespace {

std::string printed(const ag::Summary& s) {
  std::ostringstream out;
  out << s;
  return out.str();
}

// Encodes and decodes with one kernel.
struct Tied {
  using scalar = double;
  ag::Dense<double> encoder{3, 2};
  ag::Parameter<double> scale{Shape{2}, ag::Init::ones};

  V operator()(const V& x) const {
    const V code = encoder(x) * ag::watch(scale, x);
    return ag::matmul(code, ag::watch(encoder.kernel, x), {.transpose_b = true});
  }
  void visit(auto&& visitor) {
    visitor("encoder", encoder);
    visitor("scale", scale);
    visitor("decoder_kernel", encoder.kernel);
  }
};

struct Attentive {
  using scalar = double;
  ag::MultiHeadAttention<double> attention{{.num_heads = 2, .key_dim = 3, .embed_size = 4}};
  ag::Dense<double> head{4, 1};

  void visit(auto&& visitor) { visitor("attention", attention), visitor("head", head); }
};

}  // namespace

TEST_CASE(
    "summary of a Sequential with an example input: every layer, its output, its parameters") {
  ag::Sequential model(
      ag::sequence(ag::LSTM<float>({.inputs = 4, .units = 32})), ag::Dropout(.1), ag::Flatten{},
      [](const auto& x) { return ag::relu(x); }, ag::Dense<float>(320, 1));
  ag::initialise(ag::parameters(model), 1);
  CHECK(printed(ag::summary(model, Tensor<float>({2, 10, 4}, 0.f))) ==
        "layer        output shape  parameters                 count\n"
        "-----------------------------------------------------------\n"
        "0 (LSTM)     (2,10,32)     kernel (4,128)             4,736\n"
        "                           recurrent_kernel (32,128)\n"
        "                           bias (128)\n"
        "1 (Dropout)  (2,10,32)                                    0\n"
        "2 (Flatten)  (2,320)                                      0\n"
        "3 (lambda)   (2,320)                                      0\n"
        "4 (Dense)    (2,1)         kernel (320,1)               321\n"
        "                           bias (1)\n"
        "-----------------------------------------------------------\n"
        "total 5,057 parameters (19.75 KB): 5,057 trainable, 0 frozen\n");
}

TEST_CASE("summary: a tied parameter counts once, a frozen one on its own") {
  Tied model;
  model.encoder.bias.set_trainable(false);
  const auto s = ag::summary(model);
  CHECK(printed(s) ==
        "layer            parameters                   count\n"
        "---------------------------------------------------\n"
        "Tied             scale (2)                        2\n"
        "                 decoder_kernel (3,2) shared\n"
        "encoder (Dense)  kernel (3,2)                     8\n"
        "                 bias (2) frozen\n"
        "---------------------------------------------------\n"
        "total 10 parameters (80 B): 8 trainable, 2 frozen\n");
  CHECK(s.rows[0].count() == 2);
}

TEST_CASE("summary of parameters, by the path of their module") {
  Attentive model;
  const auto by_list = ag::summary(ag::parameters(model));
  REQUIRE(by_list.rows.size() == 5);
  CHECK(by_list.rows[0].path == "attention.query");
  CHECK(by_list.rows[0].count() == 4 * 6 + 6);
  CHECK(by_list.rows[4].path == "head");
  const auto by_module = ag::summary(model);
  CHECK(by_module.rows[0].type == "Projection");
  CHECK(by_module.total() == by_list.total());
  CHECK(by_module.bytes == 8 * by_list.total());
  const auto alone = ag::summary(model.head);
  REQUIRE(alone.rows.size() == 1);
  CHECK(alone.rows[0].type == "Dense");
  CHECK(alone.rows[0].path == "");
}

TEST_CASE("a tied parameter is listed once and gets the gradient of both its uses") {
  Tied model;
  const auto list = ag::parameters(model);
  REQUIRE(list.size() == 3);
  CHECK(list[0]->name() == "encoder.kernel");
  ag::initialise(list, 1);
  const auto x = noise<double>({5, 3}, 1);
  ag::Tape<double> tape;
  ag::backward(ag::sum(ag::square(model(tape.input(x)))));
  // The same with two leaves in its place.
  ag::Tape<double> apart;
  const V k1 = apart.input(model.encoder.kernel.value(), {.gradient = true}),
          k2 = apart.input(model.encoder.kernel.value(), {.gradient = true});
  const V code = (ag::matmul(V(x), k1) + V(model.encoder.bias.value())) * V(model.scale.value());
  const auto g = ag::grad(ag::sum(ag::square(ag::matmul(code, k2, {.transpose_b = true}))),
                          std::vector{k1, k2});
  CHECK(ag::tests::distance(model.encoder.kernel.grad(), (g[0] + g[1]).value()) < 1e-12);
}

TEST_CASE("a frozen parameter gets no gradient and does not move; thawed it does") {
  ag::Dense<double> layer(3, 2);
  const auto list = ag::parameters(layer);
  ag::initialise(list, 1);
  const auto before = layer.kernel.value();
  ag::SGD<double> sgd{{.learning_rate = .1, .weight_decay = .5}};
  sgd.bind(list);
  const auto train = [&] {
    ag::Tape<double> tape;
    ag::zero_gradients(list);
    ag::backward(ag::sum(ag::square(layer(tape.input(noise<double>({4, 3}, 1))) - V(1.))));
    sgd.step();
  };
  layer.kernel.set_trainable(false);
  train();
  CHECK(layer.kernel.grad().empty());
  CHECK(ag::same_bits(layer.kernel.value(), before));
  CHECK(ag::max(ag::abs(V(layer.bias.value()))).item() > 0);
  layer.kernel.set_trainable(true);
  train();
  CHECK(!ag::same_bits(layer.kernel.value(), before));
}

TEST_CASE("count_parameters: each once, and names stay") {
  ag::Dense<double> first{3, 2};
  Tied tied;
  const auto named = ag::parameters(first);
  CHECK(named[0]->name() == "kernel");
  const auto all = ag::parameters(first, tied);
  CHECK(named[0]->name() == "0.kernel");
  CHECK(ag::count_parameters(first) == 8);
  CHECK(ag::count_parameters(first, tied) == ag::count(all));
  CHECK(ag::count_parameters(first, first) == 8);
  CHECK(named[0]->name() == "0.kernel");
}
