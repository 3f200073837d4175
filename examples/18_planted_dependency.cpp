// Lesson 18: can attention over variables be believed?
//
// Eight series are made so that each depends on two others, and nobody tells the model which. It
// forecasts the next value of all eight with attention over variables; then its attention, its
// gradients, what it loses when a variable is scrambled, plain correlation and least squares are
// asked the same question: who depends on whom? You learn that attention needs a learnt vector for
// each variable to say anything, that the map of one layer among several misleads, that gradients
// hold where it does, and that on linear data least squares needs no network at all.
//
// A map is scored twice: by its AUROC, the chance that a true pair has a larger weight than another
// one, and by its precision at 16, the share of true pairs among its 16 largest weights.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "common/lesson.hpp"
#include "planted/evidence.hpp"
#include "planted/picture.hpp"

namespace ag = axisgrad;

namespace {

struct Kind {
  ag::PlantedKind kind;
  std::string name;
};
const std::vector<Kind> all_kinds{{ag::PlantedKind::linear, "linear"},
                                  {ag::PlantedKind::self, "self"},
                                  {ag::PlantedKind::abs, "abs"},
                                  {ag::PlantedKind::noise, "noise"},
                                  {ag::PlantedKind::factor, "factor"}};

struct Model {
  std::string name;
  planted::ForecasterOptions network;
};
const Model plain{"no identity", {.embed = false, .identity = false}}, one{"identity", {}},
    transformer{"identity, feed-forward", {.feed_forward = true}},
    two{"identity, feed-forward, two layers", {.feed_forward = true, .layers = 2}},
    two_plain{"no identity, feed-forward, two layers",
              {.identity = false, .feed_forward = true, .layers = 2}};

// Means over seeds.
struct Scores {
  std::vector<double> by_seed;

  double mean() const {
    double sum = 0;
    for (const double s : by_seed) sum += s;
    return sum / static_cast<double>(by_seed.size());
  }
  double deviation() const {
    double squares = 0;
    for (const double s : by_seed) squares += (s - mean()) * (s - mean());
    return by_seed.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(by_seed.size() - 1));
  }
  double worst() const { return *std::min_element(by_seed.begin(), by_seed.end()); }
};

class Comparison {
 public:
  Comparison(const lesson::Options& options)
      : quick_(options.quick),
        seeds_(quick_ ? 1 : 5),
        kinds_(all_kinds.begin(), quick_ ? all_kinds.begin() + 1 : all_kinds.end()),
        models_(quick_ ? std::vector{plain, one, two_plain, two}
                       : std::vector{plain, one, transformer, two_plain, two}) {}

  void run() {
    for (const Kind& kind : kinds_) {
      for (int seed = 1; seed <= seeds_; ++seed) {
        planted::Task task{.kind = kind.kind,
                           .seed = static_cast<std::uint64_t>(seed),
                           .epochs = quick_ ? 30 : 80};
        add("no network", kind.name, task, planted::of_series(task));
        for (const Model& model : models_) {
          task.network = model.network;
          const auto evidence = planted::of_network(task);
          add(model.name, kind.name, task, evidence);
          scores_[model.name]["explained"][kind.name].by_seed.push_back(evidence.explained);
          seconds_ += evidence.seconds, ++trainings_;
        }
      }
      fmt::print("{}: {} trainings, {:.0f} s\n", kind.name, trainings_, seconds_);
      std::fflush(stdout);
    }
  }

  void print() const {
    print_table("AUROC", scores_, true);
    print_table("Precision at 16 (by guessing .29; noise .22)", precision_, false);
    if (noise_.empty()) return;
    fmt::print("Share of each map that lies on the two series of pure noise (uniform .222):\n");
    for (const Model& model : models_)
      for (const std::string method : {"attention", "|gradient|", "permutation"})
        if (noise_.at(model.name).count(method))
          fmt::print("  {}, {}: {}\n", model.name, method,
                     lesson::figure(noise_.at(model.name).at(method).mean()));
    fmt::print("\n");
  }

