#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <doctest/doctest.h>

#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/optim/adam.hpp>

#include "allocations.hpp"
#include "line.hpp"

namespace {

// Least squares with an intercept: the normal equations by elimination.
std::array<double, 3> least_squares(const Dataset<double>& data) {
  double m[3][4]{};
  for (Size i = 0; i < data.samples(); ++i) {
    const double row[4]{data.x(i, 0), data.x(i, 1), 1, data.y(i, 0)};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 4; ++c) m[r][c] += row[r] * row[c];
  }
  for (int k = 0; k < 3; ++k)
    for (int r = 0; r < 3; ++r)
      for (int c = 3; c >= k && r != k; --c) m[r][c] -= m[r][k] / m[k][k] * m[k][c];
  return {m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]};
}

}  // namespace

TEST_CASE("fit reaches the least-squares solution") {
  const auto data = line<double>(60);
  const auto right = least_squares(data);
  Line<double> line;
  ag::SGD<double> sgd{{.learning_rate = .3, .momentum = .5}};
  const auto history = ag::fit(line.model(), line.parameters, sgd, ag::mse, data,
                               {.epochs = 300, .batch_size = 60, .verbose = silent});
  CHECK(line.dense.kernel.value()(0, 0) == doctest::Approx(right[0]).epsilon(1e-9));
  CHECK(line.dense.kernel.value()(1, 0) == doctest::Approx(right[1]).epsilon(1e-9));
  CHECK(line.dense.bias.value()(0) == doctest::Approx(right[2]).epsilon(1e-9));
  CHECK(history.epochs.size() == 300);
  CHECK(history.notes.empty());
  CHECK(history.epochs.back().loss ==
        doctest::Approx(ag::evaluate(line.model(), ag::mse, data).loss).epsilon(1e-9));
}

TEST_CASE("the loss of an epoch is the mean over samples, not over batches") {
  const auto data = line<double>(10);
  Line<double> line;
  ag::SGD<double> still{{.learning_rate = 0}};
  const auto history =
      ag::fit(line.model(), line.parameters, still, ag::mse, data,
              {.batch_size = 4, .metrics = {ag::metrics::rmse}, .verbose = silent});
  const auto all = ag::evaluate(line.model(), ag::mse, data, {.metrics = {ag::metrics::rmse}});
  CHECK(history.epochs[0].loss == doctest::Approx(all.loss).epsilon(1e-14));
  CHECK(history.epochs[0].metrics[0] == doctest::Approx(std::sqrt(all.loss)).epsilon(1e-14));
  const auto parts = ag::evaluate(line.model(), ag::mse, data, {.batch_size = 3});
  CHECK(parts.loss == doctest::Approx(all.loss).epsilon(1e-14));
}

namespace {

struct Threads {
  int before = ag::kernels::threads();
  explicit Threads(int n) { ag::kernels::set_threads(n); }
  ~Threads() { ag::kernels::set_threads(before); }
};

}  // namespace

TEST_CASE(
    "C72: a sum and five training steps have the same bits in every run, on 1, 2, 4 threads") {
  Tensor<float> a(Shape{99999});
  for (Size i = 0; i < a.size(); ++i) a.set({i}, 1 / static_cast<float>(i + 1));
  // Large enough a batch for its sums to be split between threads.
  const auto data = line<float>(500000);
  std::optional<Tensor<float>> total, trained;
  const auto same = [](std::optional<Tensor<float>>& first, const Tensor<float>& x) {
    if (!first) first = x;
    return ag::same_bits(*first, x);
  };
  for (int n : {1, 2, 4}) {
    const Threads use(n);
    for (int run = 0; run < 10; ++run) CHECK(same(total, ag::sum(ag::constant(a)).value()));
    for (int run = 0; run < 2; ++run) {
      Line<float> line;
      ag::SGD<float> sgd{{.learning_rate = .1}};
      (void)ag::fit(line.model(), line.parameters, sgd, ag::mse, data,
                    {.epochs = 1, .batch_size = 100000, .seed = 1, .verbose = silent});
      CHECK(sgd.steps() == 5);
      CHECK(same(trained, line.dense.kernel.value()));
    }
  }
  CHECK(std::abs(total->data()[0] - 12.0901361) < 2e-5);
}

