// LibTorch (the C++ side of PyTorch) on the workloads of workloads.md: the models of
// bench_torch.py, line for line. One JSON line per figure.
//
// usage: bench_libtorch [--only W1,W2] [--seconds S] [--threads N] [--clock cpu]   time
//        bench_libtorch --check N [--only ...]                       losses of step 1 and step N,
//        for comparing with bench_torch.py bench_libtorch --first one training step of W1, then
//        exit (start-up time)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <time.h>
#include <torch/torch.h>
#include <torch/version.h>

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Tensor;

static nn::Linear linear(int64_t in, int64_t out, bool bias = true) {
  return nn::Linear(nn::LinearOptions(in, out).bias(bias));
}
static nn::LSTM lstm_of(int64_t in, int64_t units) {
  return nn::LSTM(nn::LSTMOptions(in, units).batch_first(true));
}

struct Batch {
  Tensor x, past, y;
};

struct Model : nn::Module {
  virtual Tensor forward(const Batch& b) = 0;
};

struct W1 : Model {
  nn::LSTM lstm;
  nn::Linear dense, out;
  W1() : lstm(lstm_of(2, 32)), dense(linear(20, 20)), out(linear(640, 1)) {
    register_module("lstm", lstm), register_module("dense", dense), register_module("out", out);
  }
  Tensor forward(const Batch& b) override {
    auto h = std::get<0>(lstm(b.x));
    auto z = h * torch::softmax(dense(h.transpose(1, 2)), -1).transpose(1, 2);
    return out(z.flatten(1));
  }
};

struct W2 : Model {
  nn::Linear dense;
  nn::LSTM lstm;
  nn::Linear out;
  W2() : dense(linear(10, 10)), lstm(lstm_of(10, 32)), out(linear(32, 1)) {
    register_module("dense", dense), register_module("lstm", lstm), register_module("out", out);
  }
  Tensor forward(const Batch& b) override {
    auto z = b.x * torch::softmax(dense(b.x), -1);
    return out(std::get<0>(lstm(z)).select(1, -1));
  }
};

struct W3 : Model {
  nn::LSTM lstm;
  nn::Linear w, mix, out;
  W3()
      : lstm(lstm_of(1, 64)),
        w(linear(64, 64, false)),
        mix(linear(128, 32, false)),
        out(linear(32, 1)) {
    register_module("lstm", lstm), register_module("w", w), register_module("mix", mix),
        register_module("out", out);
  }
  Tensor forward(const Batch& b) override {
    auto h = std::get<0>(lstm(b.x));
    auto last = h.select(1, -1);
    auto a = torch::softmax(torch::bmm(w(h), last.unsqueeze(2)).squeeze(2), 1);
    return out(torch::tanh(mix(torch::cat({torch::bmm(a.unsqueeze(1), h).squeeze(1), last}, 1))));
  }
};

struct MHAImpl : nn::Module {
  int64_t h;
  nn::Linear qkv, out;
  MHAImpl(int64_t e_in, int64_t embed, int64_t heads, int64_t e_out)
      : h(heads), qkv(linear(e_in, 3 * embed)), out(linear(embed, e_out)) {
    register_module("qkv", qkv), register_module("out", out);
  }
  Tensor forward(const Tensor& x) {
    const auto b = x.size(0), n = x.size(1);
    auto t = qkv(x).view({b, n, 3, h, -1}).permute({2, 0, 3, 1, 4}).unbind(0);
#if TORCH_VERSION_MAJOR < 2  // Debian 12 has 1.13
    auto a = std::get<0>(at::_scaled_dot_product_attention(t[0], t[1], t[2]));
#else
    auto a = at::scaled_dot_product_attention(t[0], t[1], t[2]);
#endif
    return out(a.transpose(1, 2).reshape({b, n, -1}));
  }
};
TORCH_MODULE(MHA);

struct W5 : Model {
  MHA att;
  nn::Linear out;
  W5() : att(12, 64, 8, 64), out(linear(256, 1)) {
    register_module("att", att), register_module("out", out);
  }
  Tensor forward(const Batch& b) override { return out(att(b.x).flatten(1)); }
};

struct W6 : Model {
  MHA att;
  nn::Linear out;
  W6() : att(4, 64, 8, 4), out(linear(48, 1)) {
    register_module("att", att), register_module("out", out);
  }
  Tensor forward(const Batch& b) override {
    return out(att(b.x.transpose(1, 2)).transpose(1, 2).flatten(1));
  }
};