  Scores of(const Model& model, const std::string& method, const std::string& kind) const {
    return of(model.name, method, kind);
  }
  Scores of(const std::string& model, const std::string& method, const std::string& kind) const {
    return scores_.at(model).at(method).at(kind);
  }
  const std::vector<Kind>& kinds() const { return kinds_; }

  /// "scores" are AUROC, and the share explained; "precision_at_k" is of the same form.
  void write(const std::filesystem::path& path) const {
    std::ofstream(path) << nlohmann::ordered_json{{"scores", to_json(scores_)},
                                                  {"precision_at_k", to_json(precision_)}}
                               .dump(2)
                        << '\n';
  }

  /// The maps of the first seed of linear data.
  std::filesystem::path picture(const std::filesystem::path& folder) const {
    const planted::Task task{};
    std::vector<planted::Panel> panels{{"the truth", planted::truth(task)}};
    const auto auroc = [&](const std::string& model, const std::string& method) {
      return lesson::figure(planted::score(task, first_.at(model).at(method)).auroc);
    };
    const auto show = [&](const std::string& model, const std::string& method,
                          const std::string& title) {
      panels.push_back({title + ", AUROC " + auroc(model, method), first_.at(model).at(method)});
    };
    show("no network", "least squares, VAR(3)", "least squares");
    show(plain.name, "attention", "attention, no identity");
    show(one.name, "attention", "attention, identity");
    show(two.name, "attention, layer 1", "layer 1 of two");
    show(two.name, "|gradient|", "|gradient| through two");
    return planted::draw(
        panels, folder, "planted_dependency",
        fmt::format("Attention finds the two parents of each series: AUROC {} with "
                    "an identity, {} without",
                    auroc(one.name, "attention"), auroc(plain.name, "attention")));
  }

 private:
  // By model, method and kind of data.
  using Table = std::map<std::string, std::map<std::string, std::map<std::string, Scores>>>;

  static nlohmann::ordered_json to_json(const Table& table) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& [model, methods] : table)
      for (const auto& [method, kinds] : methods)
        for (const auto& [kind, scores] : kinds)
          rows.push_back({{"model", model},
                          {"method", method},
                          {"data", kind},
                          {"mean", scores.mean()},
                          {"deviation", scores.deviation()},
                          {"worst", scores.worst()},
                          {"seeds", scores.by_seed}});
    return rows;
  }
  void add(const std::string& model, const std::string& kind, const planted::Task& task,
           const planted::Evidence& evidence) {
    if (!methods_.count(model)) order_.push_back(model);
    for (const auto& [method, matrix] : evidence.matrices) {
      auto& methods = methods_[model];
      if (std::find(methods.begin(), methods.end(), method) == methods.end())
        methods.push_back(method);
      const auto score = planted::score(task, matrix);
      scores_[model][method][kind].by_seed.push_back(score.auroc);
      precision_[model][method][kind].by_seed.push_back(score.precision_at_k);
      if (task.kind == ag::PlantedKind::noise)
        noise_[model][method].by_seed.push_back(planted::share_of_noise(matrix));
      if (task.seed == 1 && task.kind == ag::PlantedKind::linear) first_[model][method] = matrix;
    }
  }
  void print_table(const std::string& title, const Table& table, bool explained) const {
    fmt::print("\n{:<36}", title.size() < 36 ? title : title + "\n" + std::string(36, ' '));
    for (const Kind& kind : kinds_) fmt::print("{:<20}", kind.name);
    for (const std::string& model : order_) {
      fmt::print("\n{}\n", model);
      for (const std::string& method : methods_.at(model)) print_row(method, table.at(model));
      if (explained && model != "no network") print_row("explained", table.at(model));
    }
    fmt::print("\n");
  }
  void print_row(const std::string& method,
                 const std::map<std::string, std::map<std::string, Scores>>& rows) const {
    fmt::print("  {:<34}", method);
    for (const Kind& kind : kinds_) {
      const Scores& s = rows.at(method).at(kind.name);
      fmt::print("{:<20}", seeds_ == 1 ? fmt::format("{:.3f}", s.mean())
                                       : fmt::format("{:.3f}+-{:.3f} {:.2f}", s.mean(),
                                                     s.deviation(), s.worst()));
    }
    fmt::print("\n");
  }

  bool quick_;
  int seeds_, trainings_ = 0;
  double seconds_ = 0;
  std::vector<Kind> kinds_;
  std::vector<Model> models_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> methods_;
  Table scores_, precision_;
  std::map<std::string, std::map<std::string, ag::Tensor<double>>> first_;
  std::map<std::string, std::map<std::string, Scores>> noise_;
};