TEST_CASE("the same seed gives the same bits, another seed another order") {
  const auto data = line<float>(50);
  auto train = [&](std::uint64_t seed) {
    Line<float> line;
    ag::Adam<float> adam{{.learning_rate = .01}};
    (void)ag::fit(line.model(), line.parameters, adam, ag::mse, data,
                  {.epochs = 3, .batch_size = 7, .seed = seed, .verbose = silent});
    return line.dense.kernel.value();
  };
  CHECK(ag::same_bits(train(1), train(1)));
  CHECK(!ag::same_bits(train(1), train(2)));
}

TEST_CASE(
    "an epoch trains on every sample once, in a new order each time, the validation part never") {
  Tensor<double> x(Shape{25, 2}, 0.0), y(Shape{25, 1}, 0.0);
  for (Size i = 0; i < 25; ++i) x.set({i, 0}, static_cast<double>(i));
  std::vector<std::vector<double>> orders;
  Line<double> line;
  auto model = [&](auto v) {
    if (v.recording_options().training)
      for (Size i = 0; i < v.size(0); ++i) orders.back().push_back(v.value()(i, 0));
    return line.dense(v);
  };
  ag::SGD<double> still{{.learning_rate = 0}};
  for (bool shuffled : {true, false}) {
    orders.assign(1, {});
    (void)ag::fit(model, line.parameters, still, ag::mse, Dataset<double>{x, y},
                  {.epochs = 2,
                   .batch_size = 4,
                   .shuffle = shuffled,
                   .validation_fraction = .2,
                   .verbose = silent,
                   .on_epoch = [&](const ag::EpochRow&) { orders.emplace_back(); }});
    REQUIRE(orders.size() == 3);
    for (int epoch : {0, 1}) {
      const auto& order = orders[static_cast<unsigned>(epoch)];
      const std::set<double> once(order.begin(), order.end());
      CHECK(order.size() == 20);
      CHECK(once.size() == 20);
      CHECK(*once.rbegin() == 19);
      CHECK(std::is_sorted(order.begin(), order.end()) == !shuffled);
    }
    CHECK((orders[0] == orders[1]) == !shuffled);
  }
}

TEST_CASE("the recording is told that it trains, the seed, the step and the first sample") {
  const auto data = line<double>(10);
  Line<double> line;
  std::vector<std::array<Size, 3>> seen;
  auto model = [&](auto x) {
    const auto& o = x.recording_options();
    CHECK(o.training);
    seen.push_back({static_cast<Size>(o.seed), static_cast<Size>(o.step), o.first_sample});
    return line.dense(x);
  };
  ag::SGD<double> sgd;
  (void)ag::fit(model, line.parameters, sgd, ag::mse, data,
                {.epochs = 2, .batch_size = 6, .seed = 9, .verbose = silent});
  CHECK(seen == std::vector<std::array<Size, 3>>{{9, 0, 0}, {9, 1, 6}, {9, 2, 0}, {9, 3, 6}});
}

TEST_CASE("early stopping ends the training and brings the best weights back") {
  const auto data = line<double>(20);
  Line<double> line;
  ag::SGD<double> sgd{{.learning_rate = .1}};
  std::vector<Tensor<double>> kernels;
  // A rate that first learns, then destroys.
  const auto history = ag::fit(
      line.model(), line.parameters, sgd, ag::mse, data, data,
      {.epochs = 50,
       .batch_size = 20,
       .early_stopping = {.patience = 3},
       .schedule = [](Size step) { return step < 5 ? .1 : 2; },
       .verbose = silent,
       .on_epoch = [&](const ag::EpochRow&) { kernels.push_back(line.dense.kernel.value()); }});
  CHECK(history.stopped_early);
  CHECK(history.best_epoch == 5);
  CHECK(history.epochs.size() == 8);
  CHECK(ag::same_bits(line.dense.kernel.value(), kernels[4]));
  CHECK(ag::evaluate(line.model(), ag::mse, data).loss == *history.epochs[4].validation_loss);
  CHECK(history.epochs[5].learning_rate == 2);
}

