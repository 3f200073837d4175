#include "training.hpp"

#include <cmath>

#include <fmt/format.h>

#include <axisgrad/nn/losses.hpp>
#include <axisgrad/optim/adam.hpp>
#include <axisgrad/optim/checkpoint.hpp>

#include "files.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

// Shortest digits that give the same number back.
void write_history(const Folder& folder, const std::vector<EpochLine>& lines) {
  std::string text = "epoch,loss,validation_loss,learning_rate,seconds\n";
  for (const EpochLine& l : lines)
    text += fmt::format("{},{},{},{},{:.3f}\n", l.epoch, l.loss, l.validation_loss, l.learning_rate,
                        l.seconds);
  write_file(folder / "history.csv", text);
}

// lr in the first two epochs, then half of it in each.
std::function<double(Size)> schedule_of(const Settings& s, Size batches) {
  if (s.schedule == "constant") return {};
  return [lr = s.lr, batches](Size step) {
    return lr * std::pow(.5, static_cast<double>(std::max(Size{0}, step / batches - 1)));
  };
}

bool is_over(const ag::FitState<float>& state, const Settings& s) {
  return state.epoch() >= s.epochs || (s.patience > 0 && state.best_epoch() > 0 &&
                                       state.epoch() - state.best_epoch() >= s.patience);
}

bool descend(Forecaster& model, const Prepared& data, const Settings& s, const Folder& folder,
             const TrainingOptions& options) {
  const auto parameters = model.parameters();
  ag::initialise(parameters, s.seed);
  ag::Adam<float> adam({.learning_rate = s.lr});
  ag::FitState<float> state(parameters);
  std::vector<EpochLine> history;
  const Folder checkpoint = folder / "checkpoint.safetensors";
  if (options.resume && std::filesystem::exists(checkpoint)) {
    ag::load_checkpoint(checkpoint, parameters, adam, state);
    history = read_history(folder);
    history.resize(std::min(history.size(), static_cast<std::size_t>(state.epoch())));
    if (!options.silent) fmt::print("goes on after epoch {}\n", state.epoch());
  }
  if (!is_over(state, s)) {
    const Size batches = (data.train.samples() + s.batch - 1) / s.batch;
    ag::FitOptions fit{.epochs = s.epochs,
                       .batch_size = s.batch,
                       .seed = s.seed,
                       .early_stopping = {.patience = s.patience},
                       .schedule = schedule_of(s, batches),
                       .verbose = options.silent ? ag::Verbose::silent : ag::Verbose::progress};
    // The history first: one line more than the checkpoint knows is cut off when it is read.
    fit.on_epoch = [&](const ag::EpochRow& row) {
      history.push_back(
          {row.epoch, row.loss, row.validation_loss.value_or(0), row.learning_rate, row.seconds});
      write_history(folder, history);
      ag::save_checkpoint(checkpoint, parameters, adam, state);
    };
    const auto call = [&](const Var<float>& x) { return model(x); };
    if (ag::fit(call, parameters, adam, ag::mse, data.train, data.validation, fit, &state)
            .interrupted)
      return false;
  }
  if (s.patience > 0 && state.best_epoch() > 0) state.restore_best();
  return true;
}

}  // namespace

std::vector<EpochLine> read_history(const Folder& folder) {
  const Folder path = folder / "history.csv";
  if (!std::filesystem::exists(path)) return {};
  const ag::Table table = ag::read_csv(path.string());
  std::vector<EpochLine> lines;
  for (Size r = 0; r < table.rows(); ++r) {
    const double* v = table.values.data() + r * table.columns();
    lines.push_back({static_cast<int>(v[0]), v[1], v[2], v[3], v[4]});
  }
  return lines;
}

bool train_model(Forecaster& model, const Prepared& data, const Settings& settings,
                 const Folder& folder, const TrainingOptions& options) {
  remove_half_written(folder);
  write_config(folder, settings, data);
  write_scaler(folder, data.scaler);
  if (is_rule(model.info()))
    model.solve(data.train);
  else if (!descend(model, data, settings, folder, options))
    return false;
  ag::save_weights(folder / "weights.safetensors", model.parameters());
  return true;
}

}  // namespace forecast
