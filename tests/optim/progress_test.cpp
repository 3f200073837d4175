// What fit says while it runs: a moving line on a terminal, one line an epoch in a pipe.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <axisgrad/optim/sgd.hpp>

#include "line.hpp"

namespace {

// A terminal without a person: what is written to `screen` is read back from the other end.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(master_ >= 0);
    REQUIRE(grantpt(master_) == 0);
    REQUIRE(unlockpt(master_) == 0);
    const int slave = open(ptsname(master_), O_RDWR | O_NOCTTY);
    REQUIRE(slave >= 0);
    screen = fdopen(slave, "w");
    fcntl(master_, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() { std::fclose(screen), close(master_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  std::string text() const {
    std::string all;
    char part[4096];
    for (ssize_t n; (n = read(master_, part, sizeof part)) > 0;)
      all.append(part, static_cast<std::size_t>(n));
    return all;
  }

  std::FILE* screen;

 private:
  int master_;
};

ag::History train(std::FILE* out) {
  Line<double> line;
  ag::SGD<double> sgd{{.learning_rate = .1}};
  return ag::fit(line.model(), line.parameters, sgd, ag::mse, ::line<double>(40),
                 {.epochs = 2,
                  .batch_size = 10,
                  .validation_fraction = .25,
                  .metrics = {ag::metrics::rmse},
                  .output = out,
                  .on_batch = [](const ag::BatchRow&) { usleep(120'000); }});
}

}  // namespace

TEST_CASE("on a terminal: a bar with loss, metrics and the time left, then the epoch's line") {
  const Terminal terminal;
  const auto history = train(terminal.screen);
  const std::string text = terminal.text();
  CAPTURE(text);
  CHECK(text.find("\repoch 1/2 [========>               ] 1/3  loss ") != std::string::npos);
  CHECK(text.find("\repoch 2/2 [========================] 3/3  loss ") != std::string::npos);
  // The second batch's line knows the speed.
  const auto second = text.find("] 2/3  loss ");
  REQUIRE(second != std::string::npos);
  const std::string line = text.substr(second, text.find('\r', second) - second);
  CAPTURE(line);
  CHECK(line.find("  rmse ") != std::string::npos);
  CHECK(line.find(" s left") != std::string::npos);
  // Erased, then what stays.
  CHECK(text.find("\r\x1b[Kepoch 1/2  loss ") != std::string::npos);
  CHECK(text.find("  validation rmse ") != std::string::npos);
  CHECK(history.epochs.size() == 2);
}

TEST_CASE("in a pipe: one plain line an epoch") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file);
  const auto history = train(file);
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  CAPTURE(text);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(text.rfind("epoch 1/2  loss ", 0) == 0);
  CHECK(history.epochs[1].validation_metrics.size() == 1);
}
