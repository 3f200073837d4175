#include <algorithm>
#include <cmath>
#include <utility>

#include <axisgrad/nn/data/split.hpp>

namespace axisgrad {
namespace {

RowSplit consecutive(Size a, Size b, Size c) { return {{0, a}, {a, b}, {b, c}}; }

}  // namespace

RowSplit split_in_order(Size rows, SplitCounts counts) {
  const auto [train, validation, test] = counts;
  if (train < 0 || validation < 0 || test < 0)
    fail("split", "numbers of rows must not be negative, got ", train, ", ", validation, " and ",
         test);
  if (train > rows || validation > rows - train || test > rows - train - validation)
    fail("split", train, " + ", validation, " + ", test, " rows asked for, but there are only ",
         rows);
  return consecutive(train, train + validation, train + validation + test);
}

RowSplit split_in_order(Size rows, SplitFractions fractions) {
  const auto [train, validation, test] = fractions;
  constexpr double rounding =
      1e-9;  // .7 + .1 + .2 is a little less than 1, and .1 + .2 a little more than .3
  for (double f : {train, validation, test})
    if (!(f >= 0 && f <= 1)) fail("split", "a share must be within 0 and 1, got ", f);
  if (train + validation + test > 1 + rounding)
    fail("split", "the shares ", train, ", ", validation, " and ", test, " add up to more than 1");
  const auto boundary = [&](double share) {
    return std::min(rows,
                    static_cast<Size>(std::floor((share + rounding) * static_cast<double>(rows))));
  };
  const RowSplit parts = consecutive(boundary(train), boundary(train + validation),
                                     boundary(train + validation + test));
  for (auto [share, part] :
       {std::pair{train, parts.train}, {validation, parts.validation}, {test, parts.test}})
    if (share > 0 && part.begin == part.end)
      fail("split", "a share of ", share, " of ", rows, " rows is not even one row");
  return parts;
}

}  // namespace axisgrad
