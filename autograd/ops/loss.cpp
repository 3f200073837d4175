// Losses: a pointwise formula, then a mean or a sum.
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/ops/reduced.hpp>

namespace axisgrad {
namespace {

using detail::reduced;

// No broadcasting here: (B) against (B,1) would silently compare every prediction with every
// target.
template <class Formula, Scalar T>
Var<T> loss(std::string_view name, const Var<T>& p, const Var<T>& t, LossOptions options) {
  if (p.shape() != t.shape())
    fail(name, "prediction and target differ in shape: got ", p.shape(), " and ", t.shape());
  return reduced(pointwise<Formula>(p, t), options.reduction);
}

struct mse_op {
  static constexpr std::string_view name = "mse";
  static std::vector<Sample> samples() {
    return {sample("mean", {{{2, 3, 5}}, {{2, 3, 5}}}, [](auto x) { return mse(x[0], x[1]); }),
            sample("sum", {{{4, 1, 3}}, {{4, 1, 3}}},
                   [](auto x) { return mse(x[0], x[1], {Reduction::sum}); }),
            sample("none", {{{2, 3}}, {{2, 3}}},
                   [](auto x) { return mse(x[0], x[1], {Reduction::none}); })};
  }
};
struct mae_op {
  static constexpr std::string_view name = "mae";
  static std::vector<Sample> samples() {
    return {sample("mean", {{{2, 1, 5}, {-3, 3, 0, true}}, {{2, 1, 5}, {-.7, .7, .3}}},
                   [](auto x) { return mae(x[0], x[1]); })};
  }
};
struct binary_crossentropy_op {
  static constexpr std::string_view name = "binary_crossentropy";
  static std::vector<Sample> samples() {
    return {sample("mean", {{{2, 3, 1}, {.05, .95}}, {{2, 3, 1}, {0, 1}}},
                   [](auto x) { return binary_crossentropy(x[0], x[1]); })};
  }
};
struct binary_crossentropy_from_logits_op {
  static constexpr std::string_view name = "binary_crossentropy_from_logits";
  static std::vector<Sample> samples() {
    return {sample("mean", {{{2, 3, 1}, {-3, 3, .1}}, {{2, 3, 1}, {0, 1}}},
                   [](auto x) { return binary_crossentropy_from_logits(x[0], x[1]); })};
  }
};

struct huber_op {
  static constexpr std::string_view name = "huber";
  static std::vector<Sample> samples() {
    return {sample("mean", {{{2, 3, 5}}, {{2, 3, 5}}},
                   [](auto x) { return huber(x[0], x[1], {.delta = 1.5}); }),
            sample("none", {{{4, 1}}, {{4, 1}}},
                   [](auto x) { return huber(x[0], x[1], {.reduction = Reduction::none}); })};
  }
};

}  // namespace

template <Scalar T>
Var<T> losses::Mse::of(const Var<T>& p, const Var<T>& t, LossOptions options) {
  return loss<formulas::squared_error_op>(name, p, t, options);
}
template <Scalar T>
Var<T> losses::Mae::of(const Var<T>& p, const Var<T>& t, LossOptions options) {
  return loss<formulas::absolute_error_op>(name, p, t, options);
}
template <Scalar T>
Var<T> losses::BinaryCrossentropy::of(const Var<T>& p, const Var<T>& t, LossOptions options) {
  detail::require_probabilities(t, name);
  return loss<formulas::cross_entropy_op>(name, p, t, options);
}
template <Scalar T>
Var<T> losses::BinaryCrossentropyFromLogits::of(const Var<T>& p, const Var<T>& t,
                                                LossOptions options) {
  detail::require_probabilities(t, name);
  return loss<formulas::cross_entropy_from_logit_op>(name, p, t, options);
}
template <Scalar T>
Var<T> losses::Huber::of(const Var<T>& p, const Var<T>& t, HuberOptions options) {
  if (p.shape() != t.shape())
    fail(name, "prediction and target differ in shape: got ", p.shape(), " and ", t.shape());
  if (!(options.delta > 0)) fail(name, "delta must be positive, got ", options.delta);
  const Var<T> delta(static_cast<T>(options.delta));
  return reduced(pointwise<formulas::huber_op>(p, t, delta), options.reduction);
}

std::vector<OpEntry> loss_family() {
  return family<mse_op, mae_op, binary_crossentropy_op, binary_crossentropy_from_logits_op,
                huber_op>();
}

template Var<float> losses::Mse::of(const Var<float>&, const Var<float>&, LossOptions);
template Var<double> losses::Mse::of(const Var<double>&, const Var<double>&, LossOptions);
template Var<float> losses::Mae::of(const Var<float>&, const Var<float>&, LossOptions);
template Var<double> losses::Mae::of(const Var<double>&, const Var<double>&, LossOptions);
template Var<float> losses::Huber::of(const Var<float>&, const Var<float>&, HuberOptions);
template Var<double> losses::Huber::of(const Var<double>&, const Var<double>&, HuberOptions);
template Var<float> losses::BinaryCrossentropy::of(const Var<float>&, const Var<float>&,
                                                   LossOptions);
template Var<double> losses::BinaryCrossentropy::of(const Var<double>&, const Var<double>&,
                                                    LossOptions);
template Var<float> losses::BinaryCrossentropyFromLogits::of(const Var<float>&, const Var<float>&,
                                                             LossOptions);
template Var<double> losses::BinaryCrossentropyFromLogits::of(const Var<double>&,
                                                              const Var<double>&, LossOptions);

}  // namespace axisgrad
