// Tables from NumPy's files.
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
  for (Size i = 0; i < table.values.size(); ++i)
    if (!std::isfinite(table.values.data()[i]))
      ag::fail("forecast", "'", path, "', row ", i / table.columns(), ", column '",
               table.names[static_cast<std::size_t>(i % table.columns())],
               "': ", table.values.data()[i], " is not a finite number");
  return {path, table.names, table.values};
}

}  // namespace forecast
