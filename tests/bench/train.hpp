// Training steps of a model: forward, loss, backward, Adam, the loss read back.
#pragma once
#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/optim/adam.hpp>

#include "measure.hpp"

namespace bench {

namespace ag = axisgrad;
using ag::Shape;
using ag::Size;

/// What a line of the output tells.
struct Figure {
  double us = 0;
  std::optional<double> loss_first{}, loss_last{};
  std::optional<Size> parameters{};
};

enum class Values { normal, uniform, flags };  // flags: 0 or 1

template <ag::Scalar T = float>
ag::Tensor<T> random(const Shape& shape, Values values, std::uint64_t key) {
  const ag::RandomStream stream(key);
  ag::Tensor<T> x(shape);
  T* to = x.mutable_data();
  for (Size i = 0; i < x.size(); ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    to[i] = static_cast<T>(values == Values::normal    ? stream.normal(n)
                           : values == Values::uniform ? stream.uniform(n)
                                                       : double(stream.uniform(n) < .5));
  }
  return x;
}

/// A batch: the inputs' shapes, the target's, and how their values are drawn.
template <std::size_t Inputs>
struct Data {
  std::array<Shape, Inputs> x;
  Shape y;
  Values x_values = Values::normal, y_values = Values::normal;
};

/// A model in training on batches that lie in memory, used in turn.
template <class Model, class Loss, std::size_t Inputs, std::size_t Batches = 16>
class Training {
  using T = typename Model::scalar;

 public:
  Training(Model& model, const Loss& loss, const Data<Inputs>& data)
      : model_(model), loss_(loss), parameters_(ag::parameters(model)) {
    ag::initialise(parameters_, 7);
    adam_.bind(parameters_);
    std::uint64_t key = 1;
    for (auto& [inputs, target] : batches_) {
      for (std::size_t k = 0; k < Inputs; ++k)
        inputs[k] = random<T>(data.x[k], data.x_values, key++);
      target = random<T>(data.y, data.y_values, key++);
    }
  }

  void step() {
    const Batch& batch = batches_[steps_++ % batches_.size()];
    ag::zero_gradients(parameters_);
    tape_.options().step = steps_;
    const ag::Var<T> loss =
        loss_(std::apply([&](const auto&... x) { return model_(tape_.input(x)...); }, batch.inputs),
              tape_.input(batch.target));
    last_ = loss.item();
    if (steps_ == 1) first_ = last_;
    ag::backward(loss);
    adam_.step();
  }
  /// 100 steps, timed op by op.
  void profile(std::ostream& out) {
    ag::Profile profile;
    tape_.profile(&profile);
    for (int i = 0; i < 100; ++i) profile.start(), step();
    tape_.profile(nullptr);
    out << profile;
  }
  Figure figure(double us) const { return {us, first_, last_, ag::count(parameters_)}; }

 private:
  struct Batch {
    std::array<ag::Tensor<T>, Inputs> inputs;
    ag::Tensor<T> target;
  };
  Model& model_;
  const Loss& loss_;
  ag::Parameters<T> parameters_;
  ag::Adam<T> adam_{{.learning_rate = 1e-3}};
  ag::Tape<T> tape_{{.training = true, .seed = 7}};
  std::array<Batch, Batches> batches_;
  std::uint64_t steps_ = 0;
  double first_ = 0, last_ = 0;
};

}  // namespace bench