TEST_CASE("reduce on plateau acts between epochs") {
  const auto data = line<double>(8);
  Line<double> line;
  ag::SGD<double> sgd{{.learning_rate = .25}};
  ag::ReduceOnPlateau plateau{{.factor = .5, .patience = 1, .min_delta = 1e9}};
  const auto history = ag::fit(line.model(), line.parameters, sgd, ag::mse, data,
                               {.epochs = 3, .plateau = &plateau, .verbose = silent});
  CHECK(history.epochs[1].learning_rate == .25);
  CHECK(history.epochs[2].learning_rate == .125);
}

TEST_CASE("interrupted and gone on with from saved state: the same bits as in one go") {
  const auto data = line<double>(23);
  const ag::FitOptions options{.epochs = 4,
                               .batch_size = 5,
                               .seed = 3,
                               .early_stopping = {.patience = 9},
                               .verbose = silent};
  Line<double> whole;
  ag::Adam<double> adam{{.learning_rate = .05}};
  const auto all = ag::fit(whole.model(), whole.parameters, adam, ag::mse, data, options);

  Line<double> part;
  std::map<std::string, Tensor<double>> saved;
  auto save = [&](std::string_view name, auto& t) { saved[std::string(name)] = t; };
  {
    ag::Adam<double> first{{.learning_rate = .05}};
    ag::FitState<double> state(part.parameters);
    auto stopping = options;
    stopping.on_batch = [](const ag::BatchRow& row) {
      if (row.step == 7) std::raise(SIGINT);  // the second batch of the second epoch
    };
    const auto history =
        ag::fit(part.model(), part.parameters, first, ag::mse, data, stopping, &state);
    CHECK(history.interrupted);
    CHECK(history.epochs.size() == 1);
    CHECK(history.notes ==
          std::vector<std::string>{
              "interrupted after epoch 1 and 2 batches; history and parameters are kept"});
    first.visit(save), state.visit(save);
  }
  CHECK(saved.count("best.kernel") == 1);
  ag::Adam<double> second{{.learning_rate = .05}};
  second.bind(part.parameters);
  ag::FitState<double> state(part.parameters);
  auto load = [&](std::string_view name, auto& t) { t = saved.at(std::string(name)); };
  // Adam's counter and fit's have one name and, here, one value.
  second.visit(load), state.visit(load);
  const auto rest = ag::fit(part.model(), part.parameters, second, ag::mse, data, options, &state);
  CHECK(rest.epochs.size() == 3);
  CHECK(rest.epochs.back().loss == all.epochs.back().loss);
  CHECK(ag::same_bits(part.dense.kernel.value(), whole.dense.kernel.value()));
}

TEST_CASE("the handler of SIGINT is lent for the training only") {
  static int caught = 0;
  const auto before = std::signal(SIGINT, [](int) { ++caught; });
  Line<double> line;
  ag::SGD<double> sgd;
  (void)ag::fit(line.model(), line.parameters, sgd, ag::mse, ::line<double>(8),
                {.verbose = silent});
  std::raise(SIGINT);
  CHECK(caught == 1);
  std::signal(SIGINT, before);
}

TEST_CASE("parameters used but not listed, and listed but not used, are reported") {
  const auto data = line<double>(8);
  Line<double> line;
  Dense<double> other{2, 1};
  auto extra = ag::parameters(other);
  other.kernel.set_value(Tensor<double>({2, 1}, 0.0));
  other.bias.set_value(Tensor<double>({1}, 0.0));
  const ag::Parameters<double> list{&line.dense.kernel, &other.bias};
  ag::SGD<double> sgd;
  const auto history = ag::fit(line.model(), list, sgd, ag::mse, data, {.verbose = silent});
  REQUIRE(history.notes.size() == 2);
  CHECK(history.notes[0] ==
        "the model uses a parameter 'bias' of shape (1) that is not in the list given to fit: it "
        "stays as it is");
  CHECK(history.notes[1] ==
        "the model never uses the parameter 'bias' given to fit: it stays as it is");
}

