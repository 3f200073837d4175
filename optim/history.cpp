#include <cstdio>
#include <fstream>
#include <ostream>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/optim/history.hpp>

namespace axisgrad {
namespace {

std::string number(double x, const char* format) {
  char text[40];
  std::snprintf(text, sizeof text, format, printable(x));
  return text;
}

using Row = std::vector<std::string>;

std::vector<Row> cells(const History& history, const char* format) {
  const bool validation = !history.epochs.empty() && history.epochs[0].validation_loss;
  Row names{"epoch", "loss"};
  names.insert(names.end(), history.metrics.begin(), history.metrics.end());
  if (validation) names.push_back("validation_loss");
  for (const std::string& name : history.metrics)
    if (validation) names.push_back("validation_" + name);
  names.insert(names.end(), {"learning_rate", "seconds"});

  std::vector<Row> rows{names};
  for (const EpochRow& epoch : history.epochs) {
    Row row{std::to_string(epoch.epoch), number(epoch.loss, format)};
    for (double m : epoch.metrics) row.push_back(number(m, format));
    if (epoch.validation_loss) row.push_back(number(*epoch.validation_loss, format));
    for (double m : epoch.validation_metrics) row.push_back(number(m, format));
    row.push_back(number(epoch.learning_rate, format));
    row.push_back(number(epoch.seconds, "%.3f"));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

void History::write_csv(const std::string& path) const {
  std::ofstream file(path);
  for (const Row& row : cells(*this, "%.17g"))
    for (std::size_t i = 0; i < row.size(); ++i)
      file << row[i] << (i + 1 < row.size() ? ',' : '\n');
  file.close();
  if (!file) fail("write_csv", "cannot write '", path, "'");
}

std::ostream& operator<<(std::ostream& out, const History& history) {
  const auto rows = cells(history, "%.5g");
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t width = 0;
      for (const Row& other : rows) width = std::max(width, other[i].size());
      out << std::string(width - row[i].size() + (i ? 2 : 0), ' ') << row[i]
          << (i + 1 < row.size() ? "" : "\n");
    }
  for (const std::string& note : history.notes) out << "note: " << note << '\n';
  return out;
}

}  // namespace axisgrad
