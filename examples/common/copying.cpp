#include "copying.hpp"

#include <algorithm>

#include <fmt/core.h>

#include <axisgrad/nn/position.hpp>

#include "gradients.hpp"
#include "training.hpp"

namespace ag = axisgrad;

namespace lesson {
namespace {

bool over_time(const CopyTask& task) { return task.axis == ag::Axis::time; }

// x (B, steps, variables) -> the same layout, tokens along the axis of the task.
// x enters queries and keys at a quarter, so that it does not drown who the token is.
struct Model {
  using scalar = float;
  ag::PositionEmbedding<float> identity;
  ag::MultiHeadAttention<float> attention;
  ag::Tensor<double> mask;

  explicit Model(const CopyTask& task)
      : identity({.axis = task.axis,
                  .positions = over_time(task) ? task.steps : task.variables,
                  .size = over_time(task) ? task.variables : task.steps}),
        attention(filled(task)),
        mask(task.mask) {}

  template <ag::Scalar U>
  ag::Var<U> operator()(const ag::Var<U>& x) const {
    const auto named = identity(x * U(.25));
    return attention(named, named, x, masks<U>());
  }
  template <ag::Scalar U>
  ag::Attended<U> with_weights(const ag::Var<U>& x) const {
    const auto named = identity(x * U(.25));
    return attention.with_weights(named, named, x, masks<U>());
  }
  void visit(auto&& visitor) { visitor("identity", identity), visitor("attention", attention); }

 private:
  static ag::MultiHeadAttentionOptions filled(const CopyTask& task) {
    auto o = task.attention;
    o.axis = task.axis;
    o.embed_size = over_time(task) ? task.variables : task.steps;
    return o;
  }
  template <ag::Scalar U>
  ag::AttentionMasks<U> masks() const {
    if (mask.empty()) return {};
    return {.mask = ag::Var<U>(ag::Tensor<U>(mask))};
  }
};

// The answer to x: copied tokens, times a fixed matrix when the width is to be another one.
ag::Dataset<float> data_for(const CopyTask& task, ag::Size samples, std::uint64_t seed) {
  auto data = copy_task({samples, task.steps, task.variables}, task.axis, task.source, seed);
  if (const ag::Size width = task.attention.output_dim; width > 0) {
    const auto map = normal_values<float>({task.variables, width}, 99);
    data.y = (ag::matmul(ag::constant(data.y), ag::constant(map)) /
              std::sqrt(static_cast<float>(task.variables)))
                 .value();
  }
  return data;
}

double largest_where_masked(const ag::Tensor<float>& weights, const ag::Tensor<double>& mask) {
  if (mask.empty()) return 0;
  return static_cast<double>(
      ag::max(ag::constant(weights) * (1 - ag::constant(ag::Tensor<float>(mask)))).item());
}

}  // namespace

Copied learn_to_copy(const CopyTask& task, const Options& options) {
  const Clock clock;
  Copied copied{.maps = {task.source}};
  BlockResult& row = copied.row;
  row.name = "MultiHeadAttention", row.seed_system = task.seed_system;
  {
    Model model(task);
    ag::initialise(ag::parameters(model), 1);
    // Dropout is active: the masks of equal recordings are equal.
    const auto checked = check_gradients(
        fmt::format("seed {}", task.seed_system),
        [&](const auto& x) { return model.with_weights(x); },
        normal_values({2, task.steps, task.variables}),
        ag::GradcheckOptions{.recording = {.training = true, .seed = 1}});
    copied.gradients_right = checked.right;
    row.gradcheck_max_rel_error = checked.first_order;
    row.gradcheck_second_order_max_rel_error = checked.second_order;
    row.parameters = ag::count_parameters(model.attention);
  }
  row.seeds = options.quick ? 2 : 5;
  for (int s = 1; s <= row.seeds; ++s) {
    const auto seed = static_cast<std::uint64_t>(s);
    Model model(task);
    const auto losses = train(model, ag::mse, data_for(task, 2'000, seed),
                              {.epochs = task.epochs, .learning_rate = 1e-2, .seed = seed});
    const auto attended = model.with_weights(ag::constant(data_for(task, 100, 1'000 + seed).x));
    const auto& weights = attended.weights.value();
    copied.maps.add(weights);
    copied.weights = weights.shape(), copied.out = attended.out.shape();
    copied.off_one = std::max(copied.off_one, off_one(weights, -1));
    copied.largest_masked =
        std::max(copied.largest_masked, largest_where_masked(weights, task.mask));
    row.loss_first += losses.first / row.seeds, row.loss_last += losses.last / row.seeds;
  }
  row.planted_mass = copied.maps.weight(), row.found = copied.maps.found();
  row.seconds = clock.seconds();
  fmt::print(
      "  loss {:.4f} -> {:.4f}; weight of the right cells {:.3f}, uniform {:.3f}; every row "
      "right in {} of {} seeds\n",
      row.loss_first, row.loss_last, row.planted_mass, copied.maps.uniform(), row.found, row.seeds);
  return copied;
}

}  // namespace lesson
