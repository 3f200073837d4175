#include <doctest/doctest.h>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <iostream>
namespace ag = axisgrad;
TEST_CASE("smoke") {
  ag::Tape<double> t;
  auto x = t.input(ag::Tensor<double>({2, 2}, {1, 2, 3, 4}), {.gradient = true});
  auto y = ag::sum(ag::square(x) * ag::tanh(x));
  auto g = ag::grad(y, x, {.create_graph = true});
  std::cout << g.value() << "\n";
  auto h = ag::grad(ag::sum(g), x);
  std::cout << h.value() << "\n";
  for (auto& op : ag::all_ops())
    for (auto& s : op.samples) {
      ag::Tape<double> t2;
      std::vector<ag::Var<double>> in;
      for (auto& i : s.inputs) {
        ag::Tensor<double> v(i.shape);
        double z = 0.1;
        for (ag::Size k = 0; k < v.size(); ++k) { z = 3.9 * z * (1 - z) ; v.mutable_data()[k] = i.range.low + (i.range.high - i.range.low) * z; }
        in.push_back(t2.input(v, {.gradient = true}));
      }
      INFO(op.name << " " << s.title);
      auto y = s.in_double(in);
      if (!op.differentiable) { CHECK(!y.has_gradient()); continue; }
      auto gs = ag::grad(std::vector{y}, in, {.create_graph = true, .cotangents = {ag::Var<double>(ag::Tensor<double>(y.shape(), 1.))}});
      double worst = 0;
      for (size_t k = 0; k < in.size(); ++k)
        for (ag::Size e = 0; e < in[k].size(); ++e) {
          auto f = [&](double d) { auto in2 = in; for (auto& v : in2) v = v.detach(); ag::Tensor<double> v = in[k].value(); v.mutable_data()[e] += d; in2[k] = ag::Var<double>(v); return ag::sum(s.in_double(in2)).item(); };
          double n = (f(1e-5) - f(-1e-5)) / 2e-5, a = gs[k].value().data()[e];
          worst = std::max(worst, std::abs(n - a) / std::max(1., std::abs(a)));
        }
      CHECK(worst < 1e-6);
    }
}
