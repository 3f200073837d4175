// The training loop, and its relatives that only look: evaluate and predict.
//
//   auto history = fit(model, parameters, adam, mse, data, {.epochs = 5, .batch_size = 64});
//
// `model` is any callable Var... -> Var, `data` a Dataset or another source of samples. The same
// seed gives the same bits, however many threads there are.
#pragma once
#include <algorithm>
#include <numeric>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/nn/data/dataset.hpp>
#include <axisgrad/nn/losses.hpp>
#include <axisgrad/optim/clip.hpp>
#include <axisgrad/optim/fit_loop.hpp>

namespace axisgrad {

/// Where fit() stands besides parameters and optimizer: hand it in to go on from there, visit it
/// for a checkpoint. A training that goes on in the middle of an epoch shows the mean loss over the
/// rest of that epoch.
template <Scalar T>
class FitState : public FitPosition {
 public:
  explicit FitState(const Parameters<T>& parameters) : parameters_(parameters) { keep_best(); }

  /// Those of FitPosition, then "best.<parameter>": the values of the best epoch.
  void visit(auto&& visitor) {
    FitPosition::visit(visitor);
    for (std::size_t k = 0; k < best_.size(); ++k)
      visitor("best." + parameters_[k]->name(), best_[k]);
  }
  /// Shares the buffers of the values: a copy is made when the optimizer writes next.
  void keep_best() {
    best_.clear();
    for (const Parameter<T>* p : parameters_) best_.push_back(p->value());
  }
  void restore_best() const {
    for (std::size_t k = 0; k < best_.size(); ++k) parameters_[k]->set_value(best_[k]);
  }

 private:
  Parameters<T> parameters_;
  std::vector<Tensor<T>> best_;
};

struct EvaluateOptions {
  Size batch_size = 256;
  std::vector<Metric> metrics{};
};

struct Evaluation {
  double loss = 0;  // mean over the samples
  std::vector<double> metrics{};
};

struct PredictOptions {
  Size batch_size = 256;
};

namespace detail {

/// f(indices) for first, first + 1, ... before last, batch by batch.
template <class F>
void for_batches(std::string_view where, Size first, Size last, Size batch_size, const F& f) {
  if (batch_size < 1) fail(where, "batch_size must be at least 1, got ", batch_size);
  if (first >= last) fail(where, "the data has no samples");
  std::vector<Size> indices(static_cast<std::size_t>(std::min(batch_size, last - first)));
  for (; first < last; first += batch_size) {
    indices.resize(static_cast<std::size_t>(std::min(batch_size, last - first)));
    std::iota(indices.begin(), indices.end(), first);
    f(std::span<const Size>(indices));
  }
}

template <Scalar T, class Model, class Batch>
Var<T> predict_batch(Model& model, const Batch& batch) {
  return batch.with_inputs(
      [&](const auto&... x) -> Var<T> { return model(constant(Tensor<T>(x))...); });
}

// A source of one's own need not know of sample weights.
template <Scalar T, class Batch>
Tensor<T> weights_of(const Batch& batch) {
  if constexpr (requires { batch.weights; })
    return batch.weights;
  else
    return {};
}

template <class Model, class L, class D>
Means evaluate_range(Model& model, const L& loss, const D& data, Size first, Size last,
                     Size batch_size, std::span<const Metric> metrics) {
  using T = typename D::scalar;
  Means means(metrics);
  for_batches("evaluate", first, last, batch_size, [&](std::span<const Size> indices) {
    const auto batch = data.gather(indices);
    const Var<T> p = predict_batch<T>(model, batch);
    means.add(
        static_cast<double>(batch_loss(loss, p, constant(batch.y), weights_of<T>(batch)).item()),
        p.value(), batch.y);
  });
  return means;
}

template <class D>
void require_usable(const D& data) {
  if constexpr (requires { data.require_consistent(); }) data.require_consistent();
  if constexpr (requires { data.require_finite(); }) data.require_finite();
}

template <Scalar T>
void require_usable(const Parameters<T>& parameters) {
  if (parameters.empty()) fail("fit", "there are no parameters to train");
  bool trainable = false;
  for (const Parameter<T>* p : parameters) {
    if (p->value().empty())
      fail("fit", "the parameter '", p->name(), "' has no value yet: call initialise()");
    trainable = trainable || p->trainable();
  }
  if (!trainable) fail("fit", "none of the ", parameters.size(), " parameters is trainable");
}

/// Notes parameters that the model used but the list lacks, and the other way round.
template <Scalar T>
void compare_with_list(const Tape<T>& tape, const Parameters<T>& parameters, FitLoop& loop) {
  for (const auto& leaf : tape.leaves()) {
    const auto listed = [&](const Parameter<T>* p) { return p->id() == leaf.cell->id; };
    if (!leaf.cell->trainable || std::any_of(parameters.begin(), parameters.end(), listed))
      continue;
    std::ostringstream text;
    text << "the model uses a parameter '" << leaf.cell->name << "' of shape " << leaf.var.shape()
         << " that is not in the list given to fit: it stays as it is";
    loop.note(text.str());
  }
  for (const Parameter<T>* p : parameters) {
    const auto used = [&](const auto& leaf) { return leaf.cell->id == p->id(); };
    const auto leaves = tape.leaves();
    if (std::none_of(leaves.begin(), leaves.end(), used))
      loop.note("the model never uses the parameter '" + p->name() +
                "' given to fit: it stays as it is");
  }
}

/// One training: what fit() was given, and the tape that all its steps reuse.
template <class Model, Scalar T, class O, class L, class D>
struct Trainer {
  Model& model;
  const Parameters<T>& parameters;
  O& optimizer;
  const L& loss;
  const D& data;
  const FitOptions& options;
  FitState<T>& state;
  FitLoop loop{options, data.samples(), state};
  Tape<T> tape{};
  bool compared = false;

