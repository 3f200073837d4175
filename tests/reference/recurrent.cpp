// LSTM layers. What is compared is what the index lists as outputs, so return_sequences says what
// `out` is and return_state nothing.
#include <axisgrad/nn/bidirectional.hpp>
#include <axisgrad/nn/lstm.hpp>

#include "block.hpp"

namespace axisgrad::reference {
namespace {

template <Scalar T>
void give_state(Case<T>& c, const LstmState<T>& state) {
  c.output("state_h", state.h), c.output("state_c", state.c);
}

// Two windows of one series. The loss of both, with the state cut between them and without.
template <Scalar T>
void two_windows(Case<T>& c, const LSTM<T>& layer) {
  const Var<T> x1 = c.input("x1"), x2 = c.input("x2");
  const LstmResult<T> first = layer(x1);
  const LstmResult<T> cut = layer(x2, {.initial_state = detach(first.state())});
  const LstmResult<T> whole = layer(x2, {.initial_state = first.state()});
  c.output("out1", first.sequence()), c.output("out2", cut.sequence());
  give_state(c, cut.state());
  c.gradients_of("grad_full", {{"out1", first.sequence()}, {"out2", whole.sequence()}});
}

template <Scalar T>
void lstm_layer(Case<T>& c) {
  Options& o = c.options;
  const bool sequences = o.flag("return_sequences", false), stateful = o.flag("stateful", false);
  const bool initial = o.flag("initial_state", false), masked = o.flag("mask", false);
  [[maybe_unused]] const bool state = o.flag("return_state", false);
  LSTM<T> layer({.inputs = c.shape("kernel")[0],
                 .units = o.size("units"),
                 .go_backwards = o.flag("go_backwards", false)});
  c.load(layer);
  if (stateful) return two_windows(c, layer);
  LstmCall<T> call;
  if (initial) call.initial_state = {c.input("initial_h"), c.input("initial_c")};
  if (masked) call.mask = c.input("mask");
  const auto y = layer(c.input("x"), call);
  c.output("out", sequences ? y.sequence() : y.last());
  give_state(c, y.state());
}

template <Scalar T>
void bidirectional(Case<T>& c) {
  Options& o = c.options;
  const bool sequences = o.flag("return_sequences", false), masked = o.flag("mask", false);
  const auto merge = o.choice("merge_mode", Choices<Merge>{{"concat", Merge::concat},
                                                           {"sum", Merge::sum},
                                                           {"mul", Merge::mul},
                                                           {"ave", Merge::ave}});
  Bidirectional<T> layer(
      {.inputs = c.shape("forward.kernel")[0], .units = o.size("units"), .merge = merge});
  c.load(layer);
  const auto y = layer(c.input("x"), {.mask = masked ? c.input("mask") : Var<T>()});
  c.output("out", sequences ? y.sequence() : y.last());
}

}  // namespace

std::span<const Block> recurrent() {
  static constexpr Block all[]{{"LSTM", lstm_layer, lstm_layer},
                               {"Bidirectional", bidirectional, bidirectional}};
  return all;
}

}  // namespace axisgrad::reference
