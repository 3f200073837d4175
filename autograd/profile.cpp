#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>
#include <string>

#include <axisgrad/autograd/profile.hpp>

namespace axisgrad {

Profile::Row& Profile::row(std::string_view op) {
  for (Row& r : rows_)
    if (r.op == op) return r;
  return rows_.emplace_back(Row{.op = op});
}

void Profile::forward(std::string_view op, double bytes, double flops) {
  const Time t = now();
  Row& r = row(op);
  ++r.calls, r.bytes += bytes, r.flops += flops;
  r.forward += std::chrono::duration<double>(t - last_).count();
  last_ = now();
}

void Profile::backward(std::string_view op, Time began) {
  row(op).backward += std::chrono::duration<double>(now() - began).count();
  last_ = now();
}

std::vector<Profile::Row> Profile::rows() const {
  std::vector<Row> sorted = rows_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) {
    return a.forward + a.backward > b.forward + b.backward;
  });
  return sorted;
}

std::ostream& operator<<(std::ostream& out, const Profile& profile) {
  const auto rows = profile.rows();
  std::size_t width = 5;
  double total = 0;
  for (const auto& r : rows) width = std::max(width, r.op.size()), total += r.forward + r.backward;
  const auto print = [&](std::string_view op, const auto&... cells) {
    out << op << std::string(width - op.size(), ' ');
    ((out << std::string(std::max<std::size_t>(12, cells.size()) - cells.size(), ' ') << cells),
     ...);
    out << '\n';
  };
  const auto number = [](const char* format, double x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), format, x);
    return std::string(text.data());
  };
  using S = std::string;
  print("op", S("calls"), S("forward ms"), S("backward ms"), S("share"), S("GFLOP/s"), S("GB/s"));
  for (const auto& r : rows) {
    const double all = r.forward + r.backward;
    const auto rate = [&](double amount) {
      return amount > 0 && r.forward > 0 ? number("%.1f", amount / r.forward * 1e-9) : S("-");
    };
    print(r.op, std::to_string(r.calls), number("%.3f", r.forward * 1e3),
          number("%.3f", r.backward * 1e3), number("%.1f%%", total > 0 ? 100 * all / total : 0),
          rate(r.flops), rate(r.bytes));
  }
  return out;
}

}  // namespace axisgrad
