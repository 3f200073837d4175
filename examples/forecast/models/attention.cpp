#include "attention.hpp"

namespace forecast {
namespace ag = axisgrad;

Size key_dim(const Settings& s) {
  if (s.units % s.heads != 0)
    ag::fail("forecast", "--units must be a multiple of --heads, got ", s.units, " and ", s.heads);
  return s.units / s.heads;
}

TokenAttention::TokenAttention(const Settings& s)
    : attention_({.num_heads = s.heads,
                  .key_dim = key_dim(s),
                  .axis = ag::Axis::time,
                  .embed_size = s.units,
                  .dropout = s.dropout}),
      norm_({s.units}),
      dropout_(s.dropout) {}

Var<float> TokenAttention::operator()(const Var<float>& tokens) const {
  return norm_(tokens + dropout_(attention_(tokens)));
}

Var<float> MhaTime::operator()(const Var<float>& x) const {
  const auto y = attention_(tokens(x));
  const Size last = y.shape()[1] - 1;
  return head_(squeeze(slice(y, {.axis = ag::Axis::time, .begin = last}), ag::Axis::time));
}

Var<float> MhaFeature::operator()(const Var<float>& x) const {
  const auto y = head_(take(attention_(tokens(x)), targets_, 1));  // (B, targets, horizon)
  return swap_axes(y, 1, 2);
}

}  // namespace forecast
