// A training step in steady state asks the system for no memory. Every way to get some is counted:
// this program puts its own functions in place of the C library's, and operator new ends there as
// well.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/attention.hpp>
#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/bidirectional.hpp>
#include <axisgrad/nn/dense.hpp>
#include <axisgrad/nn/dropout.hpp>
#include <axisgrad/nn/dual_stage_rnn.hpp>
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t n) noexcept { return ++allocations, __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) noexcept {
  return ++allocations, __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) noexcept { return ++allocations, __libc_realloc(p, n); }
void* memalign(std::size_t alignment, std::size_t n) noexcept {
  return ++allocations, __libc_memalign(alignment, n);
}
void* aligned_alloc(std::size_t alignment, std::size_t n) noexcept {
  return memalign(alignment, n);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t n) noexcept {
  *p = memalign(alignment, n);
  return *p ? 0 : ENOMEM;
}
}

using namespace axisgrad;

namespace {

// How many allocations `steps` calls of f make, after some to warm up.
template <class F>
long steady(const F& f, int warm_up = 20, int steps = 50) {
  for (int i = 0; i < warm_up; ++i) f();
  const long before = allocations;
  for (int i = 0; i < steps; ++i) f();
  return allocations - before;
}

template <Scalar T>
Tensor<T> pattern(const Shape& shape) {
  Tensor<T> x(shape);
  for (Size i = 0; i < x.size(); ++i) x.mutable_data()[i] = T(i * 37 % 101) / 101 - T(.5);
  return x;
}

struct Model {
  TimeAttentionBlock<float> time{10};
  FeatureAttentionBlock<float> feature{3};
  Dense<float> hidden{30, 16, {.activation = Activation::tanh}}, head{16, 1};

  using scalar = float;
  void visit(auto&& visitor) {
    visitor("time", time), visitor("feature", feature), visitor("hidden", hidden),
        visitor("head", head);
  }
  Var<float> operator()(const Var<float>& x) const {
    return head(hidden(flatten(feature(time(x)))));
  }
};

struct BothWays {
  using scalar = float;
  Bidirectional<float> lstm{{.inputs = 3, .units = 4}};
  Dense<float> head{8, 1};
  void visit(auto&& visitor) { visitor("lstm", lstm), visitor("head", head); }
  Var<float> operator()(const Var<float>& x) const { return head(lstm(x).last()); }
};

// An LSTM with everything that a call may bring, then attention of its last step to all.
struct Recurrent {
  using scalar = float;
  LSTM<float> lstm{{.inputs = 3, .units = 5, .dropout = .1, .recurrent_dropout = .1}};
  Attention<float> attention{5, 6, {.score = AttentionScore::bahdanau}};
  Dropout drop{.2};
  Dense<float> head{6, 1};
  void visit(auto&& visitor) {
    visitor("lstm", lstm), visitor("attention", attention), visitor("head", head);
  }
  Var<float> operator()(const Var<float>& x) const {
    const Var<float> zero(Tensor<float>(Shape{x.shape()[0], 5}, 0.f)),
        mask(Tensor<float>(Shape{x.shape()[0], x.shape()[1]}, 1.f));
    const auto states = lstm(x, {.initial_state = LstmState<float>{zero, zero}, .mask = mask});
    return head(drop(attention(states.sequence())));
  }
};

// The dual-stage network; the target's past is the first of the series.
struct DualStageOnOne {
  using scalar = float;
  DualStageRNN<float> network{
      {.time_steps = 10, .series = 3, .encoder_units = 4, .decoder_units = 5}};
  void visit(auto&& visitor) { network.visit(visitor); }
  Var<float> operator()(const Var<float>& x) const {
    return network(x, index(x, {every, every, 0}));
  }
};

struct Transformer {
  using scalar = float;
  MultiHeadAttention<float> attention{
      {.num_heads = 2, .embed_dim = 8, .axis = Axis::time, .embed_size = 3, .output_dim = 3}};
  LayerNormalization<float> norm{Shape{3}};
  Dropout drop{.1};
  Dense<float> head{30, 1};
  void visit(auto&& visitor) {
    visitor("attention", attention), visitor("norm", norm), visitor("head", head);
  }
  Var<float> operator()(const Var<float>& x) const {
    return head(flatten(norm(x + drop(attention(x)))));
  }
};

// Allocations of training steps of a model on (32,10,3), and the losses' fall, so that it is known
// to train.
template <class M>
long steady_training(const M& model, Parameters<float> list) {
  initialise(list, 1);
  const Tensor<float> x = pattern<float>({32, 10, 3}), target = pattern<float>({32, 1});
  Tape<float> tape({.training = true});
  float last = 0;
  const auto step = [&] {
    zero_gradients(list);
    const Var<float> loss = mse(model(tape.input(x)), Var<float>(target));
    last = loss.item();
    backward(loss);
    for (Parameter<float>* p : list) {  // gradient descent in place
      float* w = p->mutable_data();
      for (Size i = 0; i < p->shape().size(); ++i) w[i] -= .05f * p->grad().data()[i];
    }
  };
  step();
  const float first = last;
  const long counted = steady(step);
  CHECK(last < first);
  return counted;
}

}  // namespace