  void step(std::span<const Size> indices) {
    const auto batch = data.gather(indices);
    tape.clear();
    tape.options() = {.training = true,
                      .seed = options.seed,
                      .step = static_cast<std::uint64_t>(state.step()),
                      .first_sample = loop.first_sample(),
                      .check_finite = options.check_finite};
    const Var<T> p =
        batch.with_inputs([&](const auto&... x) -> Var<T> { return model(tape.input(x)...); });
    const Var<T> value = batch_loss(loss, p, tape.input(batch.y), weights_of<T>(batch));
    require_loss(value);
    const double number = static_cast<double>(value.item());
    loop.require_finite(number, "the loss");
    zero_gradients(parameters);
    backward(value);
    if (options.clip_norm > 0)
      loop.require_finite(clip_by_global_norm(parameters, options.clip_norm,
                                              {.convention = options.clip_convention}),
                          "the norm of the gradients");
    else
      loop.require_finite(global_norm(parameters), "the norm of the gradients");
    if (options.clip_value > 0) clip_by_value(parameters, options.clip_value);
    if (options.schedule) optimizer.set_learning_rate(options.schedule(state.step()));
    optimizer.step();
    loop.means.add(number, p.value(), batch.y);
    loop.batch_done(number);
  }

  void require_loss(const Var<T>& value) {
    if (value.size() != 1)
      fail("fit", "the loss must be one number, got the shape ", value.shape());
    if (!std::exchange(compared, true)) compare_with_list(tape, parameters, loop);
    if (!value.has_gradient()) fail("fit", "the loss depends on no trainable parameter");
  }

  template <class V>
  History run(const V* validation) {
    while (loop.next_epoch()) {
      for (auto batch = loop.next_batch(); !batch.empty(); batch = loop.next_batch()) step(batch);
      if (loop.first_sample() < loop.training_samples()) break;  // interrupted
      EpochRow row;
      row.learning_rate = optimizer.learning_rate();
      if (validation)
        validate(row, *validation, 0, validation->samples());
      else if (loop.training_samples() < data.samples())
        validate(row, data, loop.training_samples(), data.samples());
      const double watched = row.validation_loss.value_or(loop.means.loss());
      if (options.plateau)
        optimizer.set_learning_rate((*options.plateau)(watched, row.learning_rate));
      const bool best = loop.epoch_done(std::move(row));
      if (best && options.early_stopping.restore_best) state.keep_best();
      if (options.on_epoch) options.on_epoch(loop.last_epoch());
    }
    if (options.early_stopping.restore_best && state.best_epoch() > 0 && !loop.interrupted())
      state.restore_best();
    return loop.finish();
  }