struct W7 : Model {
  static constexpr int64_t n = 81, steps = 10, m = 64, p = 64;
  nn::Linear ue, we, ve;
  nn::LSTMCell enc;
  nn::Linear ud, wd, vd, wt;
  nn::LSTMCell dec;
  nn::Linear wy, vy;
  W7()
      : ue(linear(steps, steps, false)),
        we(linear(2 * m, steps, false)),
        ve(linear(steps, 1, false)),
        enc(n, m),
        ud(linear(m, m, false)),
        wd(linear(2 * p, m, false)),
        vd(linear(m, 1, false)),
        wt(linear(m + 1, 1)),
        dec(1, p),
        wy(linear(p + m, p)),
        vy(linear(p, 1)) {
    register_module("ue", ue), register_module("we", we), register_module("ve", ve),
        register_module("enc", enc), register_module("ud", ud);
    register_module("wd", wd), register_module("vd", vd), register_module("wt", wt),
        register_module("dec", dec);
    register_module("wy", wy), register_module("vy", vy);
  }
  Tensor forward(const Batch& in) override {
    const auto& x = in.x;
    const auto b = x.size(0);
    auto h = x.new_zeros({b, m}), s = h;
    auto ux = ue(x.transpose(1, 2));
    std::vector<Tensor> list;
    for (int64_t t = 0; t < steps; ++t) {
      auto a = torch::softmax(
          ve(torch::tanh(ux + we(torch::cat({h, s}, 1)).unsqueeze(1))).squeeze(2), 1);
      std::tie(h, s) = enc(a * x.select(1, t), std::make_tuple(h, s));
      list.push_back(h);
    }
    auto hs = torch::stack(list, 1), uh = ud(hs);
    auto d = x.new_zeros({b, p}), c = d;
    Tensor ctx;
    for (int64_t t = 0; t < steps; ++t) {
      auto a = torch::softmax(
          vd(torch::tanh(uh + wd(torch::cat({d, c}, 1)).unsqueeze(1))).squeeze(2), 1);
      ctx = torch::bmm(a.unsqueeze(1), hs).squeeze(1);
      std::tie(d, c) =
          dec(wt(torch::cat({ctx, in.past.slice(1, t, t + 1)}, 1)), std::make_tuple(d, c));
    }
    return vy(wy(torch::cat({d, ctx}, 1)));
  }
};

struct W10 : Model {
  nn::LSTM lstm;
  nn::Linear out;
  W10() : lstm(lstm_of(64, 256)), out(linear(256, 1)) {
    register_module("lstm", lstm), register_module("out", out);
  }
  Tensor forward(const Batch& b) override { return out(std::get<0>(lstm(b.x)).select(1, -1)); }
};

// Not in workloads.md: the plain LSTM regression that mlpack_lstm.cpp times.
struct L32 : Model {
  nn::LSTM lstm;
  nn::Linear out;
  L32() : lstm(lstm_of(2, 32)), out(linear(32, 1)) {
    register_module("lstm", lstm), register_module("out", out);
  }
  Tensor forward(const Batch& b) override { return out(std::get<0>(lstm(b.x)).select(1, -1)); }
};

static Tensor flag(int64_t n) {
  return torch::randint(0, 2, {n, 1}, torch::kLong).to(torch::kFloat);
}
static Tensor bce(const Tensor& o, const Tensor& y) {
  return F::binary_cross_entropy_with_logits(o, y);
}
static Tensor mae(const Tensor& o, const Tensor& y) { return F::l1_loss(o, y); }
static Tensor mse(const Tensor& o, const Tensor& y) { return F::mse_loss(o, y); }

struct Work {
  std::function<std::shared_ptr<Model>()> make;
  Tensor (*loss)(const Tensor&, const Tensor&);
  std::function<Batch()> data;
};
template <class M>
static std::shared_ptr<Model> made() {
  return std::make_shared<M>();
}
// The targets are drawn after the inputs, as in the Python version, so that the random numbers
// agree.
static Batch draw(at::IntArrayRef x, const std::function<Tensor()>& y, int64_t past = 0) {
  Batch b;
  b.x = torch::randn(x);
  if (past) b.past = torch::randn({x[0], past});
  b.y = y();
  return b;
}
static std::function<Tensor()> normal(int64_t n) {
  return [n] { return torch::randn({n, 1}); };
}
static const std::vector<std::pair<std::string, Work>> WORK = {
    {"W1",
     {made<W1>, bce,
      [] {
        return draw({64, 20, 2}, [] { return flag(64); });
      }}},
    {"W2",
     {made<W2>, bce,
      [] {
        return draw({64, 20, 10}, [] { return flag(64); });
      }}},
    {"W3",
     {made<W3>, mae,
      [] {
        return draw({100, 10, 1}, normal(100));
      }}},
    {"W5",
     {made<W5>, mse,
      [] {
        return draw({100, 4, 12}, normal(100));
      }}},
    {"W6",
     {made<W6>, mse,
      [] {
        return draw({100, 4, 12}, normal(100));
      }}},
    {"W7",
     {made<W7>, mse,
      [] {
        return draw({128, 10, 81}, normal(128), 10);
      }}},
    {"L32",
     {made<L32>, mse,
      [] {
        return draw({64, 20, 2}, normal(64));
      }}},
    {"W10",
     {made<W10>, mse,
      [] {
        return draw({64, 100, 64}, normal(64));
      }}},
};

