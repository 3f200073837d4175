// Lesson 9: attention over time and attention over variables of one (100,4,12) input.
//
// You learn what the axis of multi-head attention decides: who the tokens are. The same 100 samples
// of 4 steps and 12 variables go through MultiHeadAttention twice, once with steps as tokens, once
// with variables. So that there is something to be seen, each is trained to copy: step t is to
// become another step, variable v another variable, and the matrix of weights has to say which. A
// token does not know its own position: an embedding tells it, added to what queries and keys are
// made of, while the values stay x alone.
#include <cstdlib>

#include <fmt/core.h>

#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/position.hpp>

#include "common/gradients.hpp"
#include "common/lesson.hpp"
#include "common/matrix_picture.hpp"
#include "common/planted_matrix.hpp"
#include "common/results.hpp"
#include "common/training.hpp"

namespace ag = axisgrad;

namespace {

constexpr ag::Size steps = 4, variables = 12;

// x (B,4,12) -> (B,4,12), tokens along the axis.
struct Model {
  using scalar = float;
  ag::PositionEmbedding<float> identity;
  ag::MultiHeadAttention<float> attention;

  Model(ag::Axis axis, ag::Size tokens, ag::Size size)
      : identity({.axis = axis, .positions = tokens, .size = size}),
        attention({.num_heads = 2, .key_dim = 16, .axis = axis, .embed_size = size}) {}

  auto operator()(const auto& x) const {
    const auto named = identity(x);
    return attention(named, named, x);
  }
  auto with_weights(const auto& x) const {
    const auto named = identity(x);
    return attention.with_weights(named, named, x);
  }
  void visit(auto&& visitor) { visitor("identity", identity), visitor("attention", attention); }
};

struct Finding {
  lesson::SeedMatrices maps;
  ag::Shape weights{}, out{};  // of the 100 samples
  double off_one = 0;
  bool right = true;
};

Finding attend(ag::Axis axis, const lesson::Sources& source, lesson::BlockResult& result,
               const lesson::Options& options) {
  const lesson::Clock clock;
  const ag::Size tokens = axis == ag::Axis::time ? steps : variables,
                 size = steps * variables / tokens;
  ag::MultiHeadAttention<double> small(
      {.num_heads = 2, .key_dim = 3, .axis = axis, .embed_size = axis == ag::Axis::time ? 5 : 4});
  ag::initialise(ag::parameters(small), 1);
  const auto checked = lesson::check_gradients(
      result.name, [&](const auto& x) { return small.with_weights(x); },
      lesson::normal_values({2, 4, 5}));
  Finding finding{.maps = {source}, .right = checked.right};
  const int seeds = options.quick ? 2 : 5;
  for (int s = 1; s <= seeds; ++s) {
    const auto seed = static_cast<std::uint64_t>(s);
    Model model(axis, tokens, size);
    const auto data = lesson::copy_task({2'000, steps, variables}, axis, source, seed);
    const auto losses =
        lesson::train(model, ag::mse, data,
                      {.epochs = std::getenv("EP") ? atoi(std::getenv("EP")) : 30,
                       .learning_rate = std::getenv("LR") ? atof(std::getenv("LR")) : 1e-2,
                       .seed = seed});
    const auto x = lesson::copy_task({100, steps, variables}, axis, source, 1'000 + seed).x;
    const auto attended = model.with_weights(ag::constant(x));
    finding.maps.add(attended.weights.value());
    finding.weights = attended.weights.shape(), finding.out = attended.out.shape();
    finding.off_one = std::max(finding.off_one, lesson::off_one(attended.weights.value(), -1));
    result.loss_first += losses.first / seeds, result.loss_last += losses.last / seeds;
    result.parameters = ag::count(ag::parameters(model.attention));
  }
  result.gradcheck_max_rel_error = checked.first_order;
  result.gradcheck_second_order_max_rel_error = checked.second_order;
  result.planted_mass = finding.maps.weight();
  result.found = finding.maps.found(), result.seeds = seeds;
  result.seconds = clock.seconds();
  fmt::print(
      "  loss {:.4f} -> {:.4f}; planted cells {:.3f}, uniform {:.3f}, found in {} of {} seeds\n",
      result.loss_first, result.loss_last, result.planted_mass, finding.maps.uniform(),
      result.found, seeds);
  return finding;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Attention over time and over variables", [](const auto& options) {
    std::vector<lesson::BlockResult> rows{{"MultiHeadAttention over time", 1},
                                          {"MultiHeadAttention over variables", 2}};
    lesson::Sources other_variable(variables);
    for (ag::Size v = 0; v < variables; ++v)
      other_variable[static_cast<std::size_t>(v)] = (v + 5) % variables;
    const Finding time = attend(ag::Axis::time, {2, 0, 3, 1}, rows[0], options),
                  feature = attend(ag::Axis::feature, other_variable, rows[1], options);
    lesson::write(options.out / "09_attention_axes.json", rows);
    return true;
  });
}