// What holds in every seed of the linear data, quick or not.
bool claims_of_linear(const Comparison& c) {
  const auto without = c.of(plain, "attention", "linear"), with = c.of(one, "attention", "linear");
  bool all = lesson::claim(
      with.worst() > .9 && with.mean() > without.mean() + .1,
      fmt::format("attention finds the parents once each variable has a vector of its own: AUROC "
                  "{:.3f}, without {:.3f}",
                  with.mean(), without.mean()));
  const auto gradient = c.of(two, "|gradient|", "linear");
  const auto first = c.of(two, "attention, layer 1", "linear"),
             second = c.of(two, "attention, layer 2", "linear");
  const double worst = std::min(first.worst(), second.worst());
  all &= lesson::claim(
      gradient.worst() > .95 && worst < gradient.worst(),
      fmt::format("with two layers the map of a single one is unreliable (down to {:.2f}); the "
                  "gradient through both is not ({:.2f} at worst)",
                  worst, gradient.worst()));
  const auto blind = c.of(two_plain, "|gradient|", "linear");
  all &= lesson::claim(gradient.worst() > blind.mean() + .1,
                       fmt::format("a second layer is no cure for a missing identity: |gradient| "
                                   "through two layers {:.3f} without, {:.3f} with",
                                   blind.mean(), gradient.mean()));
  const auto squares = c.of("no network", "least squares, VAR(3)", "linear");
  return all & lesson::claim(squares.worst() > .99,
                             fmt::format("least squares needs no network for linear data: {:.3f}",
                                         squares.mean()));
}

// What the other kinds of data add.
bool claims_of_others(const Comparison& c) {
  bool never_worse = true;
  for (const Kind& kind : c.kinds())
    never_worse = never_worse && c.of(one, "|gradient|", kind.name).mean() >
                                     c.of(one, "attention", kind.name).mean() - .01;
  bool all = lesson::claim(never_worse,
                           "in one layer |gradient| is as good as attention on each kind of data");
  const auto squares = c.of("no network", "least squares, VAR(3)", "abs"),
             gradient = c.of(transformer, "|gradient|", "abs");
  all &= lesson::claim(
      squares.mean() < gradient.mean() - .05,
      fmt::format("where parents enter by their size, least squares ({:.3f}) loses to the network "
                  "({:.3f})",
                  squares.mean(), gradient.mean()));
  const auto correlation = c.of("no network", "correlation, largest of lags 1..3", "factor"),
             attention = c.of(one, "attention", "factor"),
             var = c.of("no network", "least squares, VAR(3)", "factor");
  all &= lesson::claim(
      correlation.mean() < .8 && attention.mean() < var.mean(),
      fmt::format("a hidden common factor fools correlation ({:.3f}), attention less ({:.3f}), "
                  "least squares not ({:.3f})",
                  correlation.mean(), attention.mean(), var.mean()));
  return all;
}

bool planted_dependency(const lesson::Options& options) {
  Comparison comparison(options);
  comparison.run();
  comparison.print();
  comparison.write(options.out / "18_planted_dependency.json");
  fmt::print("{}\n", comparison.picture(options.out).string());
  bool all = claims_of_linear(comparison);
  if (!options.quick) all &= claims_of_others(comparison);
  fmt::print(
      "Can attention be believed? As a rank, in one layer, with an identity for each variable, and "
      "next to a\ngradient and to least squares. docs/planted_dependency.md has the figures beside "
      "PyTorch's.\n");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return lesson::run(argc, argv, "Can attention over variables be believed?", planted_dependency);
}