TEST_CASE("the counter sees every kind of allocation") {
  struct alignas(64) Wide {
    char bytes[64];
  };
  void* volatile seen = nullptr;  // so that no allocation is optimised away
  const auto counts = [&](auto take, auto give) {
    const long before = allocations;
    void* p = take();
    seen = p;
    const long counted = allocations - before;
    give(seen);
    return counted == 1;
  };
  CHECK(counts([] { return std::malloc(10); }, &std::free));
  CHECK(counts([] { return std::calloc(10, 2); }, &std::free));
  CHECK(counts([] { return std::realloc(nullptr, 10); }, &std::free));
  CHECK(counts([] { return std::aligned_alloc(64, 64); }, &std::free));
  CHECK(counts([] { return ::operator new(10); }, [](void* p) { ::operator delete(p); }));
  CHECK(counts([]() -> void* { return new Wide; }, [](void* p) { delete static_cast<Wide*>(p); }));
}

TEST_CASE("no allocation in a steady training step: attention blocks and dense layers") {
  Model model;
  CHECK(steady_training(model, parameters(model)) == 0);
}

TEST_CASE("no allocation in a steady training step: an LSTM with masks and a state, attention") {
  Recurrent model;
  CHECK(steady_training(model, parameters(model)) == 0);
}

TEST_CASE("no allocation in a steady training step: an LSTM from either end") {
  BothWays model;
  CHECK(steady_training(model, parameters(model)) == 0);
}

TEST_CASE("no allocation in a steady training step: the dual-stage network") {
  DualStageOnOne model;
  CHECK(steady_training(model, parameters(model)) == 0);
}

TEST_CASE("no allocation in a steady training step: attention, layer norm, dropout") {
  Transformer model;
  CHECK(steady_training(model, parameters(model)) == 0);
}

TEST_CASE("no allocation in a steady training step: sizes that go parallel") {
  Parameter<float> w(Shape{256, 256});
  w.set_value(pattern<float>({256, 256}));
  const Tensor<float> x = pattern<float>({1024, 256});
  Tape<float> tape;
  const auto step = [&] {
    w.mutable_grad() = Tensor<float>();
    backward(mean(square(tanh(matmul(tape.input(x), tape.watch(w))))));
  };
  CHECK(steady(step, 100, 20) == 0);
}

TEST_CASE("no allocation in steady inference") {
  Model model;
  initialise(parameters(model), 1);
  const Tensor<float> x = pattern<float>({32, 10, 3});
  CHECK(steady([&] { (void)model(constant(x)); }) == 0);
  Tape<float> tape;
  CHECK(steady([&] { (void)model(tape.input(x)), tape.clear(); }) == 0);
}