// --clock cpu counts the processor time of this process (all threads) instead: on a machine shared
// with other runs, at one thread.
static bool cpu_clock = false;
static double now() {
  if (cpu_clock) {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Median time of one step in microseconds, over blocks of about 20 ms (the same rule as
// bench_torch.py).
static double measure(const std::function<void()>& step, double seconds) {
  for (int i = 0; i < 5; ++i) step();
  double t = now();
  step();
  const int per_block = std::max(1, int(.02 / (now() - t)));
  std::vector<double> blocks;
  const double start = now();
  while (blocks.size() < 30 || now() - start < seconds) {
    t = now();
    for (int i = 0; i < per_block; ++i) step();
    blocks.push_back((now() - t) / per_block);
    if (blocks.size() >= 8 && now() - start > 6 * seconds) break;
  }
  std::sort(blocks.begin(), blocks.end());
  const size_t n = blocks.size();
  return (n % 2 ? blocks[n / 2] : (blocks[n / 2 - 1] + blocks[n / 2]) / 2) * 1e6;
}

int main(int argc, char** argv) {
  std::map<std::string, std::string> o = {{"--only", ""},
                                          {"--seconds", "1"},
                                          {"--threads", "1"},
                                          {"--check", "0"},
                                          {"--clock", "wall"}};
  bool first = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--first")
      first = true;
    else if (i + 1 < argc)
      o[argv[i]] = argv[i + 1], ++i;
  }
  const int threads = std::stoi(o["--threads"]), check = std::stoi(o["--check"]);
  const double seconds = std::stod(o["--seconds"]);
  cpu_clock = o["--clock"] == "cpu";
  torch::set_num_threads(threads);
  const auto wanted = [&](const std::string& name) {
    return first ? name == "W1"
                 : o["--only"].empty() ||
                       ("," + o["--only"] + ",").find("," + name + ",") != std::string::npos;
  };
  for (const auto& [name, work] : WORK) {
    if (!wanted(name)) continue;
    torch::manual_seed(7);
    auto model = work.make();
    torch::optim::Adam opt(model->parameters(), torch::optim::AdamOptions(1e-3).eps(1e-7));
    std::vector<Batch> batches;
    for (int i = 0; i < (first ? 1 : 16); ++i) batches.push_back(work.data());
    std::vector<float> losses;
    const auto step = [&, &work = work] {
      const auto& b = batches[losses.size() % batches.size()];
      opt.zero_grad();
      auto loss = work.loss(model->forward(b), b.y);
      loss.backward();
      opt.step();
      losses.push_back(loss.item<float>());
    };
    int64_t parameters = 0;
    for (const auto& p : model->parameters()) parameters += p.numel();
    double us = 0;
    if (first || check)
      for (int i = 0; i < std::max(1, check); ++i) step();
    else
      us = measure(step, seconds);
    std::printf(
        "{\"workload\": \"%s\", \"peer\": \"libtorch-cpp\", \"threads\": %d, \"us\": %.1f, "
        "\"loss_first\": %.8g, \"loss_last\": %.8g, \"parameters\": %lld}\n",
        name.c_str(), threads, us, losses.front(), losses.back(), (long long)parameters);
    std::fflush(stdout);
  }
  if (wanted("W12") && !check) {
    auto a = torch::tensor(-4.f, torch::requires_grad()),
         b = torch::tensor(2.f, torch::requires_grad());
    const auto step = [&] {
      a.mutable_grad() = Tensor(), b.mutable_grad() = Tensor();
      auto c = a + b, d = a * b + b * b * b, e = c - d, f = e * e, g = f / 2;
      g.backward();
    };
    std::printf(
        "{\"workload\": \"W12\", \"peer\": \"libtorch-cpp\", \"threads\": %d, \"us\": %.2f, "
        "\"loss_first\": null, \"loss_last\": null, \"parameters\": 2}\n",
        threads, measure(step, seconds));
  }
}