  template <class V>
  void validate(EpochRow& row, const V& source, Size first, Size last) {
    const Means means =
        evaluate_range(model, loss, source, first, last, options.batch_size, options.metrics);
    row.validation_loss = means.loss();
    row.validation_metrics = means.metrics();
  }
};

template <class Model, Scalar T, class O, class L, class D, class V>
History fit(Model& model, const Parameters<T>& parameters, O& optimizer, const L& loss,
            const D& data, const V* validation, const FitOptions& options, FitState<T>* state) {
  static_assert(std::same_as<T, typename D::scalar>,
                "fit: data and parameters must have one scalar type; train in double with "
                "Dense<double>, Dataset<double>, ...");
  require_usable(parameters);
  require_usable(data);
  if (validation) {
    require_usable(*validation);
    if (options.validation_fraction > 0)
      axisgrad::fail("fit",
                     "validation data and a validation_fraction were both given: choose one");
  }
  FitState<T> own(parameters);
  Trainer<Model, T, O, L, D> trainer{model, parameters, optimizer,           loss,
                                     data,  options,    state ? *state : own};
  optimizer.bind(parameters);
  return trainer.run(validation);
}

}  // namespace detail

/// Trains `parameters` by `optimizer` on the mean of `loss` over batches; returns what happened.
/// With a state it goes on from there, up to options.epochs in all. Error, and nothing changed, for
/// options out of range, data with a NaN (naming its index) or without samples, a parameter without
/// a value; later an Error when the loss, or the norm to clip by, is not finite. Ctrl-C ends it
/// after the batch.
template <class Model, Scalar T, OptimizerFor<T> O, LossFor<T> L, DataSource D>
History fit(Model&& model, const Parameters<T>& parameters, O& optimizer, const L& loss,
            const D& data, const FitOptions& options = {}, FitState<T>* state = nullptr) {
  return detail::fit(model, parameters, optimizer, loss, data, static_cast<const D*>(nullptr),
                     options, state);
}

/// The same with a set of samples of its own for validation.
template <class Model, Scalar T, OptimizerFor<T> O, LossFor<T> L, DataSource D, DataSource V>
History fit(Model&& model, const Parameters<T>& parameters, O& optimizer, const L& loss,
            const D& data, const V& validation, const FitOptions& options = {},
            FitState<T>* state = nullptr) {
  return detail::fit(model, parameters, optimizer, loss, data, &validation, options, state);
}

/// Mean loss and metrics over the samples, in batches, without recording anything.
template <class Model, class L, DataSource D>
[[nodiscard]] Evaluation evaluate(Model&& model, const L& loss, const D& data,
                                  const EvaluateOptions& options = {}) {
  const Means means = detail::evaluate_range(model, loss, data, 0, data.samples(),
                                             options.batch_size, options.metrics);
  return {means.loss(), means.metrics()};
}

/// The model's outputs for all samples, in their order, computed in batches without recording.
template <class Model, DataSource D>
[[nodiscard]] auto predict(Model&& model, const D& data, PredictOptions options = {}) {
  using T = typename D::scalar;
  Tensor<T> result;
  T* next = nullptr;
  detail::for_batches("predict", 0, data.samples(), options.batch_size, [&](auto indices) {
    const Var<T> p = detail::predict_batch<T>(model, data.gather(indices));
    if (p.rank() < 1 || p.shape()[0] != static_cast<Size>(indices.size()))
      fail("predict", "the model gave the shape ", p.shape(), " for ", indices.size(), " samples");
    if (!next) {
      result = Tensor<T>(p.shape().with(0, data.samples()));
      next = result.mutable_data();
    }
    if (p.shape().with(0, data.samples()) != result.shape())
      fail("predict", "the model gave ", p.shape(), " after batches that make ", result.shape());
    next = std::copy_n(p.value().data(), p.size(), next);
  });
  return result;
}

/// The same for one input x (N, ...).
template <class Model, Scalar T>
[[nodiscard]] Tensor<T> predict(Model&& model, const Tensor<T>& x, PredictOptions options = {}) {
  return predict(model, Dataset<T>{x, x}, options);
}

}  // namespace axisgrad
