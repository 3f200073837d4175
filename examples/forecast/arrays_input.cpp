// Tables from NumPy's files.
#include <algorithm>
#include <cmath>

#include <axisgrad/nn/weights/npy.hpp>
#include <axisgrad/nn/weights/npz.hpp>

#include "series.hpp"

namespace forecast {
namespace {

namespace ag = axisgrad;

struct Columns {
  std::string path;
  Names names{};
  std::vector<ag::Tensor<double>> parts{};  // (rows, some)

  // Rank 1 is one variable of this name, rank 2 several: NAME.0, NAME.1, ...
  void add(const std::string& name, const ag::Tensor<double>& x) {
    if (x.rank() < 1 || x.rank() > 2 || x.size() == 0)
      ag::fail("forecast", "'", path, "' must hold (rows) or (rows, variables), got ", x.shape());
    const Size rows = x.shape()[0], width = x.rank() == 2 ? x.shape()[1] : 1;
    if (!parts.empty() && rows != parts[0].shape()[0])
      ag::fail("forecast", "'", path, "': '", name, "' has ", rows, " rows, but '", names[0], "' ",
               parts[0].shape()[0]);
    for (Size c = 0; c < width; ++c)
      names.push_back(x.rank() == 1 ? name : (name.empty() ? "" : name + '.') + std::to_string(c));
    parts.push_back(x.reshaped({rows, width}));
  }

  ag::Tensor<double> joined() const {
    const Size rows = parts.at(0).shape()[0], width = static_cast<Size>(names.size());
    ag::Tensor<double> all({rows, width});
    double* to = all.mutable_data();
    for (Size r = 0; r < rows; ++r)
      for (const auto& part : parts)
        to = std::copy_n(part.data() + r * part.shape()[1], part.shape()[1], to);
    return all;
  }
};

class Gaps {
 public:
  Gaps(const std::string& path, const ag::Table& table, ag::Missing policy)
      : path_(path), table_(table), policy_(policy) {}

  // The values with every gap filled, or without the rows that have one.
  ag::Tensor<double> filled() {
    const Size width = table_.columns();
    ag::Tensor<double> x = table_.values;
    double* v = x.mutable_data();
    Size kept = 0;
    std::vector<double> least(table_.names.size()), largest = least;
    for (Size r = 0; r < table_.rows(); ++r) {
      double* row = v + kept * width;  // it and those above are done
      std::copy_n(table_.values.data() + r * width, width, row);
      bool complete = true;
      for (Size c = 0; c < width; ++c) {
        const auto k = static_cast<std::size_t>(c);
        if (std::isnan(row[c])) {
          if (policy_ == ag::Missing::error) refuse(r, c, "a value is missing (nan)");
          complete = complete && policy_ != ag::Missing::drop;
          if (policy_ == ag::Missing::drop) continue;
          if (kept == 0) refuse(r, c, "a value is missing, with none above it");
          row[c] = row[c - width];
          if (policy_ == ag::Missing::interpolate_past && kept > 1)
            row[c] = std::clamp(2 * row[c - width] - row[c - 2 * width], least[k], largest[k]);
        }
        if (!std::isfinite(row[c])) refuse(r, c, "it is not a finite number");
        least[k] = kept == 0 ? row[c] : std::min(least[k], row[c]);
        largest[k] = kept == 0 ? row[c] : std::max(largest[k], row[c]);
      }
      kept += complete;
    }
    if (kept == 0) ag::fail("forecast", "'", path_, "' has no row without a missing value");
    return kept == table_.rows() ? x : ag::take_rows(x, {0, kept});
  }

 private:
  [[noreturn]] void refuse(Size row, Size column, const char* what) const {
    ag::fail("forecast", "'", path_, "', row ", row, ", column '",
             table_.names[static_cast<std::size_t>(column)], "': ", what);
  }

  const std::string& path_;
  const ag::Table& table_;
  ag::Missing policy_;
};

}  // namespace

Series read_arrays(const std::string& path, const Settings& settings) {
  Columns columns{path};
  if (path.ends_with(".npy")) {
    columns.add("", ag::load_npy<double>(path));
  } else {
    const ag::ArrayFile file = ag::read_npz(path);
    for (const auto& array : file.arrays())
      columns.add(array.name, file.tensor<double>(array.name));
    if (columns.parts.empty()) ag::fail("forecast", "'", path, "' holds no array");
  }
  if (!settings.date_column.empty())
    ag::fail("forecast", "'", path, "' has no dates: --date-column is for CSV files");
  ag::Table table;
  table.names = columns.names;
  table.values = columns.joined();
  if (!settings.columns.empty()) table = table.select(settings.columns);
  return {path, table.names, Gaps(path, table, missing_policy(settings)).filled()};
}

}  // namespace forecast