TEST_CASE("predict gives all samples in order, whatever the batches") {
  const auto data = line<float>(11);
  Line<float> line;
  const auto one = ag::predict(line.model(), data.x);
  const auto parts = ag::predict(line.model(), data, {.batch_size = 4});
  CHECK(one.shape() == Shape{11, 1});
  CHECK(ag::same_bits(one, parts));
  CHECK(one(10, 0) == doctest::Approx(.1f * data.x(10, 0) - .2f * data.x(10, 1)));
}

TEST_CASE("fit: what it prints in a pipe, its table and its CSV") {
  const auto data = line<double>(20);
  Line<double> line;
  ag::SGD<double> sgd;
  std::FILE* out = std::tmpfile();
  const auto history = ag::fit(
      line.model(), line.parameters, sgd, ag::mse, data,
      {.epochs = 2, .validation_fraction = .25, .metrics = {ag::metrics::mae}, .output = out});
  std::string printed(1000, 0);
  std::rewind(out);
  printed.resize(std::fread(printed.data(), 1, printed.size(), out));
  std::fclose(out);
  CHECK(std::count(printed.begin(), printed.end(), '\n') == 2);
  CHECK(printed.rfind("epoch 1/2  loss ", 0) == 0);
  CHECK(contains(printed, "\nepoch 2/2  loss "));
  CHECK(contains(printed, "  validation mae "));
  CHECK(!contains(printed, "\r"));

  std::ostringstream table;
  table << history;
  CHECK(contains(table.str(), "validation_mae  learning_rate  seconds\n"));
  const std::string path = "fit_test_history.csv";
  history.write_csv(path);
  std::ifstream file(path);
  std::string names, row;
  std::getline(file, names), std::getline(file, row);
  CHECK(names == "epoch,loss,mae,validation_loss,validation_mae,learning_rate,seconds");
  CHECK(std::stod(row.substr(2)) == history.epochs[0].loss);
  std::remove(path.c_str());
  CHECK(error_of([&] { history.write_csv("no/such/folder/h.csv"); }) ==
        "[write_csv] cannot write 'no/such/folder/h.csv'");
}

TEST_CASE("a training step allocates nothing once it has run a few times") {
  const auto data = line<float>(64);
  Dense<float> hidden{2, 16, {.activation = ag::Activation::tanh}}, head{16, 1};
  auto parameters = ag::parameters(hidden, head);
  ag::initialise(parameters, 1);
  ag::Adam<float> adam;
  long at_start = 0, at_end = -1;
  (void)ag::fit([&](auto x) { return head(hidden(x)); }, parameters, adam,
                ag::binary_crossentropy_from_logits, data,
                {.epochs = 2,
                 .batch_size = 4,
                 .clip_norm = 1,
                 .metrics = {ag::metrics::binary_accuracy_from_logits},
                 .schedule = ag::StepDecay{.initial_learning_rate = .1, .step_size = 3},
                 .verbose = silent,
                 .on_batch = [&](const ag::BatchRow& row) {
                   if (row.epoch == 2 && row.batch == 2) at_start = allocations;
                   if (row.epoch == 2 && row.batch == 16) at_end = allocations;
                 }});
  CHECK(at_end - at_start == 0);
}

TEST_CASE("fit clips each element of the gradients") {
  Line<double> line;
  const Tensor<double> before = line.dense.kernel.value();
  ag::SGD<double> sgd{{.learning_rate = 1}};
  (void)ag::fit(line.model(), line.parameters, sgd, ag::mse, ::line<double>(8),
                {.batch_size = 8, .clip_value = .01, .verbose = silent});
  for (Size i : {0, 1})
    CHECK(std::abs(line.dense.kernel.value()(i, 0) - before(i, 0)) == doctest::Approx(.01));
}
